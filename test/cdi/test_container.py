"""Tests that a container can open a device node with the owner and mode of the CDI spec. The daemon
writes the spec, the CDI library of container runtimes injects it, and runc runs the container.
Requires root and Go."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fake"))
sys.path.append(str(HERE.parent / "cluster"))
import go_programs
from patience import PATIENCE

CONFIG = """apiVersion: patchbay/v1
kind: Config
defaults: {{domain: lab.example.com}}
resources:
  - name: owned
    match: {{glob: {directory}/line0}}
    id: $(name)
    cdi: write
    devices:
      - {{hostPath: $(path), containerPath: /dev/line, mode: "0640", uid: 1000, gid: 20}}
  - name: plain
    match: {{glob: {directory}/line1}}
    id: $(name)
    cdi: write
    devices: [{{hostPath: $(path), containerPath: /dev/line-plain}}]
"""
# Prints the mode and owner of the node, and opens it for reading and then for writing.
SCRIPT = """
node=$(echo /dev/line*)
stat -c '%a %u %g' $node
(exec 3<$node) 2>/dev/null && echo reads
(exec 3>>$node) 2>/dev/null && echo writes
exit 0
"""


def needs():
    """Why containers cannot run here; empty if they can."""
    if os.geteuid() != 0:
        return "not root"
    missing = [name for name in ("runc", "busybox", "go") if not shutil.which(name)]
    return f"not installed: {', '.join(missing)}" if missing else ""


def configuration(rootfs, uid, gid):
    """The OCI configuration of a container that may use only injected devices."""
    return {
        "ociVersion": "1.0.2",
        "root": {"path": str(rootfs), "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
        ],
        "process": {
            "user": {"uid": uid, "gid": gid},
            "args": ["/bin/busybox", "sh", "-c", SCRIPT],
            "env": ["PATH=/bin"],
            "cwd": "/",
        },
        "linux": {
            "namespaces": [{"type": name} for name in ("pid", "mount", "ipc", "uts", "network")],
            "resources": {"devices": [{"allow": False, "access": "rwm"}]},
        },
    }


@unittest.skipIf(needs(), needs())
class Containers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.inject = go_programs.build_own(HERE / "inject")
        cls.scratch = tempfile.TemporaryDirectory(prefix="patchbay-cdi-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.directory = pathlib.Path(cls.scratch.name)
        # Nodes of the devices /dev/null and /dev/zero, which only root may open.
        for name, number in {"line0": 3, "line1": 5}.items():
            os.mknod(cls.directory / name, 0o600 | stat.S_IFCHR, os.makedev(1, number))
        binaries = cls.directory / "rootfs" / "bin"
        binaries.mkdir(parents=True)
        shutil.copy(shutil.which("busybox"), binaries)
        for name in ("sh", "stat"):
            (binaries / name).symlink_to("busybox")
        for name in ("dev", "proc"):
            (cls.directory / "rootfs" / name).mkdir()
        cls.write_specs()

    @classmethod
    def write_specs(cls):
        config = cls.directory / "config.yaml"
        config.write_text(CONFIG.format(directory=cls.directory))
        binary = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
        process = subprocess.Popen(
            [binary, "run", "--standalone", "--log-level", "error", "--config", config,
             "--cdi-dir", cls.directory / "cdi"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "NODE_NAME": "bench-1"},
        )
        awaited = {"lab.example.com/owned", "lab.example.com/plain"}
        for line in process.stdout:
            if line.startswith("+ "):
                awaited.discard(line.split()[1])
            if not awaited:
                break
        process.terminate()
        process.communicate(timeout=PATIENCE)

    def shown(self, device, uid, gid):
        """The output of SCRIPT in a container of that user."""
        with tempfile.TemporaryDirectory(dir=self.directory) as name:
            bundle = pathlib.Path(name)
            config = bundle / "config.json"
            config.write_text(json.dumps(configuration(self.directory / "rootfs", uid, gid)))
            subprocess.run([self.inject, self.directory / "cdi", config, device], check=True)
            ran = subprocess.run(
                ["runc", "--root", bundle / "state", "run", "--bundle", bundle, bundle.name],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                check=False,
            )
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return ran.stdout.split("\n")[:-1]

    def test_owner_reads_and_writes(self):
        shown = self.shown("lab.example.com/owned=line0", 1000, 1000)
        self.assertEqual(shown, ["640 1000 20", "reads", "writes"])

    def test_group_has_what_the_mode_gives_it(self):
        shown = self.shown("lab.example.com/owned=line0", 2000, 20)
        self.assertEqual(shown, ["640 1000 20", "reads"])

    def test_others_are_refused(self):
        shown = self.shown("lab.example.com/owned=line0", 3000, 3000)
        self.assertEqual(shown, ["640 1000 20"])

    def test_without_the_keys_the_runtime_gives_it_to_the_user(self):
        shown = self.shown("lab.example.com/plain=line1", 2000, 2000)
        self.assertEqual(shown, ["600 2000 2000", "reads", "writes"])


if __name__ == "__main__":
    unittest.main()
