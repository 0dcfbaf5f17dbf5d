"""Makes the packages of a build for their tests."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PATCHBAY_BUILD") or ROOT / "build/release").resolve()
UNIT = "usr/lib/systemd/system/patchbay.service"


def run(*arguments, **more):
    """Runs a command and returns its standard output. An exception has its standard error."""
    done = subprocess.run(arguments, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(patchbay VERSION ([0-9.]+)", text, re.MULTILINE)[1]


def package(out, *options, **more):
    """Makes the Debian package, the archive, that of the kubectl plugin, and its manifest for krew."""
    made = run(ROOT / "scripts/package", "--build", BUILD, "--out", out, *options, **more)
    return [pathlib.Path(file) for file in made.split()]
