"""Patchbay in the lab, with its kubelet stand-in."""

import json
import re
import time

from lines import PATIENCE

CONFIG = "/tmp/lab.yaml"
LOG = re.compile(r"\d{4}-\d\d-\d\dT.*")
FIRST_LIST = re.compile(r"\S+: \d+ units?")
CHANGE = re.compile(r"([-+~]) (\S+)  (\S+)(?:  (Healthy|Unhealthy))?")
REFUSAL = re.compile(r"[A-Z_]+: .*")


class Refused(Exception):
    """The daemon refused a request of the kubelet."""


class Daemon:
    """`patchbay run --standalone`, until it is closed. Its two streams are combined."""

    def __init__(self, machine, config, options=""):
        self._machine = machine
        self._lines = machine.daemon
        self._units = {}
        self._changes = []  # Changes that no test has checked yet.
        machine.write(CONFIG, config)
        machine.run(
            f"patchbay run --standalone --config {CONFIG} {options}"
            " 0<>/dev/vport0p2 1>&0 2>&0 & daemon=$!"
        )

    def close(self):
        """Ends it and expects a normal exit."""
        self._lines.send("quit")
        self._machine.run("wait $daemon")
        self._lines.forget()

    def expect_units(self, expected):
        """Waits until the kubelet's lists are {(resource, unit): health}."""
        deadline = time.monotonic() + PATIENCE
        while self._units != expected:
            self._hear(deadline, f"list {expected}")
        self._changes.clear()

    def expect_changes(self, *expected):
        """Waits for the next changes of the kubelet's lists: exactly these."""
        deadline = time.monotonic() + PATIENCE
        while len(self._changes) < len(expected):
            self._hear(deadline, f"changes {expected}")
        changes = tuple(self._changes[:len(expected)])
        del self._changes[:len(expected)]
        if changes != expected:
            raise AssertionError(f"expected the changes {expected}, got {changes}")

    def allocate(self, resource, *units):
        """The allocation of a container with these units."""
        lines = self._answer(f"allocate {resource} {' '.join(units)}", lambda line: line == "}")
        return json.loads("".join(lines))

    def start(self, resource, *units):
        """A container with these units is about to start."""
        (answer,) = self._answer(f"start {resource} {' '.join(units)}", lambda line: True)
        if answer != f"ready to start: {resource} {' '.join(units)}":
            raise AssertionError(f"not an answer to start: {answer}")

    def _answer(self, command, is_end):
        self._lines.send(command)
        deadline = time.monotonic() + PATIENCE
        lines = []
        while not lines or not is_end(lines[-1]):
            line = self._hear(deadline, f"answer to {command}")
            if line and REFUSAL.fullmatch(line):
                raise Refused(line)
            if line:
                lines.append(line)
        return lines

    def _hear(self, deadline, what):
        """The next line, if it belongs to an answer."""
        line = self._lines.take(deadline, what)
        if change := CHANGE.fullmatch(line):
            sign, resource, unit, health = change.groups()
            if sign == "-":
                del self._units[resource, unit]
            else:
                self._units[resource, unit] = health
            self._changes.append(line)
            return None
        return None if LOG.fullmatch(line) or FIRST_LIST.fullmatch(line) else line
