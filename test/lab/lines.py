"""Sends and receives lines over a socket of the lab."""

import contextlib
import pathlib
import queue
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE


class Silence(AssertionError):
    """The expected line did not arrive."""


class Lines:
    """The lines of a socket. A separate thread reads and prints them. Everything else is for one
    thread."""

    def __init__(self, name, socket):
        self._name = name
        self._socket = socket
        self._queue = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, line):
        self._socket.sendall(line.encode() + b"\n")

    def take(self, deadline, what):
        """Waits for the next line and returns it."""
        try:
            line = self._queue.get(timeout=max(0, deadline - time.monotonic()))
        except queue.Empty:
            raise Silence(f"{self._name}: no {what} within {PATIENCE} s") from None
        if line is None:
            raise Silence(f"{self._name}: no {what}: the machine has ended")
        return line

    def until(self, wanted, what):
        """Waits for a line that satisfies `wanted`. Returns all lines up to it."""
        deadline = time.monotonic() + PATIENCE
        lines = []
        while not lines or not wanted(lines[-1]):
            lines.append(self.take(deadline, what))
        return lines

    def forget(self):
        """Skips the lines that have arrived so far."""
        while not self._queue.empty():
            self.take(time.monotonic(), "line")

    def _read(self):
        with (
            contextlib.suppress(OSError),  # The peer ended during the write.
            self._socket.makefile(encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            for line in file:
                line = line.rstrip("\r\n")
                print(f"{self._name}| {line}", flush=True)
                self._queue.put(line)
        self._queue.put(None)
