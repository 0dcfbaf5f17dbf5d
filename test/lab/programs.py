"""Finds the programs that the lab runs on this machine, and those that it copies into its own."""

import os
import pathlib
import shutil
import subprocess


class Unavailable(Exception):
    """The lab cannot run here. The text says why."""


def needed_program(name):
    """The path of a program, including those only in root's PATH."""
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
