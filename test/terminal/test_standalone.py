"""Tests `run --standalone` on a terminal."""

import subprocess
import unittest

from bench import Bench, binary
from screen import Screen

RESOURCES = """  - name: line
    match: {glob: /dev/bench/line*}
    id: $(name)
    envs: {LINES: $(name)}
"""


class Standalone(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(RESOURCES)
        self.addCleanup(self.bench.__exit__)
        self.bench.plug("/dev/bench/line1")

    def start(self, columns=80, status_socket="none"):
        command = self.bench.command("run", "--standalone", "--log-level", "error",
                                     "--status-socket", status_socket)
        screen = Screen(command, columns, 24, self.bench.environment(), self.bench.path)
        self.addCleanup(screen.close)
        screen.wait_for("line1  Healthy")
        return screen

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

    def test_it_ends_and_the_terminal_is_as_before(self):
        screen = self.start()
        screen.press("\x03")
        self.assertEqual(screen.wait_for_end(), 0)
        self.assertEqual(screen.modes(), screen.modes_before)


if __name__ == "__main__":
    unittest.main()
