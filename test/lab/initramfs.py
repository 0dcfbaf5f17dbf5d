"""The initial file system of the lab's machine: busybox, udevd with its rules for serial lines, and
the binary under test."""

import pathlib

from archive import Archive

HERE = pathlib.Path(__file__).resolve().parent
RULES = "/lib/udev/rules.d"
RULE_FILES = ("50-udev-default.rules", "60-serial.rules")


def add_program(archive, userland, source, path):
    archive.file(path, pathlib.Path(source).read_bytes(), executable=True)
    for library, found in userland.libraries_of(source):
        archive.file(library, found.read_bytes(), executable=True)


def add_udev(archive, userland):
    add_program(archive, userland, userland.program("udevadm"), "/bin/udevadm")
    archive.link("/lib/systemd/systemd-udevd", "/bin/udevadm")
    for name in RULE_FILES:
        path = f"{RULES}/{name}"
        archive.file(path, userland.path(path).read_bytes())
    groups = userland.path("/usr/share/base-passwd/group.master")
    archive.file("/etc/group", groups.read_bytes())
    archive.file("/etc/passwd", b"root:*:0:0:root:/:/bin/sh\n")


def add_host_device(archive, userland):
    """Adds the CNI plugin that moves a network interface into a Pod."""
    plugin = userland.path("/usr/lib/cni/host-device")
    add_program(archive, userland, plugin, "/bin/host-device")


def write_initramfs(path, kernel, userland, binary):
    with open(path, "wb") as file:
        archive = Archive(file)
        for name in ("proc", "sys", "dev", "run", "tmp"):
            archive.directory(f"/{name}")
        # busybox is static, so it needs no libraries.
        archive.file("/bin/busybox", userland.program("busybox").read_bytes(), executable=True)
        add_udev(archive, userland)
        add_host_device(archive, userland)
        add_program(archive, userland, binary, "/bin/patchbay")
        add_program(archive, userland, binary.parents[1] / "test/fake/plugin_call",
                    "/bin/plugin_call")
        archive.file("/init", (HERE / "init.sh").read_bytes(), executable=True)
        for module in kernel.iterdir():
            if module.name != "vmlinuz":
                archive.file(f"/modules/{module.name}", module.read_bytes())
        archive.close()
