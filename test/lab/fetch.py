"""Downloads the boot files of the lab: a kernel, and the programs if the architecture differs from
this machine's.

    fetch.py DIRECTORY ARCHITECTURE     downloads them into the directory, unless they exist
"""

import pathlib
import platform
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "deploy/image"))
import debian_packages
from computer import COMPUTERS
from kernel import fetch_kernel
from programs import Unavailable
from userland import fetch_userland


def fetch(directory, computer):
    """Downloads what is missing. Returns the directory of the kernel, and the programs."""
    if platform.machine() != "x86_64":
        raise Unavailable(f"the lab is for amd64 machines, this is {platform.machine()}")
    try:
        return fetch_kernel(directory, computer), fetch_userland(directory, computer)
    except debian_packages.Unavailable as why:
        raise Unavailable(str(why)) from why


def main():
    directory, architecture = sys.argv[1:]
    try:
        fetch(pathlib.Path(directory).resolve(), COMPUTERS[architecture])
    except Unavailable as why:
        print(f"nothing for the lab to boot: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
