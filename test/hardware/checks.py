"""Common code of the programs check_*.py. Each runs the daemon's binary on described machines."""

import contextlib
import json
import os
import pathlib
import tempfile

from host import Host
from machine import read_machine

MACHINES = pathlib.Path(__file__).resolve().parent / "machines"
BINARY = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
SKIPPED = 77


def description(name):
    return MACHINES / f"{name}.txt"


def described(name):
    return read_machine(description(name))


def made(machine):
    """A context manager for the host of the machine."""
    return contextlib.closing(Host(machine))


def discover(host, configuration):
    """The resources that `discover` reports for the text of a configuration."""
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "config.yaml").write_text(configuration)
        ran = host.run([BINARY, "discover", "--output", "json", "config.yaml"], directory, {})
    # Warnings about the configuration may precede and follow the JSON.
    answer = ran.stdout[ran.stdout.index('{\n  "resources"'):]
    return json.JSONDecoder().raw_decode(answer)[0]["resources"]


def run(check, *arguments):
    """Runs `check`, which needs root and returns faults. Returns the exit code of the program."""
    if os.geteuid() != 0:
        print("not root: no devices can be made")
        return SKIPPED
    complaints = check(*arguments)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0
