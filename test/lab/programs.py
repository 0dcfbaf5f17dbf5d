"""Programs that the lab runs on this machine, and those that it puts into the machine in it."""

import os
import pathlib
import shutil
import subprocess


class Unavailable(Exception):
    """The lab cannot be made here. The text is for people."""


def needed_program(name):
    """The path of a program, also of those that only root has in its PATH."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise Unavailable(f"there is no program '{name}': run scripts/setup --test, or --arm64")
    return path


def output_of(arguments, directory=None):
    program, *rest = map(str, arguments)
    ran = subprocess.run(
        [needed_program(program), *rest], cwd=directory, capture_output=True, text=True
    )
    if ran.returncode != 0:
        raise Unavailable(f"{program} {' '.join(rest)}: {ran.stderr.strip()}")
    return ran.stdout
