"""Makes a host from a machine's description, and runs programs on it.

The host is a directory for chroot. Its /sys, /dev and /run contain only the machine's data. In all
other directories, the machine's files are beside links to this host's files. The links lead into a
bind mount of this host's root, in a namespace that ends with this program. Requires root.
"""

import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

OWN = ("dev", "run", "sys")
NODES = {
    "null": "c 1:3", "zero": "c 1:5", "full": "c 1:7", "random": "c 1:8", "urandom": "c 1:9",
}
# `exec` keeps the shell's process id, by which a sanitizer finds its process in /proc.
ENTER = """
root=$1 directory=$2
shift 2
mount --rbind / "$root/.host" || exit
[ -L "$root/proc" ] || ln -s "/.host/proc/$$" "$root/proc/$$"
exec chroot "$root" env --chdir="$directory" "$@"
"""


class Host:
    """A host that exists until close(). For one thread."""

    def __init__(self, machine):
        self._directory = tempfile.TemporaryDirectory(prefix="patchbay-host-")
        self._root = pathlib.Path(self._directory.name)
        for name in (".host", *OWN):
            (self._root / name).mkdir()
        self._fill(self._root, pathlib.Path("/"))
        for name, number in {**NODES, **machine.nodes}.items():
            self._make_node(name, number)
        for name in ("data", "tags"):
            (self._root / "run/udev" / name).mkdir(parents=True)
        (self._root / "run/udev/control").touch()
        for device in machine.devices.values():
            self._add(device)
        for device in machine.devices.values():
            self._link_parent(device, machine)
        for path, content in machine.files.items():
            self._write(self._place(path), content)
        for path, content in machine.programs.items():
            place = self._place(path)
            self._write(place, content)
            place.chmod(0o755)
        for path in machine.sockets:
            place = self._place(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.mknod(place, stat.S_IFSOCK | 0o600)
        self._listeners = [listen(*address) for address in machine.addresses]

    def close(self):
        for listener in self._listeners:
            listener.close()
        self._directory.cleanup()

    def run(self, arguments, directory, environment):
        """Runs a program on the host. Its standard error is part of its output."""
        # Without this variable, libudev accepts only a real sysfs at /sys.
        environment = {**os.environ, "SYSTEMD_DEVICE_VERIFY_SYSFS": "0", **environment}
        return subprocess.run(
            ["unshare", "--mount", "--propagation", "private",
             "sh", "-c", ENTER, "sh", self._root, directory, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, timeout=PATIENCE, env=environment,
        )

    def _add(self, device):
        directory = self._sys(device.path)
        directory.mkdir(parents=True, exist_ok=True)
        kind = "bus" if device.on_bus else "class"
        home = f"/{kind}/{device.subsystem}"
        self._link(directory / "subsystem", self._sys(home))
        members = self._sys(home) / "devices" if kind == "bus" else self._sys(home)
        self._link(members / device.name, directory)
        if device.driver:
            self._link(directory / "driver", self._sys(f"{home}/drivers/{device.driver}"))
        for name, value in device.attributes.items():
            self._write(directory / name, value + "\n")
        for name, target in device.links.items():
            self._link(directory / name, self._sys(target))
        if device.node:
            self._add_node(device, directory)
        if device.index:
            self._write(directory / "ifindex", device.index + "\n")
        self._write(directory / "uevent", uevent_of(device))
        self._add_record(device)

    def _add_node(self, device, directory):
        kind, number = device.number.split()
        self._make_node(device.node, device.number)
        self._write(directory / "dev", number + "\n")
        self._link(self._sys(f"/dev/{'block' if kind == 'b' else 'char'}") / number, directory)
        for link in device.devlinks:
            # If two devices claim the same link, the later one gets it. udev gives it to either.
            (self._root / "dev" / link).unlink(missing_ok=True)
            self._link(self._root / "dev" / link, self._root / "dev" / device.node)

    def _add_record(self, device):
        """Writes udev's record of the device, unless udev has no data of it."""
        if not (device.node or device.index or device.properties or device.tags):
            return
        if device.node:
            name = device.number.replace(" ", "")
        elif device.index:
            name = "n" + device.index
        else:
            name = f"+{device.subsystem}:{device.name}"
        lines = [f"S:{link}" for link in device.devlinks]
        lines.append("I:1000000")
        lines += [f"E:{name}={value}" for name, value in device.properties.items()]
        lines += [f"{letter}:{tag}" for letter in "GQ" for tag in device.tags]
        lines.append("V:1")
        self._write(self._root / "run/udev/data" / name, "\n".join(lines) + "\n")

    def _link_parent(self, device, machine):
        """Adds the link `device` to the device above. Only devices of a class have one."""
        if device.on_bus:
            return
        above = device.path
        while above := above.rpartition("/")[0]:
            if above in machine.devices:
                self._link(self._sys(device.path) / "device", self._sys(above))
                return

    def _sys(self, path):
        return self._root / "sys" / path.lstrip("/")

    def _make_node(self, name, number):
        kind, major, minor = re.split("[ :]", number)
        path = self._root / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IFBLK if kind == "b" else stat.S_IFCHR
        os.mknod(path, mode | 0o600, os.makedev(int(major), int(minor)))

    def _write(self, path, content):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def _link(self, link, target):
        """Makes a relative link, like the kernel's. Creates the target if it does not exist."""
        link.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.mkdir(parents=True)
        link.symlink_to(os.path.relpath(target, link.parent))

    def _place(self, path):
        """The path for a file of the machine. Replaces links above it by directories."""
        parts = pathlib.PurePosixPath(path).relative_to("/").parts
        for depth in range(1, len(parts)):
            if parts[0] in OWN:
                break
            directory = self._root.joinpath(*parts[:depth])
            if directory.is_symlink():
                directory.unlink()
            if not directory.exists():
                directory.mkdir()
                self._fill(directory, pathlib.Path("/", *parts[:depth]))
        place = self._root.joinpath(*parts)
        if place.is_symlink():
            place.unlink()
        return place

    def _fill(self, directory, original):
        """Links to all entries of this host's `original`, except process ids, which change."""
        if not original.is_dir():
            return
        for name in os.listdir(original):
            if not (name.isdigit() or os.path.lexists(directory / name)):
                (directory / name).symlink_to(pathlib.Path("/.host", *original.parts[1:], name))


def listen(address, port):
    """A listening socket. Hosts of several tests may listen at the same address."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((address, port))
    listener.listen(100)
    return listener


def uevent_of(device):
    """The content of the file `uevent`: the values that the kernel itself knows."""
    lines = {}
    if device.node:
        lines["MAJOR"], lines["MINOR"] = device.number.split()[1].split(":")
        lines["DEVNAME"] = device.node
    if device.devtype:
        lines["DEVTYPE"] = device.devtype
    if device.driver:
        lines["DRIVER"] = device.driver
    if device.index:
        lines["INTERFACE"] = device.name
        lines["IFINDEX"] = device.index
    # The kernel also knows the name of a device in the device tree.
    lines |= {name: text for name, text in device.properties.items() if name.startswith("OF_")}
    return "".join(f"{name}={value}\n" for name, value in lines.items())
