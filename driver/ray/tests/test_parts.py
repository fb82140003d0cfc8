"""What needs no cluster."""

import io
import json
import os
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

from plat_ray import batch, command, units
from plat_ray.coverage import Coverage, beyond
from plat_ray.exploration import has_done_little, walk_of
from plat_ray.piece import Errors, PieceFailed, run_plat, without_open
from plat_ray.resident import Resident
from plat_ray.scheduler import FIRST_PIECES, LONGEST, LOSSES, PIECES, SHORTEST, WALKS, Scheduler
from plat_ray.store import FIRST, Store, of_parts
from plat_ray.summary import joined
from plat_ray.width import AT_ONCE, width_of, with_width

RESULTS = {"run.trie": b"t", "summary.json": b"{}"}


class Scheduling(unittest.TestCase):
    def test_the_first_piece_is_divided_for_all_slots(self):
        scheduler = Scheduler(slots=8)
        scheduler.add(["0"])
        name, budget, pieces = scheduler.next(0.0)
        self.assertEqual((name, pieces), ("0", 8 * FIRST_PIECES))
        self.assertLess(budget, LONGEST)
        self.assertIsNone(scheduler.next(0.0))
        self.assertFalse(scheduler.is_done())
        scheduler.ended("0", 1.0)
        self.assertTrue(scheduler.is_done())

    def test_no_piece_has_more_than_the_longest_budget(self):
        scheduler = Scheduler(slots=2, budget=0.25)
        scheduler.add(["0"])
        self.assertEqual(scheduler.next(0.0)[1], 0.25)

    def test_pieces_are_long(self):
        for scheduler in (Scheduler(slots=1), Scheduler(slots=4), Scheduler(slots=4, budget=2.0)):
            scheduler.add(["0"])
            scheduler.ended(scheduler.next(0.0)[0], 1.0, ["0-1", "0-2"])
            for _ in range(2):
                name, budget, pieces = scheduler.next(1.0)
                self.assertEqual((budget, pieces), (scheduler.budget, PIECES))
                scheduler.ended(name, 61.0)

    def begun(self, slots, pieces):
        """A scheduler with so many pieces that run, one begun each second."""
        scheduler = Scheduler(slots=slots)
        scheduler.add([str(number) for number in range(pieces + 1)])
        scheduler.ended(scheduler.next(0.0)[0], 0.0)
        for number in range(pieces):
            self.assertIsNotNone(scheduler.next(float(number)))
        return scheduler

    def test_while_slots_have_nothing_to_do_pieces_are_asked_to_end(self):
        scheduler = self.begun(slots=20, pieces=10)
        self.assertEqual(scheduler.to_end(100.0, 0), [])
        # Two pieces more come of each than they are, for five slots: those that have gone on for longest.
        asked = scheduler.to_end(100.0, 5)
        self.assertEqual([name for name, _ in asked], ["1", "2"])
        self.assertGreaterEqual(sum(pieces - 1 for _, pieces in asked), 5)
        self.assertGreaterEqual(scheduler.coming(), 5)
        # None is asked twice, nor one that has just begun.
        asked = scheduler.to_end(9.0 + SHORTEST / 2, 1000)
        self.assertEqual([name for name, _ in asked], ["3", "4", "5", "6", "7", "8", "9"])
        self.assertGreaterEqual(sum(pieces - 1 for _, pieces in asked), 1000)
        self.assertEqual([name for name, _ in scheduler.to_end(9.0 + SHORTEST, 1000)], ["10"])
        # What they leave is given out first.
        scheduler.ended("1", 20.0, ["1-1", "1-2"])
        self.assertEqual(scheduler.to_end(100.0, 1000), [])

    def test_those_with_the_largest_shares_are_asked_first(self):
        scheduler = Scheduler(slots=4)
        scheduler.add(["0"])
        scheduler.ended(scheduler.next(0.0)[0], 1.0, ["0-1", "0-2", "0-3"], shares=[0.1, 0.6, 0.3])
        while scheduler.next(1.0):
            pass
        self.assertEqual([name for name, _ in scheduler.to_end(9.0, 1)], ["0-2"])
        self.assertEqual([name for name, _ in scheduler.to_end(9.0, 4)], ["0-3", "0-1"])

    def test_those_with_the_largest_shares_begin_first(self):
        scheduler = Scheduler(slots=4)
        scheduler.add(["a", "b", "c", "d"], shares=[0.1, 0.3, 0.1, 0.5])
        self.assertEqual([scheduler.next(0.0)[0] for _ in range(3)], ["d", "b", "a"])
        # What was lost comes before all others.
        self.assertTrue(scheduler.lost("a"))
        scheduler.add(["e"], shares=[0.9])
        self.assertEqual([scheduler.next(0.0)[0] for _ in range(2)], ["a", "e"])

    def test_all_are_asked_to_end_at_the_end(self):
        scheduler = self.begun(slots=4, pieces=3)
        scheduler.to_end(100.0, 1)
        self.assertEqual([name for name, _ in scheduler.all_to_end()], ["2", "3"])
        self.assertEqual(scheduler.all_to_end(), [])

    def test_what_comes_to_little_gets_more_time(self):
        scheduler, now, took = Scheduler(slots=2), 0.0, SHORTEST
        scheduler.add(["0"])
        scheduler.ended(scheduler.next(now)[0], now, ["0-1"])
        for _ in range(8):
            name, budget, _ = scheduler.next(now)
            self.assertEqual(scheduler.to_end(now + 0.9 * took, 1), [])
            self.assertEqual([asked for asked, _ in scheduler.to_end(now + took, 1)], [name])
            self.assertGreaterEqual(budget, took)
            scheduler.ended(name, now + took, [name + "-1"], little=True)
            now, took = now + took, 2 * took
        name, *_ = scheduler.next(now)
        scheduler.ended(name, now + took, [name + "-1"])
        name, *_ = scheduler.next(now + took)
        self.assertEqual([asked for asked, _ in scheduler.to_end(now + took + SHORTEST, 1)], [name])

    def test_no_piece_is_asked_to_end_during_its_walk(self):
        scheduler = Scheduler(slots=4)
        scheduler.add(["0"])
        scheduler.ended(scheduler.next(0.0)[0], 1.0, ["0-1", "0-2"], walked=3.0)
        scheduler.next(1.0), scheduler.next(2.0)
        self.assertEqual(scheduler.to_end(1.0 + 3.0 * WALKS - 0.1, 2), [])
        self.assertEqual([name for name, _ in scheduler.to_end(1.0 + 3.0 * WALKS, 2)], ["0-1"])

    def test_the_walk_is_a_part_of_the_time(self):
        self.assertEqual(walk_of({"wall_s": 8.0, "instructions": 100, "led": {"instructions": 25}}), 2.0)
        self.assertEqual(walk_of({"wall_s": 8.0, "instructions": 0, "led": {"instructions": 0}}), 0.0)

    def test_it_is_little_to_walk_or_to_come_to_no_decision(self):
        def told(instructions, walked, ended, left):
            return {"instructions": instructions, "led": {"instructions": walked}, "open": left,
                    "paths": {"completed": ended, "late": 0}}

        self.assertTrue(has_done_little(told(100, 60, 3, {"1.work": 4}), 2))
        self.assertTrue(has_done_little(told(100, 0, 0, {"1.work": 1}), 1))
        self.assertFalse(has_done_little(told(100, 40, 0, {"1.work": 4}), 2))
        self.assertFalse(has_done_little(told(100, 40, 1, {"1.work": 2}), 2))

    def test_what_fails_is_tried_once_more_and_alone(self):
        scheduler = Scheduler(slots=4)
        scheduler.add(["bad", "good"])
        scheduler.next(0.0), scheduler.next(0.0)
        self.assertTrue(scheduler.failed("bad"))
        self.assertIsNone(scheduler.next(0.0), "good still runs")
        scheduler.ended("good", 0.0)
        scheduler.add(["good-1"])
        self.assertEqual(scheduler.next(0.0)[0], "good-1")
        scheduler.ended("good-1", 0.0)
        self.assertEqual(scheduler.next(0.0)[0], "bad")
        scheduler.add(["more"])
        self.assertIsNone(scheduler.next(0.0), "bad is alone")
        self.assertFalse(scheduler.failed("bad"))
        self.assertEqual(scheduler.next(0.0)[0], "more")

    def test_what_is_lost_is_given_out_again_at_once(self):
        scheduler = Scheduler(slots=2)
        scheduler.add(["a", "b"])
        for _ in range(LOSSES):
            self.assertEqual(scheduler.next(0.0)[0], "a")
            self.assertTrue(scheduler.lost("a"))
        # Now it may be what takes the nodes down.
        self.assertEqual(scheduler.next(0.0)[0], "a")
        self.assertTrue(scheduler.lost("a"))
        self.assertEqual(scheduler.next(0.0)[0], "b")
        scheduler.ended("b", 0.0)
        self.assertEqual(scheduler.next(0.0)[0], "a")
        self.assertFalse(scheduler.lost("a"))
        self.assertTrue(scheduler.is_done())


