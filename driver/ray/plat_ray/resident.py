"""plat with a program loaded, that does one piece after the other (`plat run --pieces-from-stdin`).

Each piece is a process of its own, forked off where the program is loaded already: it begins after milliseconds, and
not after the fifth of a second that it takes to read bitcode.
"""

import os
import select
import shlex
import subprocess
import tempfile
import time

# Seconds between two looks at a piece.
LOOK_EVERY = 0.05
# And from when it is to end until it is killed.
GRACE = 10.0


class PieceFailed(Exception):
    """plat could not do a piece."""

    def __init__(self, why, code=None):
        super().__init__(why)
        self.code = code


class Resident:
    def __init__(self, command, here):
        self.command, self.here = command, here
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def does(self, command, here):
        """Whether it can do a piece that is done so."""
        return (self.command, self.here) == (command, here) and self.process.poll() is None

    def do(self, options, limit, look=lambda plat: None):
        """Does a piece with these options, or a command `trie`. `look` is called now and then meanwhile."""
        end, before = time.monotonic() + limit, os.fstat(self.errors.fileno()).st_size
        self._say(shlex.join(options))
        try:
            while not select.select([self.process.stdout], [], [], LOOK_EVERY)[0]:
                if time.monotonic() >= end:
                    raise PieceFailed(f"plat has not ended after {limit:.0f} s")
                look(self)
        except BaseException:
            # Nobody waits for the piece any more.
            self.close()
            raise
        said = self.process.stdout.readline().split()
        # Without a word, the process itself ends.
        code = int(said[1]) if said else self._end()
        if code != 0 or not said:
            errors = os.pread(self.errors.fileno(), 1 << 20, before).decode(errors="replace")
            raise PieceFailed(f"plat ended with {code}: {errors.strip()[-2000:]}", code)

    def end_piece(self):
        """Has the piece end that it does, which keeps what is left."""
        self._say("end")

    def close(self):
        """Ends it, with a piece that it does."""
        self._end()
        self.process.stdout.close()
        self.errors.close()

    def _end(self):
        """At the end of its input it ends, and returns with this code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # It has ended before it has read all.
        try:
            return self.process.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def _say(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, which is seen where it is read from.


# This process's. Its end closes the pipe, at which that process ends as well.
resident = None


def resident_for(command, here):
    """That which does pieces so: the one that is there, or a new one."""
    global resident
    if resident is None or not resident.does(command, here):
        close_resident()
        resident = Resident(command, here)
    return resident


def close_resident():
    global resident
    if resident is not None:
        resident.close()
    resident = None
