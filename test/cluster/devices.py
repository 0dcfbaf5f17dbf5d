"""Plugs and unplugs kernel devices: loop devices with numbers that nothing else uses.

All machines have the same kernel, so each test removes its devices by number.
"""

import contextlib
import fcntl
import os
import pathlib
import subprocess
import time

FIRST = 910
ADD, REMOVE = 0x4C80, 0x4C81  # LOOP_CTL_ADD, LOOP_CTL_REMOVE of <linux/loop.h>


def _control(request: int, number: int) -> None:
    with open("/dev/loop-control", "rb") as control:
        fcntl.ioctl(control, request, number)


class Disk:
    """A block device /dev/loopN that begins with its own name."""

    def __init__(self, number: int, directory: pathlib.Path):
        self.name = f"loop{number}"
        self._number = number
        self._file = directory / f"{self.name}.img"

    def exists(self) -> bool:
        return pathlib.Path("/sys/block", self.name).exists()

    def is_plugged(self) -> bool:
        """Whether the disk exists with its file. A program that opens the node of a removed disk
        makes the kernel create an empty one."""
        return pathlib.Path("/sys/block", self.name, "loop/backing_file").exists()

    def plug(self, mebibytes: int = 1) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with open(self._file, "wb") as file:
            file.write(f"{self.name}\n".encode())
            file.truncate(mebibytes << 20)
        with contextlib.suppress(FileExistsError):
            _control(ADD, self._number)
        subprocess.run(["losetup", f"/dev/{self.name}", self._file], check=True)

    def unplug(self) -> None:
        if not self.exists():
            return
        detach = ["losetup", "--detach", f"/dev/{self.name}"]
        subprocess.run(detach, check=False, capture_output=True)
        deadline = time.monotonic() + 10
        while True:
            try:
                return _control(REMOVE, self._number)
            except OSError:  # EBUSY, while udevd reads it
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def number(self) -> str:
        at = os.stat(f"/dev/{self.name}").st_rdev
        return f"{os.major(at)}:{os.minor(at)}"


class Disks:
    """Six slots for disks; `plugged` of them are filled at the start."""

    def __init__(self, directory: pathlib.Path):
        self.all = [Disk(FIRST + index, directory) for index in range(6)]

    def __getitem__(self, index: int) -> Disk:
        return self.all[index]

    def reset(self, plugged: int) -> None:
        for index, disk in enumerate(self.all):
            if index >= plugged:
                disk.unplug()
            elif not disk.is_plugged():
                disk.plug()


class NumaNode:
    """A PCI function with a NUMA node, which root can set in the kernel."""

    def __init__(self):
        functions = sorted(pathlib.Path("/sys/bus/pci/devices").iterdir())
        if not functions:
            raise RuntimeError("this machine has no PCI function that could be at a NUMA node")
        self.address = functions[-1].name
        self._file = functions[-1] / "numa_node"
        self._before = self._file.read_text().strip()

    def set(self, node: int) -> None:
        self._file.write_text(f"{node}")

    def restore(self) -> None:
        self._file.write_text(self._before)