class Widths(unittest.TestCase):
    def test_the_driver_has_so_many_pieces_that_it_keeps_up(self):
        for slots, width in ((1, 1), (AT_ONCE, 1), (AT_ONCE + 1, 2), (10 * AT_ONCE, 10)):
            self.assertEqual(width_of([], smallest=32, slots=slots), width)
        self.assertEqual(width_of([], smallest=4, slots=10 * AT_ONCE), 4)
        self.assertEqual(with_width(["--search", "dfs"], 4), ["--search", "dfs", "--workers", "4"])

    def test_what_is_asked_for_is_so(self):
        for options in (["--workers", "3"], ["--workers=3"]):
            self.assertEqual(width_of(options, smallest=8, slots=8), 3)
            self.assertEqual(with_width(options, 3), options)

    def test_what_depends_on_the_order_has_one_process(self):
        for options in (["--max-tests", "5"], ["--max-tests=5"], ["--exit-on-error"]):
            self.assertEqual(width_of(options, smallest=8, slots=10 * AT_ONCE), 1)


class Stores(unittest.TestCase):
    def test_what_is_there_is_the_state(self):
        with tempfile.TemporaryDirectory() as room:
            store = Store.create(Path(room) / "store", {"program": "p.bc"}, b"BC")
            self.assertEqual(os.listdir(room), ["store"])
            works = {f"work/{number}.work": str(number).encode() for number in (1, 2, 10)}
            parts = store.keep("0", RESULTS | works)
            self.assertEqual(parts, ["0-1", "0-2", "0-10"])
            self.assertEqual(store.work("0-10"), b"10")
            self.assertIsNone(store.work("0"))
            self.assertEqual(store.keep("0-2", RESULTS), [])
            # A piece that was being written when all ended.
            (store.path / "pieces" / ".0-1").mkdir()
            again = Store(store.path)
            self.assertEqual(sorted(again.done()), ["0", "0-2"])
            again.keep("0-1", RESULTS | {"work/1.work": b"deep"})
            self.assertEqual(again.work("0-1-1"), b"deep")


    def test_names_stay_short_however_often_a_rest_is_divided(self):
        with tempfile.TemporaryDirectory() as room:
            store, name, names = Store.create(Path(room) / "store", {}, b"BC"), FIRST, []
            for depth in range(400):
                names.append(name)
                work = RESULTS | {"work/7.work": f"{depth}".encode()}
                work["summary.json"] = json.dumps({"open": {"7.work": depth}}).encode()
                parts = store.keep(name, work)
                self.assertEqual(of_parts(name, store.summary(name)["open"]), {parts[0]: depth})
                name, = parts
                self.assertEqual(store.work(name), f"{depth}".encode())
            self.assertEqual(sorted(store.done()), sorted(set(names)))
            self.assertLess(max(map(len, names)), 120)


