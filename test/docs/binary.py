"""Runs the built patchbay."""

import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

NODE = "bench-1"


def binary():
    return os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay"


def patchbay(*arguments, cwd=None):
    environment = {**os.environ, "NODE_NAME": NODE, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [os.path.abspath(binary()), *arguments],
        capture_output=True, text=True, timeout=PATIENCE, cwd=cwd, env=environment,
    )


def validate(text, name="config.yaml", *options):
    """The output of `patchbay validate` for a configuration. Relative names make outputs
    comparable."""
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / name).write_text(text)
        return patchbay("validate", *options, name, cwd=directory)


def language():
    """The keys and variables of the configuration, from the program print_language."""
    program = os.environ.get("PATCHBAY_LANGUAGE") or "build/asan/test/docs/print_language"
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def commands():
    """The subcommands in `patchbay --help`."""
    listed = re.split(r"ommands:\n", patchbay("--help").stdout)[1].split("\n\n")[0]
    return set(re.findall(r"^ +(\w+) ", listed, re.MULTILINE))


def options(command):
    """The options of a command and their short names, by its --help."""
    text = patchbay(command, "--help").stdout.split("ptions:\n")[1].split("\n\n")[0]
    listed = re.findall(r"^ +((?:-\w, ?)?--[\w-]+)", text, re.MULTILINE)
    return {tuple(re.split(", ?", names)) for names in listed}


class Bench:
    """A simulated host: a directory with files at the paths that glob rules match and that
    containers need. Each path below /dev is a different device node, which only root can create."""

    NODES = ((1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 2))

    def __init__(self, paths, config):
        self._directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._directory.name) / "host"
        nodes = iter(self.NODES)
        for path in paths:
            file = self.root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            if path.startswith("/dev/"):
                try:
                    os.mknod(file, 0o600 | stat.S_IFCHR, os.makedev(*next(nodes)))
                except PermissionError as error:
                    raise unittest.SkipTest("only root makes device nodes") from error
            else:
                file.touch()
        self.config = pathlib.Path(self._directory.name) / "config.yaml"
        self.config.write_text(config)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    def arguments(self):
        return ["--config", str(self.config), "--host-root", str(self.root)]

    def discover(self, *more):
        return patchbay("discover", *self.arguments(), *more).stdout
