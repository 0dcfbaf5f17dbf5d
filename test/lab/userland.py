"""Finds Debian's programs for the machine in the lab: those of this machine, or unpacked from
packages for another architecture. Nothing is installed."""

import pathlib
import re
import shutil
import tempfile

from debian_packages import Package, Store
from programs import Unavailable, output_of

PACKAGES = ("base-passwd", "busybox-static", "containernetworking-plugins", "udev")
PROGRAMS = "bin", "sbin", "usr/bin", "usr/sbin"
OWN_ARCHITECTURE = "amd64"
ARM64_LOADER = "lib/ld-linux-aarch64.so.1"


class Userland:
    """Debian's files below a root. `loader` is the command that lists a program's libraries."""

    def __init__(self, root, loader):
        self._root = root
        self._loader = loader

    def path(self, name):
        """The path on this machine of a file with this absolute name."""
        path = self._root / name.lstrip("/")
        if not path.exists():
            raise Unavailable(f"there is no {path}: run scripts/setup --test")
        return path

    def program(self, name):
        for directory in PROGRAMS:
            if (path := self._root / directory / name).exists():
                return path
        raise Unavailable(f"there is no program '{name}': run scripts/setup --test")

    def libraries_of(self, program):
        """The shared libraries of the program, and the loader: for each the path in the machine and
        on this one."""
        listed = re.findall(r"(/\S+) \(0x", output_of([*self._loader, program]))
        return [("/" + str(path.relative_to(self._root)), path)
                for path in map(pathlib.Path, listed)]


def of_this_machine():
    return Userland(pathlib.Path("/"), ["ldd"])


def unpacked(root):
    """The programs for arm64, unpacked below `root`."""
    return Userland(root, [
        "qemu-aarch64", root / ARM64_LOADER, "--library-path", root / "lib/aarch64-linux-gnu",
        "--list",
    ])


def make_root(root, architecture, scratch):
    for folder in ("bin", "lib", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    store = Store(scratch / "packages", architecture)
    for path in store.fetch_with_dependencies(PACKAGES):
        Package.read(path).unpack(root)
    (root / "packages.wanted").write_text(" ".join(PACKAGES))


def fetch_userland(directory, computer):
    if computer.architecture == OWN_ARCHITECTURE:
        return of_this_machine()
    root = directory / "userland"
    wanted = root / "packages.wanted"
    if not wanted.exists() or wanted.read_text() != " ".join(PACKAGES):
        shutil.rmtree(root, ignore_errors=True)
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory) as name:
            scratch = pathlib.Path(name)
            make_root(scratch / "root", computer.architecture, scratch)
            (scratch / "root").rename(root)
    return unpacked(root)
