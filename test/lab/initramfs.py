"""What the machine in the lab boots into: busybox, udevd with its rules for serial lines, and the
binary under test. All of it comes from this machine."""

import pathlib
import re

from archive import Archive
from kernel import Unavailable, needed_program, output_of

HERE = pathlib.Path(__file__).resolve().parent
RULES = pathlib.Path("/lib/udev/rules.d")
RULE_FILES = ("50-udev-default.rules", "60-serial.rules")
GROUPS = pathlib.Path("/usr/share/base-passwd/group.master")


def libraries_of(program):
    """Paths of the shared libraries that the program is loaded with, and of the loader."""
    return re.findall(r"(/\S+) \(0x", output_of(["ldd", program]))


def add_program(archive, source, path):
    archive.file(path, pathlib.Path(source).read_bytes(), executable=True)
    for library in libraries_of(source):
        archive.file(library, pathlib.Path(library).read_bytes(), executable=True)


def add_busybox(archive):
    archive.file("/bin/busybox", pathlib.Path(needed_program("busybox")).read_bytes(), True)


def add_udev(archive):
    if not (RULES / RULE_FILES[0]).exists():
        raise Unavailable("there is no udev: run scripts/setup --test")
    add_program(archive, needed_program("udevadm"), "/bin/udevadm")
    archive.link("/lib/systemd/systemd-udevd", "/bin/udevadm")
    for name in RULE_FILES:
        archive.file(f"/lib/udev/rules.d/{name}", (RULES / name).read_bytes())
    archive.file("/etc/group", GROUPS.read_bytes())
    archive.file("/etc/passwd", b"root:*:0:0:root:/:/bin/sh\n")


def add_host_device(archive):
    """The CNI plugin that moves a network interface into a Pod."""
    plugin = pathlib.Path("/usr/lib/cni/host-device")
    if not plugin.exists():
        raise Unavailable(f"there is no {plugin}: run scripts/setup --test")
    add_program(archive, plugin, "/bin/host-device")


def write_initramfs(path, kernel, binary):
    with open(path, "wb") as file:
        archive = Archive(file)
        for name in ("proc", "sys", "dev", "run", "tmp"):
            archive.directory(f"/{name}")
        add_busybox(archive)
        add_udev(archive)
        add_host_device(archive)
        add_program(archive, binary, "/bin/patchbay")
        archive.file("/init", (HERE / "init.sh").read_bytes(), executable=True)
        for module in kernel.iterdir():
            if module.name != "vmlinuz":
                archive.file(f"/modules/{module.name}", module.read_bytes())
        archive.close()
