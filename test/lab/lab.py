"""Common code of the lab's tests: a machine, the daemon on it, and the examples."""

import atexit
import os
import pathlib
import unittest

from computer import COMPUTERS
from daemon import Daemon
from emulator import USB_CONTROLLER
from fetch import fetch
from machine import Machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The architecture of the tested binary, and therefore of the computer.
ARCHITECTURE = os.environ.get("PATCHBAY_ARCHITECTURE") or "amd64"
COMPUTER = COMPUTERS[ARCHITECTURE]
BUILD = ROOT / ("build/release" if ARCHITECTURE == "amd64" else f"build/release-{ARCHITECTURE}")
DIRECTORY = pathlib.Path(os.environ.get("PATCHBAY_LAB") or BUILD / "test/lab")
BINARY = pathlib.Path(os.environ.get("PATCHBAY_BINARY") or BUILD / "src/patchbay")
TESTS = BINARY.parents[1] / "test"

SERIAL_EXAMPLE = "ftdi-serial.yaml"
RESET_EXAMPLE = "ftdi-reset.yaml"
UART = "lab.example.com/uart"
UART_AT_PORT = "lab.example.com/uart-at-port"


def example(name):
    return (ROOT / "examples/configs" / name).read_text()


def changed(text, old, new):
    """The configuration with one of its lines replaced."""
    if text.count(old) != 1:
        raise AssertionError(f"'{old}' stands {text.count(old)} times in the example")
    return text.replace(old, new)


def short_linger(config):
    """The configuration with a short linger, in which the list with the lost unit is still sent."""
    domain = "  domain: lab.example.com\n"
    return changed(config, domain, f"{domain}  linger: 5s\n")


def at_port(number):
    """The id of a plugged device without a serial."""
    return f"{USB_CONTROLLER}-usbv2-{number}"


class LabTest(unittest.TestCase):
    """One machine serves all tests, because it takes seconds to boot. At the start of a test
    nothing is plugged, and no daemon runs."""

    _shared = None

    def setUp(self):
        if LabTest._shared is None:
            LabTest._shared = Machine(COMPUTER, *fetch(DIRECTORY, COMPUTER), BINARY, TESTS)
            atexit.register(LabTest.discard)
        self.machine = LabTest._shared
        self.addCleanup(self._in_order, self._tidy)

    @staticmethod
    def discard():
        if LabTest._shared:
            LabTest._shared.close()
        LabTest._shared = None

    def run_daemon(self, config, options=""):
        daemon = Daemon(self.machine, config, options)
        self.addCleanup(self._in_order, daemon.close)
        return daemon

    def afterwards(self, command):
        """Undoes the test's changes of the machine before the adapters are unplugged."""
        self.addCleanup(self._in_order, lambda: self.machine.run(command))

    def hold_open(self, node):
        """Opens the node and keeps it open, like a container that uses it."""
        self.machine.run(f"exec 3<>{node}")
        self.afterwards("exec 3>&-")

    def node_behind(self, path):
        return self.machine.run(f"test -c {path} && readlink -f {path}")

    def _tidy(self):
        self.machine.unplug_all()
        self.machine.run("udevadm settle")
        self.machine.console.forget()

    def _in_order(self, end):
        """Runs `end`. If that fails, discards the machine, so that no other test uses it."""
        if LabTest._shared is not self.machine:
            return
        try:
            end()
        except Exception:
            LabTest.discard()
            raise
