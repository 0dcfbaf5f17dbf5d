"""Downloads the kernel that boots in the lab: Debian's, with the modules that the lab needs.

Nothing is installed. The package is downloaded and unpacked, and unnecessary files are removed.
Remove the directory to get the newest kernel.
"""

import pathlib
import re
import shutil
import tempfile

from debian_packages import Package, Store
from programs import Unavailable, output_of


def package_of_kernel(store, architecture):
    """Downloads the newest kernel's package, on which the meta package depends."""
    (meta,) = store.fetch([f"linux-image-{architecture}"])
    (kernel,) = store.fetch([re.search(r"Depends: (linux-image-\S+)", Package.read(meta).control)[1]])
    return Package.read(kernel)


def module_name(path):
    return pathlib.Path(path).name.partition(".ko")[0].replace("-", "_")


def in_order(dependencies, wanted):
    """Paths of the wanted modules and all their dependencies, each after its own dependencies."""
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
    """Parses modules.dep, with lines such as "a.ko: b.ko c.ko"."""
    lines = (line.partition(":") for line in text.splitlines())
    return {path: needed.split() for path, _, needed in lines}


def unpack(package, directory, wanted):
    """Unpacks the kernel and the wanted modules into the directory, with the order in which to load
    them."""
    root = directory / "root"
    root.mkdir()
    package.unpack(root)
    modules = next((root / "lib/modules").iterdir())
    output_of(["depmod", "--basedir", root, modules.name])
    dependencies = read_dependencies((modules / "modules.dep").read_text())
    ordered = in_order(dependencies, wanted)
    kernel = directory / "kernel"
    kernel.mkdir()
    shutil.copy(root / f"boot/vmlinuz-{modules.name}", kernel / "vmlinuz")
    for path in ordered:
        shutil.copy(modules / path, kernel)
    names = "".join(pathlib.Path(path).name + "\n" for path in ordered)
    (kernel / "modules.order").write_text(names)
    (kernel / "modules.wanted").write_text(" ".join(wanted))
    return kernel


def fetch_kernel(directory, computer):
    """Downloads the kernel if it is missing. Returns its directory."""
    kernel = directory / "kernel"
    wanted = kernel / "modules.wanted"
    if wanted.exists() and wanted.read_text() == " ".join(computer.modules):
        return kernel
    shutil.rmtree(kernel, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as name:
        scratch = pathlib.Path(name)
        package = package_of_kernel(Store(scratch / "packages", computer.architecture),
                                    computer.architecture)
        unpack(package, scratch, computer.modules).rename(kernel)
    return kernel
