"""Collects the files of an image in a directory: the programs, their libraries, and the origin of
each file. Only the debug variant has a shell and other programs."""

import os
import pathlib
import re
import shutil
from dataclasses import dataclass, field

from debian_packages import Unavailable, output_of

BINARY = "/usr/local/bin/patchbay"
# The daemon starts it for DRA, from its own directory.
KUBE_BINARY = "/usr/local/bin/patchbay-kube"
SBOM = "/usr/share/sbom/patchbay.spdx.json"

# The libraries of both programs, in every image. Only patchbay-kube has those after libudev.
LIBRARIES = ("libc6", "libudev1", "libbrotli1", "libcpp-httplib0.11", "libgcc-s1", "libssl3",
             "libstdc++6", "zlib1g")
# The first has the version of Debian, the second the licences of GCC's libraries.
PACKAGES = ("base-files", "gcc-12-base", *LIBRARIES)

# Only in the debug variant. Each command of busybox gets a link.
DEBUG_PROGRAMS = {
    "busybox-static": ("/usr/bin/busybox",),
    "ethtool": ("/usr/sbin/ethtool",),
    "gpiod": tuple(f"/usr/bin/gpio{verb}" for verb in ("detect", "find", "get", "info", "mon", "set")),
    "i2c-tools": tuple(f"/usr/sbin/i2c{verb}" for verb in ("detect", "dump", "get", "set", "transfer")),
    "usbutils": ("/usr/bin/lsusb",),
}
DEBUG_LIBRARIES = ("libgpiod2", "libi2c0", "libmnl0", "libusb-1.0-0")
DEBUG_PACKAGES = (*DEBUG_PROGRAMS, *DEBUG_LIBRARIES)

LOADERS = {"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1"}
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

# Mount points. A runtime creates missing ones, but not with a read-only root.
DIRECTORIES = ("dev", "etc/patchbay", "proc", "run/patchbay", "run/udev", "sys", "tmp", "var",
               "var/lib/kubelet/device-plugins", "var/lib/kubelet/pod-resources")
FILES = {
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "etc/passwd": "root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n",
}


def in_usr(path):
    """The merged-/usr path of a file that a package has in /bin or /lib."""
    return f"/usr{path}" if re.match(r"/(bin|lib|lib64|sbin)/", path) else path


@dataclass
class RootTree:
    """A directory, and the package of each of its files. Paths are relative to its root."""

    root: pathlib.Path
    architecture: str
    owners: dict = field(default_factory=dict)  # path -> name of the package

    def write(self, path, text):
        target = self._place(path)
        target.write_text(text)
        target.chmod(0o644)

    def copy(self, source, package, path, executable=False):
        target = self._place(path)
        shutil.copyfile(source, target)
        target.chmod(0o755 if executable else 0o644)
        if package:
            self.owners[path] = package.name

    def link(self, path, to):
        self._place(path).symlink_to(to)

    def files(self):
        """The paths of its files, without links."""
        return sorted(
            "/" + str(path.relative_to(self.root))
            for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()
        )

    def has(self, path):
        return os.path.lexists(self.root / path.lstrip("/"))

    def _place(self, path):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


class Unpacked:
    """Packages, each unpacked in its own directory."""

    def __init__(self, packages, directory):
        self._places = {}
        for package in packages:
            place = directory / package.name
            place.mkdir(parents=True)
            package.unpack(place)
            for path in package.files():
                # Links on the path of a file are followed within its package.
                self._places[in_usr(path)] = (place / path.lstrip("/"), package)

    def find(self, path):
        """The file and its package, for a merged-/usr path."""
        if path not in self._places:
            raise Unavailable(f"no package of the image has {path}")
        source, package = self._places[path]
        if source.is_symlink():
            target = os.path.normpath(os.path.join(os.path.dirname(path), source.readlink()))
            return self.find(in_usr(target))
        return source, package

    def link(self, path):
        """The target of a link, such as that of a folder which packages of one source share; None
        for another file or none."""
        source, _ = self._places.get(path, (None, None))
        return source.readlink() if source and source.is_symlink() else None


def needed_libraries(file):
    """The names that the loader searches for."""
    told = output_of("readelf", "--dynamic", "--wide", file)
    return re.findall(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]", told)


def add_program(tree, unpacked, file, package, path):
    """Adds a program and its libraries."""
    tree.copy(file, package, path, executable=True)
    folder = f"/usr/lib/{TRIPLETS[tree.architecture]}"
    waiting = needed_libraries(file)
    while waiting:
        name = waiting.pop()
        if tree.has(f"{folder}/{name}") or name == pathlib.Path(LOADERS[tree.architecture]).name:
            continue
        library, owner = unpacked.find(f"{folder}/{name}")
        # The loader needs only the name that programs request.
        tree.copy(library, owner, f"{folder}/{name}")
        waiting += needed_libraries(library)


def add_origins(tree, unpacked, packages):
    """Adds licences, and package records for vulnerability scanners."""
    for package in packages:
        folder = f"/usr/share/doc/{package.name}"
        if shared := unpacked.link(folder):
            tree.link(folder, shared)
        else:
            tree.copy(unpacked.find(f"{folder}/copyright")[0], package, f"{folder}/copyright")
        tree.write(f"/var/lib/dpkg/status.d/{package.name}", package.control)


def add_skeleton(tree):
    for folder in ("bin", "lib", "sbin"):
        (tree.root / "usr" / folder).mkdir(parents=True)
        tree.link(folder, f"usr/{folder}")
    loader = pathlib.Path(LOADERS[tree.architecture]).parent
    if not tree.has(str(loader)):
        (tree.root / "usr" / loader.name).mkdir()
        tree.link(str(loader), f"usr/{loader.name}")
    for directory in DIRECTORIES:
        (tree.root / directory).mkdir(parents=True, exist_ok=True)
    (tree.root / "tmp").chmod(0o1777)
    tree.link("/var/run", "/run")
    for path, text in FILES.items():
        tree.write(path, text)


def make(root, architecture, programs, packages, scratch):
    """The tree of the plain image, and its packages, for further files. `programs` is the directory
    of the built programs."""
    tree = RootTree(root, architecture)
    unpacked = Unpacked(packages, scratch)
    add_skeleton(tree)
    tree.copy(*unpacked.find("/etc/os-release"), "/usr/lib/os-release")
    tree.link("/etc/os-release", "../usr/lib/os-release")
    loader = in_usr(LOADERS[architecture])
    tree.copy(*unpacked.find(loader), loader, executable=True)
    for path in (BINARY, KUBE_BINARY):
        add_program(tree, unpacked, programs / pathlib.Path(path).name, None, path)
    add_origins(tree, unpacked, packages)
    return tree, unpacked


def add_debug_programs(tree, unpacked, busybox_commands):
    for package, paths in DEBUG_PROGRAMS.items():
        for path in paths:
            add_program(tree, unpacked, *unpacked.find(path), path)
    for command in busybox_commands:
        if not any(tree.has(f"/usr/{folder}/{command}") for folder in ("bin", "sbin")):
            tree.link(f"/usr/bin/{command}", "busybox")