class Coverages(unittest.TestCase):
    def test_it_grows_by_what_is_new(self):
        def told(instructions, branches):
            return json.dumps({"program": "p", "instructions": instructions, "branches": branches})

        coverage = Coverage()
        self.assertEqual(coverage.add(told([1, 2], [[5, 1]])), 2)
        self.assertTrue(coverage.changed)
        coverage.changed = False
        self.assertEqual(coverage.add(told([2], [[5, 1]])), 0)
        self.assertFalse(coverage.changed)
        self.assertEqual(coverage.add(told([3], [[5, 2]])), 1)
        self.assertTrue(coverage.changed)
        self.assertEqual(json.loads(coverage.text()),
                         {"program": "p", "instructions": [1, 2, 3], "branches": [[5, 3]]})
        piece = told([1, 3, 7], [[5, 2], [6, 1]])
        self.assertEqual(json.loads(beyond(piece, coverage.text())), json.loads(told([7], [[6, 1]])))
        self.assertEqual(coverage.add(beyond(piece, coverage.text())), 1)
        self.assertEqual(json.loads(beyond(piece, coverage.text())), json.loads(told([], [])))


class Summaries(unittest.TestCase):
    def test_figures_are_added_up_but_for_the_most_of_any(self):
        def told(stop, tests, peak, places, open_paths=None):
            summary = {"stop": stop, "tests": tests, "peak_rss_bytes": peak, "seed": 1,
                       "coverage": {"covered": 5, "instructions": 9}, "solver": {"layers": {"a": tests}},
                       "workers_cpu_s": [0.5],
                       "forks_by_resolution": [{"file": "a.c", "line": line, "reason": "r", "count": count}
                                               for line, count in places]}
            return summary | ({"open": open_paths} if open_paths else {})

        pieces = [told("time", 2, 70, [(1, 4)], {"1.work": 3}), told("finished", 3, 90, [(1, 1), (2, 6)])]
        both = joined(pieces, covered=7, whole=True)
        self.assertEqual(both, told("finished", 5, 90, [(2, 6), (1, 5)]) | {
            "coverage": {"covered": 7, "instructions": 9}, "workers_cpu_s": [1.0]})
        self.assertEqual(joined(pieces[:1], covered=5, whole=False)["stop"], "interrupted")

    def test_open_paths_are_no_ended_ones(self):
        left = without_open({"paths": {"limits": 12, "completed": 1}}, {"1.work": 4, "2.work": 6})
        self.assertEqual(left["paths"], {"limits": 2, "completed": 1})
        self.assertEqual(left["open"], {"1.work": 4, "2.work": 6})


