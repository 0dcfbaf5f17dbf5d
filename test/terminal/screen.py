"""Runs a program on a pseudo-terminal, whose screen pyte draws as a user would see it."""

import fcntl
import os
import pathlib
import select
import signal
import struct
import sys
import termios
import time

import pyte

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE


class Screen:
    """A terminal with a program, until close(). The program is the leader of the session."""

    def __init__(self, arguments, columns=80, rows=24, environment=None, directory="."):
        self._drawn = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._drawn)
        self.written = b""
        usual = {"TERM": "xterm", "COLUMNS": "", "LINES": "", "NO_COLOR": "",
                 "LC_ALL": "C.UTF-8"}
        environment = {**os.environ, **usual, **(environment or {})}
        self._terminal, program_end = os.openpty()
        self._set_size(columns, rows)  # The program reads the size at its start.
        self.modes_before = self.modes()
        self._process = os.fork()
        if self._process == 0:
            os.login_tty(program_end)
            os.chdir(directory)
            os.execve(arguments[0], arguments, environment)
        os.close(program_end)

    def modes(self):
        """The modes of the terminal, as reported by stty."""
        return termios.tcgetattr(self._terminal)

    def press(self, keys):
        os.write(self._terminal, keys.encode())

    def signal(self, number):
        os.kill(self._process, number)

    def lines(self):
        """The text of the rows, without empty ones at the end."""
        return "\n".join(line.rstrip() for line in self._drawn.display).rstrip("\n")

    def cursor(self):
        return self._drawn.cursor.y, self._drawn.cursor.x

    def wait_for(self, wanted):
        """Waits for a screen that satisfies `wanted`: a text on it, or a function of its lines."""
        shows = wanted if callable(wanted) else lambda lines: wanted in lines
        end = time.monotonic() + PATIENCE
        while not shows(self.lines()):
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"it never showed {wanted!r}:\n{self.lines()}")
        return self.lines()

    def wait_for_end(self):
        """Waits for the end of the program and of its output. Returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self._read(end - time.monotonic()):
            pass
        _, status = os.waitpid(self._process, 0)
        self._process = None
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _set_size(self, columns, rows):
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, patience):
        if patience <= 0 or not select.select([self._terminal], [], [], patience)[0]:
            return False
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # All programs have closed the terminal.
            return False
        self.written += data
        self._stream.feed(data)
        return bool(data)
