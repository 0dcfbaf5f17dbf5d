"""Runs Patchbay in the lab, with its stand-in for the kubelet."""

import json
import re
import time

from lines import PATIENCE

CONFIG = "/tmp/lab.yaml"
CHANGE = re.compile(r"([-+~]) (\S+)  (\S+)(?:  (Healthy|Unhealthy))?")
REFUSAL = re.compile(r"[A-Z_]+: .*")


class Refused(Exception):
    """The daemon refused a request of the kubelet."""


class Daemon:
    """Runs `patchbay run --standalone` until close(). Its two output streams are combined."""

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
        """Ends the daemon and expects a normal exit."""
        self._machine.run("kill $daemon && wait $daemon")
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
        return json.loads(self._call("allocate", resource, *units))

    def start(self, resource, *units):
        """Calls PreStartContainer for a container with these units."""
        self._call("start", resource, *units)

    def _call(self, *words):
        answer = self._machine.run(f"plugin_call /tmp {' '.join(words)} || true")
        if REFUSAL.fullmatch(answer):
            raise Refused(answer)
        return answer

    def _hear(self, deadline, what):
        """Takes the next line of the output, and records the change that it reports."""
        line = self._lines.take(deadline, what)
        if change := CHANGE.fullmatch(line):
            sign, resource, unit, health = change.groups()
            if sign == "-":
                del self._units[resource, unit]
            else:
                self._units[resource, unit] = health
            self._changes.append(line)
