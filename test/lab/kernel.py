"""Fetches the kernel that boots in the lab: Debian's, with the modules that the lab needs.

    kernel.py DIRECTORY     fetches it into DIRECTORY/kernel, unless it is there already

Nothing is installed. The package is downloaded with apt-get and unpacked, and what is not needed is
thrown away. Remove the directory to have the newest kernel.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

META_PACKAGE = "linux-image-amd64"
MODULES = ("virtio_pci", "virtio_console", "xhci_pci", "ftdi_sio", "e1000")


class Unavailable(Exception):
    """The lab cannot be made here. The text is for people."""


def needed_program(name):
    """The path of a program, also of those that only root has in its PATH."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise Unavailable(f"there is no program '{name}': run scripts/setup --test")
    return path


def output_of(arguments, directory=None):
    program, *rest = map(str, arguments)
    ran = subprocess.run(
        [needed_program(program), *rest], cwd=directory, capture_output=True, text=True
    )
    if ran.returncode != 0:
        raise Unavailable(f"{program} {' '.join(rest)}: {ran.stderr.strip()}")
    return ran.stdout


def package_of_kernel():
    """The meta package depends on the newest kernel."""
    told = output_of(["apt-cache", "depends", META_PACKAGE])
    found = re.search(r"Depends: (linux-image-\S+)", told)
    if not found:
        raise Unavailable(f"apt knows no package {META_PACKAGE}: run apt-get update")
    return found[1]


def download(directory):
    """The path of the package. An old index leads to packages that are gone: it is renewed once, by
    root."""
    def attempt():
        output_of(["apt-get", "--option=APT::Sandbox::User=", "--quiet", "download",
                   package_of_kernel()], directory)

    try:
        attempt()
    except Unavailable as why:
        if os.geteuid() != 0:
            raise Unavailable(f"{why}\nif the index is old: apt-get update") from why
        output_of(["apt-get", "--quiet", "update"])
        attempt()
    return next(directory.glob("*.deb"))


def module_name(path):
    return pathlib.Path(path).name.partition(".ko")[0].replace("-", "_")


def in_order(dependencies, wanted):
    """Paths of the modules and of all that they need, each after what it needs itself."""
    by_name = {module_name(path): path for path in dependencies}
    ordered = []

    def add(path):
        if path in ordered:
            return
        for needed in dependencies[path]:
            add(needed)
        ordered.append(path)

    for name in wanted:
        if name not in by_name:
            raise Unavailable(f"the kernel has no module {name}")
        add(by_name[name])
    return ordered


def read_dependencies(text):
    """modules.dep: "a.ko: b.ko c.ko" """
    lines = (line.partition(":") for line in text.splitlines())
    return {path: needed.split() for path, _, needed in lines}


def unpack(package, directory):
    """Leaves in the directory the kernel, the modules, and the order to load them in."""
    root = directory / "root"
    output_of(["dpkg-deb", "--extract", package, root])
    modules = next((root / "lib/modules").iterdir())
    output_of(["depmod", "--basedir", root, modules.name])
    dependencies = read_dependencies((modules / "modules.dep").read_text())
    ordered = in_order(dependencies, MODULES)
    kernel = directory / "kernel"
    kernel.mkdir()
    shutil.copy(root / f"boot/vmlinuz-{modules.name}", kernel / "vmlinuz")
    for path in ordered:
        shutil.copy(modules / path, kernel)
    names = "".join(pathlib.Path(path).name + "\n" for path in ordered)
    (kernel / "modules.order").write_text(names)
    (kernel / "modules.wanted").write_text(" ".join(MODULES))
    return kernel


def fetch(directory):
    """The directory of the kernel."""
    kernel = directory / "kernel"
    wanted = kernel / "modules.wanted"
    if wanted.exists() and wanted.read_text() == " ".join(MODULES):
        return kernel
    shutil.rmtree(kernel, ignore_errors=True)
    if platform.machine() != "x86_64":
        raise Unavailable(f"the lab has an amd64 machine, this is {platform.machine()}")
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as name:
        scratch = pathlib.Path(name)
        unpack(download(scratch), scratch).rename(kernel)
    return kernel


def main():
    try:
        print(fetch(pathlib.Path(sys.argv[1]).resolve()))
    except Unavailable as why:
        print(f"no kernel for the lab: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
