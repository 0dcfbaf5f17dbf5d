"""Runs daemons of several simulated nodes, each at its own loopback address."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

from metrics import ROOT

sys.path.append(str(ROOT / "test/fake"))
from patience import PATIENCE
from plugin_call import call

PORT = 9405

HEAD = """apiVersion: patchbay/v1
kind: Config
defaults: {domain: lab.example.com}
resources:
"""
LINE = """  - name: line
    match: {glob: /srv/line*}
    id: $(name)
    envs: {LINE: $(id)}
    prefer: [closest]
    linger: 2s
    health: [{file: {/srv/state: ok}, period: 1s}]
"""
# The first resource has no units. The second is never healthy and expects one more unit. With the
# third, no container starts. Both devices of the last one are refused.
OTHERS = """  - name: late
    match: {glob: /srv/line*}
    id: $(name)
    envs: {LINE: $(id)}
  - name: broken
    match: {glob: /srv/broken*}
    id: $(name)
    envs: {BROKEN: $(id)}
    expect: 2
    health: [{file: {/srv/state: "no"}, period: 1s}]
  - name: door
    match: {glob: /srv/door*}
    id: $(name)
    envs: {DOOR: $(id)}
    preStart: [{exec: [/bin/false]}]
  - name: twins
    match: {glob: /srv/twin*}
    id: twin
    envs: {TWIN: $(name)}
"""
# The resource re-registers when this is added or removed.
PRE_START = "    preStart: [{exec: [/bin/true]}]\n"


def binary():
    return os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/release/src/patchbay")


def address():
    """A random one of the 16 million loopback addresses, on which every port is free."""
    return "127." + ".".join(str(random.SystemRandom().randint(1, 254)) for _ in range(3))


class Node:
    """A directory with a host and a configuration, and the daemon that runs there."""

    def __init__(self, name, *options, pod=None):
        # Uses /tmp, because the path of a socket must be short.
        self._directory = tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp")
        self.name = name
        self.pod = pod or f"patchbay-{name}"
        self.path = pathlib.Path(self._directory.name)
        self.kubelet = self.path / "kubelet"
        self.config = self.path / "lab.yaml"
        self.address = address()
        self.options = options
        self._host = self.path / "host/srv"
        self._process = None
        self._plugged = 0
        self._host.mkdir(parents=True)
        self.kubelet.mkdir()
        (self._host / "state").write_text("ok\n")
        for device in ("line1", "line2", "broken1", "door1", "twin1", "twin2"):
            (self._host / device).touch()
        self.config.write_text(HEAD + LINE)

    def start(self):
        with (self.path / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binary(), "run", str(self.config), "--host-root", str(self.path / "host"),
                 "--listen", f"{self.address}:{PORT}", "--status-socket", "none",
                 "--metrics-per-unit", "--log-level", "error", *self.options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, text=True,
                env={**os.environ, "NODE_NAME": self.name, "TMPDIR": str(self.path)},
            )

    def stop(self):
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.communicate(timeout=PATIENCE)
        finally:
            self._process.kill()
        self._process = None

    def close(self):
        self.stop()
        self._directory.cleanup()

    def call(self, *words):
        """Makes a call of the kubelet to its plugins (--standalone)."""
        call(self.path, *words)

    def replug(self):
        """Adds another device and removes the previous one."""
        (self._host / f"line-plugged-{self._plugged}").unlink(missing_ok=True)
        self._plugged += 1
        (self._host / f"line-plugged-{self._plugged}").touch()

    def unplug(self, name):
        (self._host / name).unlink()

    def log(self):
        """The end of the log."""
        return f"{self.name}:\n{(self.path / 'log').read_text()[-1000:]}"