class Running(unittest.TestCase):
    def test_errors_are_read_as_they_are_written(self):
        with tempfile.TemporaryDirectory() as room:
            errors = Errors(Path(room))
            self.assertEqual(errors.new(), [])
            with (Path(room) / "messages.txt").open("w") as messages:
                def write(text):
                    messages.write(text)
                    messages.flush()

                write("plat: output directory is \"x\"\nplat: ERROR: a.c:7: abort")
                self.assertEqual(errors.new(), [])
                write(" failure\nplat: NOTE: now ignoring this error at this location\n")
                self.assertEqual(errors.new(), ["a.c:7: abort failure"])
                write("plat: ERROR: b.c:1: first\nplat: ERROR: b.c:2: second\n")
                self.assertEqual(errors.new(), ["b.c:1: first", "b.c:2: second"])
                self.assertEqual(errors.new(), [])

    def test_what_plat_says_is_had(self):
        self.assertEqual(run_plat(["echo", "said"], None), "said\n")
        with self.assertRaisesRegex(PieceFailed, "plat ended with 3: why"):
            run_plat(["sh", "-c", "echo why >&2; exit 3"], None)

    def resident(self, body):
        made = Resident(["sh", "-c", "while read line; do " + body + "; done"], None)
        self.addCleanup(made.close)
        return made

    def test_pieces_are_told_one_by_one_and_errors_are_those_of_a_piece(self):
        plat, nothing = self.resident('echo "$line" >&2; echo ended ${line#--code=}'), lambda _: None
        plat.do(["--code=0"], 10, nothing)
        for code in (3, 4):
            with self.assertRaisesRegex(PieceFailed, f"^plat ended with {code}: --code={code}$") as failed:
                plat.do([f"--code={code}"], 10, nothing)
            self.assertEqual(failed.exception.code, code)
        self.assertTrue(plat.does(plat.command, plat.here))
        self.assertFalse(plat.does(plat.command, "elsewhere"))

    def test_a_piece_that_is_to_end_is_told(self):
        plat, looks = self.resident('read end; echo "$end" >&2; echo ended 5'), []

        def look(of):
            looks.append(of)
            if len(looks) == 2:
                of.end_piece()

        with self.assertRaisesRegex(PieceFailed, "plat ended with 5: end"):
            plat.do(["--budget", "1s"], 10, look)
        self.assertEqual(looks, [plat, plat])

    def test_what_does_not_end_is_given_up(self):
        plat = self.resident("cat")
        with self.assertRaisesRegex(PieceFailed, "has not ended after 1 s"):
            plat.do([], 1, lambda _: None)
        self.assertFalse(plat.does(plat.command, plat.here))

    def test_plat_itself_may_end(self):
        plat = self.resident("echo gone >&2; exit 7")
        with self.assertRaisesRegex(PieceFailed, "plat ended with 7: gone"):
            plat.do([], 10, lambda _: None)
        self.assertFalse(plat.does(plat.command, plat.here))


