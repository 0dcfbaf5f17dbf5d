"""Runs a computer in QEMU by plain emulation, so that it works on every host."""

import pathlib
import socket
import subprocess
import tempfile

from device_tree import write_device_tree
from initramfs import write_initramfs
from programs import needed_program

HERE = pathlib.Path(__file__).resolve().parent

CHANNELS = ("console", "control", "shell", "daemon")
USB_PORTS = 8
USB_CONTROLLER = "0000:00:10.0"  # Its PCI address.
NETWORK_ADAPTER = "0000:00:11.0"
CONTROLLERS = (1, 2)  # Controllers of the disk, each in the slot with its number.


def controller(number):
    """The properties of a controller. All controllers of the disk have the same serial."""
    return {"driver": "nvme", "id": f"controller{number}", "bus": f"slot{number}",
            "serial": "LAB", "subsys": "disk"}


class Emulator:
    """A running QEMU, until close() or the end of this process. `sockets` has the connections to
    its channels by name. A computer with 9p can mount the directory `tests` by the name "tests"."""

    def __init__(self, computer, kernel, userland, binary, tests):
        pairs = {name: socket.socketpair() for name in CHANNELS}
        self.sockets = {name: ours for name, (ours, _) in pairs.items()}
        numbers = {name: theirs.fileno() for name, (_, theirs) in pairs.items()}
        self._directory = tempfile.TemporaryDirectory(prefix="patchbay-lab-")
        directory = pathlib.Path(self._directory.name)
        write_initramfs(directory / "initramfs", kernel, userland, binary)
        boots = [
            "-no-reboot", "-kernel", kernel / "vmlinuz", "-initrd", directory / "initramfs",
            "-append", f"console={computer.console} quiet panic=-1 rdinit=/init",
        ]
        if computer.device_tree:
            tree = directory / "device_tree"
            write_device_tree(
                tree, lambda option: hardware(computer, option), HERE / computer.device_tree
            )
            boots += ["-dtb", tree]
        shared = directory_of("tests", tests) if "9p" in computer.modules else []
        self._process = subprocess.Popen(
            [needed_program("setpriv"), "--pdeathsig", "KILL", *hardware(computer), *boots,
             *channels(numbers), *shared],
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


def hardware(computer, *machine_options):
    return [
        needed_program(computer.emulator),
        "-machine", ",".join([computer.machine, *machine_options]), "-accel", "tcg",
        "-cpu", computer.cpu, "-smp", "2", "-m", str(computer.memory),
        "-nodefaults", "-no-user-config", "-display", "none",
        "-device", f"qemu-xhci,id=xhci,addr=10.0,p2={USB_PORTS},p3=1",
        "-device", "virtio-serial-pci",
        "-netdev", "socket,id=cable,listen=127.0.0.1:0",
        "-device", "e1000,netdev=cable,addr=11.0,romfile=",
        *(disk() if "nvme" in computer.modules else []),
    ]


def disk():
    """An NVMe disk with controllers that can be removed and added."""
    arguments = [
        "-device", "nvme-subsys,id=disk,nqn=lab",
        "-blockdev", "null-co,node-name=blocks,size=1048576,read-zeroes=on",
    ]
    for number in CONTROLLERS:
        address = f"{0x11 + number:x}.0"
        slot = f"pcie-root-port,id=slot{number},chassis={number},slot={number},addr={address}"
        driver, *properties = controller(number).items()
        options = ",".join([driver[1], *(f"{name}={value}" for name, value in properties)])
        arguments += ["-device", slot, "-device", options]
    return [*arguments, "-device", "nvme-ns,drive=blocks,bus=controller1,nsid=1,shared=on"]


def channels(numbers):
    """Arguments for the kernel's console, QEMU's control channel, and two serial lines."""
    arguments = []
    for name, number in numbers.items():
        arguments += ["-chardev", f"socket,id={name},fd={number}"]
    return arguments + [
        "-serial", "chardev:console",
        "-mon", "chardev=control,mode=control",
        "-device", "virtserialport,nr=1,chardev=shell",
        "-device", "virtserialport,nr=2,chardev=daemon",
    ]


def directory_of(name, path):
    return [
        "-fsdev", f"local,id={name},path={path},security_model=none,readonly=on",
        "-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}",
    ]
