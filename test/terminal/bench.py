"""Runs the binary on a host that is a directory of files."""

import os
import pathlib
import tempfile


def binary():
    return os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")


class Bench:
    """A directory with a configuration and a host, until it is closed."""

    def __init__(self, resources):
        # Uses /tmp, because the path of a socket must be short.
        self._directory = tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp")
        self.path = pathlib.Path(self._directory.name)
        self.host = self.path / "host"
        self.host.mkdir()
        self.config = self.path / "lab.yaml"
        self.config.write_text(
            "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: lab.example.com}\n"
            f"resources:\n{resources}"
        )

    def plug(self, path, text=""):
        file = self.host / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def unplug(self, path):
        (self.host / path.lstrip("/")).unlink()

    def command(self, *words):
        return [binary(), *words, self.config.name, "--host-root", str(self.host)]

    def environment(self):
        return {"TMPDIR": str(self.path), "NODE_NAME": "bench-1"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._directory.cleanup()