class Batches(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as room:
            (Path(room) / "a.bc").write_bytes(b"")
            (Path(room) / "suite.toml").write_text(text)
            return batch.read(Path(room) / "suite.toml")

    def test_options_of_all_come_before_those_of_one(self):
        programs = self.read(
            'max-time = "10min"\noptions = ["-x"]\n[[program]]\nbitcode = "a.bc"\n'
            '[[program]]\nname = "b"\nbitcode = "a.bc"\noptions = ["-y"]\nshare = 2\nmax-time = "1h"\n'
        )
        first, second = programs
        self.assertEqual((first["name"], first["options"], first["share"]), ("a", ["-x"], 1))
        self.assertEqual((second["name"], second["options"]), ("b", ["-x", "-y"]))
        self.assertEqual((first["max_time"], second["max_time"]), ("10min", "1h"))

    def test_mistakes_are_told_in_a_line(self):
        mistakes = {
            "": "no [[program]]",
            "[[program]]\nbitcode = 'none.bc'": "no such file",
            "[[program]]\nbitcode = 'a.bc'\nargs = []": "no key args",
            "[[program]]\nbitcode = 'a.bc'\n[[program]]\nbitcode = 'a.bc'": "two programs are a",
            "[[program]]\nbitcode = 'a.bc'\nname = '../a'": "the name of a directory",
            "[[program]]\nbitcode = 'a.bc'\nshare = 0": "share",
            "[[program]]\nbitcode = 'a.bc'\nmax-time = 'long'": "max-time is a span",
            "max-time = 10\n[[program]]\nbitcode = 'a.bc'": "max-time is a span",
            "[[program]": "suite.toml",
        }
        for text, said in mistakes.items():
            with self.assertRaises(SystemExit) as ended:
                self.read(text)
            self.assertIn(said, str(ended.exception))
            self.assertNotIn("\n", str(ended.exception))


class Words(unittest.TestCase):
    def test_an_interrupt_is_a_line_and_a_code(self):
        words = ["resume", "--plat", "true", "somewhere"]
        said = io.StringIO()
        with mock.patch.object(command, "explorations"), redirect_stderr(said), \
                mock.patch.object(command, "run", side_effect=KeyboardInterrupt), \
                self.assertRaises(SystemExit) as end:
            command.main(words)
        self.assertEqual(end.exception.code, 130)
        self.assertRegex(said.getvalue(), r"^plat-ray: interrupted: .*plat-ray resume DIR.*\n$")

    def test_options_of_the_stages_are_not_those_of_a_piece(self):
        words = ["--optimize", "--link-llvm-lib", "lib.bc", "--search", "bfs", "--libc-dir=x"]
        self.assertEqual(command.without_stages(words), ["--search", "bfs"])
        self.assertEqual(command.program_at(["--link-llvm-lib", "lib.bc", "prog.bc"]), 2)

    def test_spans_and_sizes(self):
        self.assertEqual([units.spans(text) for text in ("90", "90s", "2min", "1h")],
                         [90, 90, 120, 3600])
        self.assertEqual([units.sizes(text) for text in ("2G", "500M", "3")],
                         [2 << 30, 500 << 20, 3 << 20])


if __name__ == "__main__":
    unittest.main()
