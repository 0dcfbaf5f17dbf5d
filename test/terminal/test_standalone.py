"""`run --standalone` at a terminal."""

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
kubelet stand-in; type: help
lab.example.com/line: 3 units
+ lab.example.com/line  line1  Healthy
+ lab.example.com/line  line2  Healthy
+ lab.example.com/line  line10  Healthy
lab.example.com/link: 1 unit
+ lab.example.com/link  link0  Healthy
"""


class Standalone(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(RESOURCES)
        self.addCleanup(self.bench.__exit__)
        for name in ("line1", "line2", "line10", "link0"):
            self.bench.plug(f"/dev/bench/{name}")
        self.maxDiff = None

    def start(self, columns=80, status_socket="none"):
        command = self.bench.command("run", "--standalone", "--log-level", "error",
                                     "--status-socket", status_socket)
        screen = Screen(command, columns, 24, self.bench.environment(), self.bench.path)
        self.addCleanup(screen.close)
        screen.wait_for(lambda lines: "line10" in lines and "link0" in lines)
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

    def test_an_answer(self):
        screen = self.start()
        screen.press("list\r")
        self.shows(screen, START + """list
RESOURCE              UNIT    HEALTH
lab.example.com/line  line1   Healthy
lab.example.com/line  line2   Healthy
lab.example.com/line  line10  Healthy
lab.example.com/link  link0   Healthy""")

    def test_it_ends_and_the_terminal_is_as_before(self):
        for end in ("quit\r", "\x04", "\x03"):
            with self.subTest(end):
                screen = self.start()
                screen.press(end)
                self.assertEqual(screen.wait_for_end(), 0)
                self.assertEqual(screen.modes(), screen.modes_before)

    def test_a_signal_ends_it(self):
        screen = self.start()
        screen.press("half a li")
        screen.wait_for("half a li")
        screen.signal(signal.SIGTERM)
        self.assertEqual(screen.wait_for_end(), 0)


if __name__ == "__main__":
    unittest.main()
