#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""A client: something with tests of its own that uses an installed library."""

import os
import shutil
import subprocess

TIMEOUT_SECS = 1800
# Of a failure's text.
MAX_TEXT = 3000
PASSED = "passed"


class Client:
    """One entry of the table. Fetched and built once for each library, if
    per_library, else once, with ours."""

    name = ""
    version = ""
    # The RocksDB that it is for; None if it does not matter.
    base = None
    # Programs that must be there.
    tools = ()
    per_library = False
    # Whether its DBs are flushed, compacted and read in the background.
    settles = True
    # Run by make check-clients in CI.
    quick = False

    def __init__(self, workshop):
        self.workshop = workshop

    def missing(self):
        """Returns what is missing here, or None."""
        gone = [tool for tool in self.tools if shutil.which(tool) is None]
        return f"no {', '.join(gone)}" if gone else None

    def build(self, kind):
        """Fetches and builds. Does nothing if that was done."""

    def tests(self, kind):
        """Returns the names of all tests. REQUIRES: built."""
        raise NotImplementedError

    def run(self, kind, tests, env, folder):
        """Runs some tests in an empty folder with additional variables.

        Returns PASSED or the failure for each test that ended.
        """
        raise NotImplementedError

    def execute(self, command, kind, env, folder, cwd=None):
        """Returns (exit code or what happened, output)."""
        environment = dict(os.environ, TMPDIR=str(folder), TEST_TMPDIR=str(
            folder), **self.workshop.runtime(kind))
        environment.update(env)
        try:
            done = subprocess.run(
                [str(word) for word in command], cwd=cwd or folder,
                env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=TIMEOUT_SECS, check=False)
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b"").decode(errors="replace")
            return f"no end in {TIMEOUT_SECS} s", output
        return done.returncode, done.stdout.decode(errors="replace")


def text_of(code, output):
    """A failure's text."""
    if len(output) > 2 * MAX_TEXT:
        output = f"{output[:MAX_TEXT]}\n...\n{output[-MAX_TEXT:]}"
    return f"ended with {code}\n{output}"
