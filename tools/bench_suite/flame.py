#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Flame graphs: who called whom, and with what share of the samples."""

import dataclasses

from matplotlib import pyplot

# Boxes narrower than this share of all samples are not drawn.
MIN_SHARE = 0.002
# Boxes with a smaller share per letter have no name.
LETTER_SHARE = 0.006
OURS = ("rocksdb::ralt::", "HotRap", "Promotion")


@dataclasses.dataclass
class Frame:
    name: str
    count: int = 0
    callees: dict = dataclasses.field(default_factory=dict)

    def add(self, stack, count):
        frame = self
        frame.count += count
        for name in stack:
            frame = frame.callees.setdefault(name, Frame(name))
            frame.count += count


def tree_of(folded):
    """Builds the tree from pairs of a stack, callers first, and its count."""
    root = Frame("all")
    for stack, count in folded:
        root.add(stack, count)
    return root


def boxes(frame, total, left=0.0, depth=0):
    """(left, depth, width, name), all in shares of the samples."""
    width = frame.count / total
    if width < MIN_SHARE:
        return
    yield left, depth, width, frame.name
    for callee in sorted(frame.callees.values(), key=lambda one: one.name):
        yield from boxes(callee, total, left, depth + 1)
        left += callee.count / total


def draw(folded, title):
    """HotRAP's functions have their own colour."""
    root = tree_of(folded)
    if not root.count:
        return None
    found = list(boxes(root, root.count))
    deepest = max(depth for _, depth, *_ in found)
    figure, axes = pyplot.subplots(figsize=(14, 1 + 0.22 * deepest))
    for left, depth, width, name in found:
        ours = any(word in name for word in OURS)
        axes.barh(depth, width, left=left, height=1, linewidth=0.3,
                  edgecolor="white", color="tab:red" if ours else "tan")
        short = name.removeprefix("rocksdb::").partition("(")[0]
        letters = int(width / LETTER_SHARE)
        if letters > 2:
            axes.text(left + 0.001, depth, short[:letters], fontsize=6,
                      verticalalignment="center", clip_on=True)
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.5, deepest + 0.5)
    axes.set_yticks([])
    axes.set_xlabel("share of the CPU samples")
    axes.set_title(title)
    figure.tight_layout()
    return figure
