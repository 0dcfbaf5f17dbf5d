"""A computer in QEMU, by plain emulation, so that it runs wherever this does."""

import pathlib
import socket
import subprocess
import tempfile

from initramfs import write_initramfs
from kernel import needed_program

CHANNELS = ("console", "control", "shell", "daemon")
USB_PORTS = 8
USB_CONTROLLER = "0000:00:10.0"  # Its PCI address.
NETWORK_ADAPTER = "0000:00:11.0"


class Emulator:
    """Runs until it is closed, and at most as long as this process. `sockets` has the ends of its
    channels, by their names."""

    def __init__(self, kernel, binary):
        pairs = {name: socket.socketpair() for name in CHANNELS}
        self.sockets = {name: ours for name, (ours, _) in pairs.items()}
        numbers = {name: theirs.fileno() for name, (_, theirs) in pairs.items()}
        self._directory = tempfile.TemporaryDirectory(prefix="patchbay-lab-")
        initramfs = pathlib.Path(self._directory.name, "initramfs")
        write_initramfs(initramfs, kernel, binary)
        self._process = subprocess.Popen(
            command_line(kernel / "vmlinuz", initramfs, numbers),
            pass_fds=numbers.values(), stdin=subprocess.DEVNULL,
        )
        for _, theirs in pairs.values():
            theirs.close()

    def close(self):
        self._process.kill()
        self._process.wait()
        for ours in self.sockets.values():
            ours.close()
        self._directory.cleanup()


def command_line(kernel, initramfs, numbers):
    """The channels: the kernel's console, QEMU's own control, and two lines into the computer."""
    arguments = [
        needed_program("setpriv"), "--pdeathsig", "KILL",
        needed_program("qemu-system-x86_64"), "-machine", "q35", "-accel", "tcg", "-cpu", "max",
        "-smp", "2", "-m", "256", "-nodefaults", "-no-user-config", "-display", "none",
        "-no-reboot", "-kernel", kernel, "-initrd", initramfs,
        "-append", "console=ttyS0 quiet panic=-1 rdinit=/init",
        "-device", f"qemu-xhci,id=xhci,addr=10.0,p2={USB_PORTS},p3=1",
        "-device", "virtio-serial-pci",
        "-netdev", "socket,id=cable,listen=127.0.0.1:0",
        "-device", "e1000,netdev=cable,addr=11.0,romfile=",
    ]
    for name, number in numbers.items():
        arguments += ["-chardev", f"socket,id={name},fd={number}"]
    return arguments + [
        "-serial", "chardev:console",
        "-mon", "chardev=control,mode=control",
        "-device", "virtserialport,nr=1,chardev=shell",
        "-device", "virtserialport,nr=2,chardev=daemon",
    ]
