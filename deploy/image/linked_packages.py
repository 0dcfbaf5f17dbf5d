"""Lists the Debian packages with code in the programs. The build reports the linked archives and the
headers.

    linked_packages.py BUILD [SYSROOT]     prints the name and licence file of each
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

from debian_packages import Unavailable, output_of

PROGRAMS = ("patchbay", "patchbay-kube")
# Their code stays in a shared library, or they have only declarations.
NOT_IN_THE_BINARY = ("libc6-dev", "libc6-dev-arm64-cross", "libudev-dev", "linux-libc-dev",
                     "linux-libc-dev-arm64-cross")


@dataclass(frozen=True)
class Linked:
    name: str
    version: str
    source: str
    maintainer: str
    architecture: str
    copyright: pathlib.Path


def program_of(object_file):
    """The program with this object, or None. The directory may also have built tests."""
    if object_file.startswith("src/kube/"):
        return "patchbay-kube"
    return "patchbay" if object_file.startswith(("src/", "proto/")) else None


def files_of_the_build(build, programs):
    """Archives on the linker's command lines of the programs, and headers outside the repository."""
    archives, headers = [], set()
    for program in programs:
        link = output_of("ninja", "-C", build, "-t", "commands", f"src/{program}").splitlines()[-1]
        archives += re.findall(r"(/\S+\.a)(?=\s|$)", link)
    ours = False
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith("    "):
            headers |= {line.strip()} if ours else set()
        else:
            ours = program_of(line) in programs
    paths = {os.path.realpath(os.path.join(build, path)) for path in (*archives, *headers)}
    return sorted(path for path in paths if "/usr/" in path)


def of_sysroot(paths, sysroot):
    """The packages of files in a sysroot of make_sysroot.py, and the remaining files."""
    packages = json.loads((sysroot / "packages.json").read_text())["packages"]
    owners = {path: package for package in packages for path in package["files"]}
    names, others = {}, []
    for path in paths:
        inside = path.removeprefix(str(sysroot))
        if inside == path:
            others.append(path)
        elif inside in owners:
            names[owners[inside]["name"]] = owners[inside]
    linked = [
        Linked(one["name"], one["version"], one["source"], one["maintainer"], one["architecture"],
               copyright_in(sysroot, one["name"]))
        for one in names.values()
    ]
    return linked, others


def of_this_machine(paths):
    """The packages of installed files. Files without a package belong to the build itself."""
    ran = subprocess.run(["dpkg", "--search", *paths], capture_output=True, text=True)
    names = set(re.findall(r"^([^:,\s]+(?::\w+)?): /", ran.stdout, re.MULTILINE))
    form = "${Package}\t${Version}\t${source:Package}\t${Maintainer}\t${Architecture}\n"
    told = output_of("dpkg-query", "--show", f"--showformat={form}", *sorted(names))
    return [
        Linked(*line.split("\t"), copyright_in(pathlib.Path("/"), line.split("\t")[0]))
        for line in told.splitlines()
    ] if names else []


def copyright_in(root, package):
    path = root / "usr/share/doc" / package / "copyright"
    return pathlib.Path(os.path.realpath(path))


def linked_packages(build, sysroot=None, programs=PROGRAMS):
    paths = files_of_the_build(build, programs)
    linked = []
    if sysroot:
        linked, paths = of_sysroot(paths, pathlib.Path(os.path.realpath(sysroot)))
    linked += of_this_machine(paths)
    linked = [one for one in linked if one.name not in NOT_IN_THE_BINARY]
    if not linked:
        raise Unavailable(f"{build} has no link command of the programs: build them with ninja")
    return sorted(linked, key=lambda one: one.name)


def main():
    try:
        for one in linked_packages(*map(pathlib.Path, sys.argv[1:3])):
            print(one.name, one.copyright)
    except Unavailable as why:
        print(f"linked_packages.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
