// Empty on purpose: this package exists only to pin its dependency.
