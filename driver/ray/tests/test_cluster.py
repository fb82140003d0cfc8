"""Explorations on a real cluster: two nodes, each a `ray start` of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from .nodes import QUIET, Nodes, kill, of_session

PLAT, PROGRAM, ENDLESS = (os.environ.get(name) for name in ("PLAT", "PROGRAM", "ENDLESS"))
INPUT = ["--sym-stdin", "3"]
# Of a piece: a fraction of what all paths take, also on a machine that is several times as fast.
BUDGET = "100ms"


@unittest.skipUnless(PLAT and PROGRAM and ENDLESS, "PLAT, PROGRAM and ENDLESS are not set")
class OnTwoNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nodes = Nodes()
        cls.room = cls.nodes.room
        # Tests have the name of the program, which is the bare one on nodes.
        program = Path(PROGRAM)
        alone = cls.plat("explore", "--quiet", "--output-dir", str(cls.room / "alone"), program.name,
                         *INPUT, here=program.parent)
        assert alone.returncode == 0, alone.stderr
        cls.expected = cls.inputs_of(cls.room / "alone")
        assert len(cls.expected) >= 1000, len(cls.expected)
        cls.paths = json.loads((cls.room / "alone" / "summary.json").read_text())["paths"]

    @classmethod
    def tearDownClass(cls):
        cls.nodes.end()

    @staticmethod
    def plat(*arguments, here=None):
        return subprocess.run([PLAT, *arguments], capture_output=True, text=True, cwd=here,
                              stdin=subprocess.DEVNULL)

    @classmethod
    def inputs_of(cls, directory):
        """The inputs of all tests of a run, each with the name of its program."""
        done = cls.plat("tests", "show", str(directory))
        assert done.returncode == 0, done.stderr
        return sorted(re.findall(r"(?m)^args +:.*\n(?:(?:num objects|object \d+):.*\n)+", done.stdout))

    def begin(self, *arguments, slots=2, own=False):
        """On the cluster of the two nodes, or one of its own."""
        address = [] if own else ["--address", self.nodes.address]
        command = [sys.executable, "-m", "plat_ray.command", arguments[0], "--plat", PLAT, *address,
                   "--slots", str(slots), *arguments[1:]]
        return subprocess.Popen(command, env=QUIET, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def finish(self, running, code=0):
        said, errors = running.communicate(timeout=300)
        self.assertEqual(running.returncode, code, errors)
        return said, errors

    def explore(self, name, *options, slots=2):
        """Begins to explore the program, in short pieces."""
        return self.begin("explore", "--output-dir", str(self.room / name), "--budget", BUDGET,
                          *options, PROGRAM, *INPUT, slots=slots)

    def until(self, running, name, pieces):
        """Waits until so many pieces are done of what runs."""
        done = self.room / name / "pieces"
        end = time.monotonic() + 120
        while not done.is_dir() or sum(not one.name.startswith(".") for one in done.iterdir()) < pieces:
            self.assertIsNone(running.poll(), f"{name}: ended with fewer than {pieces} pieces")
            self.assertLess(time.monotonic(), end, f"{name}: no {pieces} pieces are done")
            time.sleep(0.02)

    def assert_whole(self, name):
        tests = self.inputs_of(self.room / name / "tests")
        # (assertEqual takes minutes to describe how lists of thousands differ.)
        missing, more = len(set(self.expected) - set(tests)), len(set(tests) - set(self.expected))
        self.assertEqual((len(tests), missing, more), (len(self.expected), 0, 0))
        told = json.loads((self.room / name / "tests" / "summary.json").read_text())
        self.assertEqual((told["stop"], told["paths"]), ("finished", self.paths))
        stats = self.plat("trie", "stats", str(self.room / name / "tests")).stdout
        self.assertRegex(stats, r"(?m)^ *0 +open paths$")

    def test_a_lost_node_loses_no_path(self):
        node = self.nodes.add()
        running = self.explore("lost")
        self.until(running, "lost", 2)
        kill(node)
        _, errors = self.finish(running)
        self.assertNotIn("left out", errors)
        self.assert_whole("lost")

    def test_b_one_that_was_killed_is_taken_up(self):
        running = self.explore("killed")
        self.until(running, "killed", 3)
        for process in of_session(running.pid):
            os.kill(process, signal.SIGKILL)
        running.communicate()
        before = len(list((self.room / "killed" / "pieces").glob("[0-9]*")))
        said, errors = self.finish(self.begin("resume", str(self.room / "killed")))
        after = len(list((self.room / "killed" / "pieces").glob("[0-9]*")))
        self.assertGreater(after, before)
        self.assertNotIn("goes on", errors)
        self.assert_whole("killed")

    def test_c_a_stop_keeps_what_is_done(self):
        # With one slot, what the first piece leaves is not done when the second one is.
        running = self.explore("stopped", slots=1)
        self.until(running, "stopped", 2)
        running.send_signal(signal.SIGINT)
        _, errors = self.finish(running)
        self.assertIn("no more pieces begin", errors)
        self.assertIn(f"plat-ray resume {self.room / 'stopped'} goes on", errors)
        # What the pieces are together is a run that plat goes on with itself.
        resumed = self.plat("resume", "--quiet", "--max-time", "0",
                            str(self.room / "stopped" / "tests"))
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assert_whole("stopped")

    def test_d_programs_share_the_cluster(self):
        suite = self.room / "suite.toml"
        suite.write_text("\n".join(
            f'[[program]]\nname = "{name}"\nbitcode = "{PROGRAM}"\narguments = ["--sym-stdin", "{size}"]'
            for name, size in (("small", 1), ("large", 3))
        ) + '\n[[program]]\nname = "wrong"\nbitcode = "suite.bc"\n')
        (self.room / "suite.bc").write_bytes(b"BC\xc0\xdeno bitcode")
        running = self.begin("batch", "--output-dir", str(self.room / "batch"), "--budget", BUDGET,
                             str(suite))
        said, errors = self.finish(running, code=2)
        self.assertIn("wrong: is left out", errors)
        self.assertIn("small: ", said)
        self.assert_whole("batch/large")
        self.assertGreater(len(self.inputs_of(self.room / "batch" / "small" / "tests")), 1)

    def test_e_what_cannot_be_done_is_told(self):
        said, errors = self.finish(self.explore("poisoned", "--entry-point", "main"))
        self.assert_whole("poisoned")
        # The program of the nodes is another one than that of the work.
        shutil.rmtree(self.room / "poisoned" / "pieces" / "0-1")
        (self.room / "poisoned" / "pieces" / "0" / "work" / "1.work").write_bytes(b"no work")
        said, errors = self.finish(self.begin("resume", str(self.room / "poisoned")), code=4)
        self.assertIn("piece 0-1 is tried again", errors)
        self.assertIn("piece 0-1 could not be done", errors)
        self.assertTrue((self.room / "poisoned" / "failed" / "0-1").is_file())

    def test_f_a_fault_is_shown_while_its_piece_goes_on(self):
        running = self.begin("explore", "--output-dir", str(self.room / "endless"), "--budget", "10min",
                             ENDLESS, "--sym-stdin", "1", slots=1)
        try:
            shown = next(line for line in running.stderr if "abort failure" in line)
            self.assertRegex(shown, r"^plat-ray: endless: \S+endless\.c:\d+: abort failure$")
            # No piece that is done has it.
            self.assertEqual(list((self.room / "endless" / "pieces").glob("*/faults.jsonl")), [])
        finally:
            for process in of_session(running.pid):
                os.kill(process, signal.SIGKILL)
            running.communicate()

    def test_g_pieces_on_a_cluster_of_ones_own_end_when_they_are_asked_to(self):
        # Ray blocks some signals in what it starts itself. The path without end is a piece of its own.
        running = self.begin("explore", "--output-dir", str(self.room / "own"), "--budget", "10min",
                             ENDLESS, "--sym-stdin", "1", slots=2, own=True)
        next(line for line in running.stderr if "abort failure" in line)
        running.send_signal(signal.SIGINT)
        self.finish(running)
        pieces = (self.room / "own" / "pieces").glob("0-*")
        times = [json.loads((piece / "times.json").read_text()) for piece in pieces]
        asked = [told["asked"] for told in times if told["asked"] is not None]
        self.assertTrue(asked)
        self.assertLess(max(asked), 60)
        self.assertLess(max(told["took"] for told in times), 300)

    def test_h_processes_of_a_node_explore_a_piece_together(self):
        self.finish(self.explore("wide", "--workers", "2", "--worker-interval", "1ms"))
        self.assert_whole("wide")
        told = json.loads((self.room / "wide" / "tests" / "summary.json").read_text())
        self.assertGreater(told["processes"], 1)


if __name__ == "__main__":
    unittest.main()
