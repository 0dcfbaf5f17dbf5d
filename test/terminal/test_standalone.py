"""`run --standalone` at a terminal: a prompt, a history, completion, and lists above the prompt."""

import signal
import subprocess
import unittest

from bench import Bench, binary
from screen import Screen

RESOURCES = """  - name: line
    match: {glob: /dev/bench/line*}
    id: $(name)
    envs: {LINES: $(name)}
  - name: link
    match: {glob: /dev/bench/link*}
    id: $(name)
    envs: {LINKS: $(name)}
"""
START = """\
kubelet stand-in; type: help (Tab completes)
lab.example.com/line: 3 units
+ lab.example.com/line  line1  Healthy
+ lab.example.com/line  line2  Healthy
+ lab.example.com/line  line10  Healthy
lab.example.com/link: 1 unit
+ lab.example.com/link  link0  Healthy
patchbay>"""


class Standalone(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(RESOURCES)
        self.addCleanup(self.bench.__exit__)
        for name in ("line1", "line2", "line10", "link0"):
            self.bench.plug(f"/dev/bench/{name}")
        self.maxDiff = None

    def start(self, columns=80, rows=24, level="error", status_socket="none"):
        command = self.bench.command("run", "--standalone", "--log-level", level,
                                     "--status-socket", status_socket)
        screen = Screen(command, columns, rows, self.bench.environment(),
                        self.bench.path)
        self.addCleanup(screen.close)
        screen.wait_for(lambda lines: "line10" in lines and "link0" in lines)
        screen.wait_for(lambda lines: lines.endswith("patchbay>"))
        return screen

    def shows(self, screen, expected):
        """The kubelet decides which of two resources is listed first."""
        screen.wait_for(lambda lines: lines.endswith(expected.splitlines()[-1]))
        lines = screen.lines().splitlines()
        line, link = (lines.index(f"lab.example.com/{name}: {count}")
                      for name, count in (("line", "3 units"), ("link", "1 unit")))
        if link < line:
            lines[link:line + 4] = lines[line:line + 4] + lines[link:line]
        self.assertEqual("\n".join(lines), expected)

    def test_it_says_which_command_shows_its_status(self):
        socket = f"{self.bench.path}/s"
        first = self.start(columns=200, status_socket=socket)
        self.assertEqual(first.lines().splitlines()[0],
                         f"in another terminal: patchbay status --status-socket {socket}")
        second = self.start(columns=200, status_socket=socket)
        self.assertEqual(second.lines().splitlines()[0],
                         f"status socket {socket}: in use by another instance, which `patchbay "
                         "status` shows; start this one with --status-socket PATH")
        said = subprocess.run([binary(), "status", "--status-socket", socket],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn(f", from {self.bench.config}\n", said)

    def test_lists_stand_above_the_prompt(self):
        screen = self.start()
        screen.press("allocate li")
        screen.wait_for("patchbay> allocate li")
        self.bench.plug("/dev/bench/line3")
        screen.wait_for("+ lab.example.com/line  line3")
        self.shows(screen, START.replace(
            "\npatchbay>", "\n+ lab.example.com/line  line3  Healthy\npatchbay> allocate li"))
        self.assertEqual(screen.cursor(), (8, 21))

    def test_an_answer(self):
        screen = self.start()
        screen.press("list\r")
        screen.wait_for("RESOURCE")
        self.shows(screen, START + """ list
RESOURCE              UNIT    HEALTH
lab.example.com/line  line1   Healthy
lab.example.com/line  line2   Healthy
lab.example.com/line  line10  Healthy
lab.example.com/link  link0   Healthy
patchbay>""")

    def test_words_and_ids_are_completed(self):
        screen = self.start()
        screen.press("pre\t")
        screen.wait_for("> prefer")
        screen.press("l\t")
        screen.wait_for(lambda lines: lines.endswith("> prefer lin"))
        screen.press("\t")
        screen.wait_for("line  link\n")
        screen.press("e 1 line1\t")
        screen.wait_for("line1  line10\n")
        screen.press("0\t")
        self.shows(screen, START.replace("patchbay>", """\
line  link
line1  line10
patchbay> prefer line 1 line10"""))

    def test_history(self):
        screen = self.start()
        screen.press("nonsense\r")
        screen.wait_for("unknown command 'nonsense'")
        screen.press("\x1b[A")
        screen.wait_for(lambda lines: lines.endswith("patchbay> nonsense"))
        screen.press("\x7f\x7f!\r")
        screen.wait_for("unknown command 'nonsen!'")
        screen.press("\x1b[A\x1b[A")
        self.shows(screen, START + """ nonsense
unknown command 'nonsense'; type: help
patchbay> nonsen!
unknown command 'nonsen!'; type: help
patchbay> nonsense""")

    def test_a_line_longer_than_the_terminal(self):
        screen = self.start(40, 20)
        screen.press("allocate line " + "x" * 40)
        screen.wait_for("x" * 24)
        self.bench.plug("/dev/bench/line3")
        screen.wait_for("line3")
        self.shows(screen, START.replace("kubelet stand-in; type: help (Tab completes)",
                                         "kubelet stand-in; type: help (Tab comple\ntes)")
                   .replace("\npatchbay>", "\n+ lab.example.com/line  line3  Healthy\n"
                            "patchbay> allocate line xxxxxxxxxxxxxxxx\nxxxxxxxxxxxxxxxxxxxxxxxx"))

    def test_half_a_key_keeps_nothing_waiting(self):
        screen = self.start()
        screen.press("\x1b")
        self.bench.plug("/dev/bench/line3")
        screen.wait_for("+ lab.example.com/line  line3")
        screen.press("\x12li")  # A search in the history.
        self.bench.plug("/dev/bench/line4")
        screen.wait_for("+ lab.example.com/line  line4")

    def test_log_lines_stand_above_the_prompt(self):
        screen = self.start(120, 30, "info")
        self.bench.plug("/dev/bench/line3")
        screen.wait_for("unit offered resource=lab.example.com/line unit=line3")
        screen.wait_for("+ lab.example.com/line  line3")
        screen.wait_for(lambda lines: lines.endswith("\npatchbay>"))
        self.assertEqual(screen.lines().count("patchbay>"), 1)

    def test_it_ends_and_the_terminal_is_as_before(self):
        for end in ("quit\r", "\x04", "\x03"):
            with self.subTest(end):
                screen = self.start()
                self.assertNotEqual(screen.modes(), screen.modes_before)
                screen.press(end)
                self.assertEqual(screen.wait_for_end(), 0)
                self.assertEqual(screen.modes(), screen.modes_before)
                self.assertFalse(screen.lines().endswith("patchbay>"))
                self.assertEqual(screen.cursor()[1], 0)

    def test_a_signal_ends_it(self):
        screen = self.start()
        screen.press("half a li")
        screen.wait_for("half a li")
        screen.signal(signal.SIGTERM)
        self.assertEqual(screen.wait_for_end(), 0)
        self.assertEqual(screen.modes(), screen.modes_before)

    def test_a_dumb_terminal_has_no_prompt(self):
        command = self.bench.command("run", "--standalone", "--log-level", "error")
        with Screen(command, environment={**self.bench.environment(), "TERM": "dumb"},
                    directory=self.bench.path) as screen:
            screen.wait_for("link0")
            screen.press("quit\r")
            self.assertEqual(screen.wait_for_end(), 0)
            self.assertNotIn("patchbay>", screen.lines())
            self.assertIn("kubelet stand-in; type: help", screen.lines())


if __name__ == "__main__":
    unittest.main()
