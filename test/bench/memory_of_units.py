#!/usr/bin/env python3
"""Measures a daemon's memory by the number of resources and units, in a control group with a limit
like a Pod's. Requires root.

    test/bench/memory_of_units.py build/release/src/patchbay 10x100 100x100@128

measures ten resources of a hundred units each without a limit, then a hundred of a hundred in 128
MiB. Each unit has a variable, a mount, a CDI spec, a probe and its own metrics. The test requests
the metrics and the status, edits all resources three times, and removes and restores all units. The
stand-in for the kubelet is part of the process.
"""

import contextlib
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 300  # Seconds.


class Ended(Exception):
    """The daemon has exited."""


def group_folder():
    old = pathlib.Path("/sys/fs/cgroup/memory")
    return (old if old.exists() else old.parent) / f"patchbay-bench-{os.getpid()}"


@contextlib.contextmanager
def memory_group(mebibytes):
    """Creates a control group of version 1 or 2. Yields the file that moves a process into it."""
    folder = group_folder()
    folder.mkdir()
    try:
        if mebibytes:
            limits = (folder / "memory.max", folder / "memory.limit_in_bytes")
            next(f for f in limits if f.exists()).write_text(str(mebibytes << 20))
        yield folder / "cgroup.procs"
    finally:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                folder.rmdir()
                break


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Daemon:
    def __init__(self, binary, folder, procs, resources, each):
        self.folder, self.resources, self.each = folder, resources, each
        (folder / "cdi").mkdir()
        self.plug()
        self.edit("first")
        command = [binary, "run", "--standalone", "--config", folder / "config.yaml",
                   "--cdi-dir", folder / "cdi", "--status-socket", folder / "status",
                   "--metrics-per-unit", "--log-level", "error"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'echo 0 >{procs} && exec "$@"', "sh", *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def units(self):
        return [self.folder / f"r{r}" / f"unit-{r}-{i}"
                for r in range(self.resources) for i in range(self.each)]

    def plug(self):
        for unit in self.units():
            unit.parent.mkdir(exist_ok=True)
            unit.touch()

    def unplug(self):
        for unit in self.units():
            unit.unlink()

    def edit(self, word):
        text = ("apiVersion: patchbay/v1\nkind: Config\n"
                "defaults: {domain: lab.example.com, linger: 0s}\nresources:\n")
        for r in range(self.resources):
            text += f"""  - name: r{r}
    match: {{glob: {self.folder}/r{r}/*}}
    id: $(name)
    cdi: write
    envs: {{UNIT: $(name)-{word}}}
    mounts: [{{hostPath: $(path), containerPath: /lab/$(name)}}]
    health: [{{file: {{$(path): {{exists: true}}}}}}]
"""
        (self.folder / "new").write_text(text)
        (self.folder / "new").rename(self.folder / "config.yaml")

    def ask(self, path):
        if self.process.poll() is not None:
            raise Ended(signal.strsignal(-self.process.returncode)
                        if self.process.returncode < 0 else f"exit {self.process.returncode}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = Connection(self.folder / "status")
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        return ""

    def wait_for(self, healthy, generation):
        """Waits until this configuration offers that many units."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self.ask("/metrics")
            counts = re.findall(r'^patchbay_units\{.*state="healthy".* (\d+)$', text, re.M)
            is_active = re.search(rf"^patchbay_config_generation {generation}$", text, re.M)
            if is_active and sum(map(int, counts)) == healthy:
                return
            time.sleep(0.1)
        raise Ended("timed out")

    def megabytes(self, field):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"^{field}:\s+(\d+) kB", text, re.M)
        if found is None:
            raise Ended("killed")
        return int(found[1]) * 1024 / 1e6


def measure(binary, resources, each, mebibytes):
    """The resident memory when idle, and its peak, in MB."""
    every = resources * each
    with memory_group(mebibytes) as procs, tempfile.TemporaryDirectory(dir="/tmp") as folder:
        daemon = Daemon(binary, pathlib.Path(folder), procs, resources, each)
        try:
            daemon.wait_for(every, 1)
            time.sleep(1)
            rest = daemon.megabytes("VmRSS")
            for _ in range(3):
                daemon.ask("/metrics")
                daemon.ask("/status")
            for number in range(3):
                daemon.edit(f"edit{number}")
                daemon.wait_for(every, number + 2)
            daemon.unplug()
            daemon.wait_for(0, 4)
            daemon.plug()
            daemon.wait_for(every, 4)
            return rest, daemon.megabytes("VmHWM")
        finally:
            daemon.process.kill()
            daemon.process.communicate()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for word in sys.argv[2:]:
        shape, _, limit = word.partition("@")
        resources, each = map(int, shape.split("x"))
        try:
            rest, most = measure(sys.argv[1], resources, each, int(limit or 0))
            print(f"{word:14} {rest:6.1f} MB idle, {most:6.1f} MB peak", flush=True)
        except Ended as end:
            print(f"{word:14} {end}", flush=True)


if __name__ == "__main__":
    main()
