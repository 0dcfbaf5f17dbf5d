"""Makes a sysroot for cross-compilation from unpacked Debian packages. No program of them is run.

  make_sysroot.py ARCHITECTURE DIRECTORY PACKAGE...

If the directory already has these packages, nothing is done. Its `packages.json` has the package of
each file. Build programs such as protoc are those of this machine.
"""

import json
import pathlib
import shutil
import sys
import tempfile

from debian_packages import Package, Store, Unavailable

INDEX = "packages.json"
# Programs that run during the build. The packages' CMake files expect them beside the libraries.
PROGRAMS = ("grpc_cpp_plugin", "grpc_php_plugin", "grpc_python_plugin", "grpc_ruby_plugin", "protoc")


def merged(path):
    """The merged-/usr path of a file that a package has in /lib."""
    first = path.split("/")[1]
    return f"/usr{path}" if first in ("bin", "lib", "lib64", "sbin") else path


def make_links_relative(root):
    """Makes absolute links relative: they would point to files of this machine."""
    for path in root.rglob("*"):
        if path.is_symlink() and str(path.readlink()).startswith("/"):
            target = pathlib.Path(merged(str(path.readlink()))).relative_to("/")
            up = "../" * (len(path.relative_to(root).parts) - 1)
            path.unlink()
            path.symlink_to(up + str(target))


def make(architecture, directory, names):
    index = directory / INDEX
    if index.exists() and json.loads(index.read_text())["asked"] == names:
        return
    directory.parent.mkdir(parents=True, exist_ok=True)
    store = Store(directory.parent / f"{architecture}.packages", architecture)
    packages = [Package.read(path) for path in store.fetch_with_dependencies(names)]
    with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
        root = pathlib.Path(scratch) / "root"
        for folder in ("bin", "lib", "sbin"):
            (root / "usr" / folder).mkdir(parents=True)
            (root / folder).symlink_to(f"usr/{folder}")
        owned = []
        for package in packages:
            package.unpack(root)
            owned.append({
                "name": package.name, "version": package.version, "source": package.source,
                "architecture": package.architecture, "maintainer": package.maintainer,
                "files": sorted(map(merged, package.files())),
            })
        make_links_relative(root)
        for program in PROGRAMS:
            (root / "usr/bin" / program).symlink_to(f"/usr/bin/{program}")
        (root / INDEX).write_text(json.dumps({"asked": names, "packages": owned}, indent=1))
        shutil.rmtree(directory, ignore_errors=True)
        root.rename(directory)


def main():
    architecture, directory, *names = sys.argv[1:]
    try:
        make(architecture, pathlib.Path(directory).resolve(), names)
    except Unavailable as why:
        print(f"no sysroot of {architecture}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
