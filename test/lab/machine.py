"""The machine in the lab, to whose USB ports adapters can be plugged."""

import base64
import re
from dataclasses import dataclass

from emulator import Emulator, controller
from lines import Lines
from qmp import Qmp

# The kernel's message about an adapter at a port.
ATTACHED = r"usb 1-{}: FTDI USB Serial Device converter now attached to (ttyUSB\d+)"
DETACHED = r"ftdi_sio 1-{}:1.0: device disconnected"


@dataclass
class Plugged:
    port: int
    line: str  # QEMU's name of the adapter's other end, to which nothing is connected.


class Machine:
    """A running machine, until close(). For one thread."""

    def __init__(self, computer, kernel, userland, binary, tests):
        self._plugged = {}
        self._count = 0
        self._emulator = Emulator(computer, kernel, userland, binary, tests)
        sockets = self._emulator.sockets
        try:
            self.console = Lines("console", sockets["console"])
            self.daemon = Lines("patchbay", sockets["daemon"])
            self._shell = Lines("shell", sockets["shell"])
            self._qmp = Qmp(sockets["control"])
            self._shell.until(lambda line: line == "up", "sign that it has booted")
        except BaseException:
            self.close()
            raise

    def close(self):
        self._emulator.close()

    def run(self, command):
        """The output of a shell command in the machine, which must succeed."""
        self._shell.send(command)
        *printed, end = self._shell.until(
            lambda line: line.startswith("ended "), f"end of {command}"
        )
        if end != "ended 0":
            raise AssertionError(f"{command}: {end}\n" + "\n".join(printed))
        return "\n".join(printed).rstrip("\n")

    def write(self, path, text):
        encoded = base64.b64encode(text.encode()).decode()
        self.run(f"echo {encoded} | base64 -d >{path}")

    def plug(self, name, port, serial=""):
        """Plugs a serial adapter of FTDI; an empty serial means none. Returns its node after the
        kernel has made it."""
        self.push_in(name, port, serial)
        return "/dev/" + self.kernel_says(ATTACHED.format(port))[1]

    def unplug(self, name):
        """Unplugs an adapter and waits until the kernel has noticed."""
        port = self._plugged[name].port
        self.pull_out(name)
        self.kernel_says(DETACHED.format(port))

    def unplug_all(self):
        for name in list(self._plugged):
            self.unplug(name)

    def push_in(self, name, port, serial=""):
        """As plug(), but without waiting."""
        self._count += 1
        plugged = Plugged(port, f"line{self._count}")
        self._qmp.order("chardev-add", id=plugged.line, backend={"type": "null", "data": {}})
        self._qmp.order(
            "device_add", driver="usb-serial", id=name, bus="xhci.0", port=str(port),
            serial=serial, chardev=plugged.line, **{"always-plugged": True},
        )
        self._plugged[name] = plugged

    def pull_out(self, name):
        """As unplug(), but without waiting."""
        self._qmp.order("device_del", id=name)
        self._qmp.wait_for("DEVICE_DELETED", device=name)
        self._qmp.order("chardev-remove", id=self._plugged.pop(name).line)

    def remove_controller(self, number):
        """Removes a controller of the disk."""
        self._qmp.order("device_del", id=f"controller{number}")
        self._qmp.wait_for("DEVICE_DELETED", device=f"controller{number}")

    def add_controller(self, number):
        self._qmp.order("device_add", **controller(number))

    def kernel_says(self, pattern):
        """Waits for a line of the kernel's console that matches the pattern. Returns the match."""
        heard = self.console.until(re.compile(pattern).search, f"line with {pattern}")
        return re.search(pattern, heard[-1])
