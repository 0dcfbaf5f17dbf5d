"""Calls plugins as the kubelet does."""

import os
import pathlib
import subprocess

from patience import PATIENCE


def call(directory, *words):
    """The output of plugin_call with these arguments; plugin_call.cpp describes them."""
    binary = pathlib.Path(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
    return subprocess.run([binary.parents[1] / "test/fake/plugin_call", directory, *words],
                          capture_output=True, text=True, timeout=PATIENCE).stdout
