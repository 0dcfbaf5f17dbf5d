"""Tests the life cycle of the package on a new Debian 12, which systemd boots in namespaces. The
package is installed, started, upgraded, removed and purged, and the machine is rebooted. As root:

  /usr/bin/python3 -B test/package/check_life.py

Takes some minutes. Requires mmdebstrap and systemd-nspawn: scripts/setup --long."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from packages import ROOT, make_debian, package, project_version, run

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

# The version before the upgrade: the same program in a package with another version.
OLDER = "0.0.9"

CONFIGURATION = """\
apiVersion: patchbay/v1
kind: Config
resources:
  - name: example.com/null
    match: {glob: /dev/null}
"""

# Replaces the kubelet: at its start it records the state of Patchbay.
KUBELET = """\
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'systemctl is-active patchbay >/root/found-by-kubelet || true'
[Install]
WantedBy=multi-user.target
"""

# Paths that a running machine writes without Patchbay.
OF_THE_MACHINE = ("dev", "proc", "run", "sys", "tmp", "root", "var/cache", "var/log", "var/tmp",
                  "var/lib/dpkg", "var/lib/apt", "var/lib/systemd/random-seed", "etc/machine-id",
                  "var/lib/systemd/timers", "var/lib/systemd/catalog", "etc/.pwd.lock",
                  "var/lib/private", "etc/.updated", "var/.updated", "var/lib/systemd/pstore")


def wait_for(look, what):
    """Polls `look` until it returns a true value, and returns that."""
    end = time.monotonic() + PATIENCE
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > end:
            raise AssertionError(f"in vain waited for: {what}")
        time.sleep(0.1)


def make_root(root, work):
    make_debian(root, work, "init", "systemd-sysv", "libudev1")
    (root / "etc/systemd/system/kubelet.service").write_text(KUBELET)
    wanted = root / "etc/systemd/system/multi-user.target.wants"
    wanted.mkdir(exist_ok=True)
    (wanted / "kubelet.service").symlink_to("/etc/systemd/system/kubelet.service")


class Machine:
    """The booted root. Commands run in all its namespaces."""

    def __init__(self, root):
        self.root = root
        self._log = tempfile.TemporaryFile()
        self._nspawn = subprocess.Popen(
            ["systemd-nspawn", "--quiet", f"--directory={root}", "--boot", "--register=no",
             "--keep-unit", "--private-network", "--console=pipe"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
        )
        try:
            self._init = wait_for(self._find_init, "the machine's first process")
            wait_for(self._booted, "the machine to boot")
        except BaseException:
            print(self.log())
            self.kill()
            raise

    def _find_init(self):
        if self._nspawn.poll() is not None:
            raise AssertionError(f"systemd-nspawn ended: {self.log()}")
        for child in self._children(self._nspawn.pid):
            if (pathlib.Path("/proc") / child / "comm").read_text() == "systemd\n":
                return child
        return None

    @staticmethod
    def _children(process):
        path = pathlib.Path(f"/proc/{process}/task/{process}/children")
        return path.read_text().split()

    def _booted(self):
        if self._nspawn.poll() is not None:
            raise AssertionError("systemd-nspawn ended")
        state = self.try_run("systemctl", "is-system-running").stdout.strip()
        return state in ("running", "degraded")

    def try_run(self, *command):
        return subprocess.run(
            ["nsenter", "--target", self._init, "--mount", "--uts", "--ipc", "--net", "--pid",
             "--cgroup", "--root", "--wd", "env", "--ignore-environment", "LC_ALL=C",
             "DEBIAN_FRONTEND=noninteractive", "HOME=/root",
             "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *command],
            capture_output=True, text=True, timeout=10 * PATIENCE, stdin=subprocess.DEVNULL,
        )

    def run(self, *command):
        done = self.try_run(*command)
        if done.returncode != 0:
            raise AssertionError(
                f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
                + self.try_run("journalctl", "--unit=patchbay", "--no-pager", "--lines=30").stdout
            )
        return done.stdout

    def property(self, name):
        shown = self.run("systemctl", "show", "--property", name, "--value", "patchbay.service")
        return shown.strip()

    def wait_until_active(self):
        wait_for(lambda: self.property("ActiveState") == "active", "the service to be active")

    def status(self):
        return json.loads(self.run("patchbay", "status", "--output", "json"))

    def install(self, deb):
        shutil.copy(deb, self.root / "root/patchbay.deb")
        return self.run("dpkg", "--install", "/root/patchbay.deb")

    def log(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def shut_down(self):
        os.kill(int(self._init), signal.SIGRTMIN + 4)  # As `systemctl poweroff` does.
        self._nspawn.wait(10 * PATIENCE)
        self._log.close()

    def kill(self):
        if self._nspawn.poll() is None:
            self._nspawn.kill()
            self._nspawn.wait()


def files_of(root):
    """All files except those that a running system writes."""
    found = set()
    for directory, folders, files in os.walk(root):
        place = pathlib.Path(directory).relative_to(root)
        folders[:] = [f for f in folders if str(place / f) not in OF_THE_MACHINE]
        found.update(str(place / name) for name in folders + files)
    return {name for name in found if name not in OF_THE_MACHINE}


class Life(unittest.TestCase):
    """One machine for all tests, which continue each other in the order of their names."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        work = pathlib.Path(directory.name)
        cls.older, *_ = package(work / "older", "--version", OLDER)
        cls.newer, cls.archive, _ = package(work / "newer")
        cls.root = work / "root"
        make_root(cls.root, work)
        cls.machine = Machine(cls.root)
        cls.addClassCleanup(lambda: cls.machine.kill())
        cls.before = files_of(cls.root)

    def path(self, name):
        return self.root / name.lstrip("/")

    def follow(self, which, file):
        """Runs the commands of docs/packages.md that install `file` in the machine."""
        section = (ROOT / "docs/packages.md").read_text().split("\n## Install\n")[1]
        commands = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[which]
        named = r"patchbay[-_]\d\S*\.(?:deb|tar\.gz)"
        commands, found = re.subn(named, file.name, commands)
        self.assertEqual(found, 1, commands)
        shutil.copy(file, self.root / "root")
        return self.machine.run("sh", "-e", "-x", "-c", f"cd /root\n{commands}")

    def version(self):
        return self.machine.run("dpkg-query", "--show", "--showformat=${Version}", "patchbay")

    def test_01_installed_it_waits_for_a_configuration(self):
        self.machine.install(self.older)
        self.assertEqual(self.version(), f"{OLDER}-1")
        self.assertEqual(self.machine.run("dpkg", "--verify", "patchbay"), "")
        enabled = self.machine.run("systemctl", "is-enabled", "patchbay.service")
        self.assertEqual(enabled.strip(), "enabled")
        self.assertEqual(self.machine.property("ActiveState"), "inactive")
        self.assertEqual(self.machine.property("ConditionResult"), "no")
        self.assertEqual(self.machine.property("Result"), "success")

    def test_02_the_documents_tell_how_to_start_it(self):
        self.follow(0, self.older)
        self.machine.wait_until_active()
        names = [r["name"] for r in self.machine.status()["resources"]]
        self.assertEqual(names, ["devices.example.com/uart"])
        self.path("/etc/patchbay/patchbay.yaml").unlink()

    def test_03_started_it_offers_devices_and_waits_for_the_kubelet(self):
        self.machine.run("systemctl", "stop", "patchbay.service")
        self.path("/etc/patchbay/null.yaml").write_text(CONFIGURATION)
        self.machine.run("systemctl", "start", "patchbay.service")
        # The start returns when the daemon is ready.
        self.assertEqual(self.machine.property("ActiveState"), "active")
        status = self.machine.status()
        self.assertEqual([r["name"] for r in status["resources"]], ["example.com/null"])
        self.assertEqual([u["id"] for u in status["resources"][0]["units"]], ["null"])
        # The sockets of the leader election prove that the daemon can write there.
        plugins = self.path("/var/lib/kubelet/device-plugins/patchbay")
        wait_for(lambda: plugins.is_dir() and any(plugins.rglob("*")), "its sockets")

    def test_04_an_edit_takes_effect_and_a_mistake_does_not_end_it(self):
        process = self.machine.property("MainPID")
        config = self.path("/etc/patchbay/null.yaml")
        another = "  - {name: example.com/zero, match: {glob: /dev/zero}}\n"
        config.write_text(CONFIGURATION + another)
        wait_for(lambda: len(self.machine.status()["resources"]) == 2, "the second resource")
        config.write_text(CONFIGURATION + "  - {nam: example.com/zero}\n")
        wait_for(lambda: "refused" in self.machine.run("journalctl", "--unit=patchbay"), "refusal")
        config.write_text(CONFIGURATION)
        wait_for(lambda: len(self.machine.status()["resources"]) == 1, "the first resource alone")
        self.assertEqual(self.machine.property("MainPID"), process)

    def test_05_killed_it_comes_back(self):
        process = self.machine.property("MainPID")
        self.machine.run("systemctl", "kill", "--signal=KILL", "patchbay.service")
        wait_for(lambda: self.machine.property("MainPID") not in ("0", process), "another process")
        self.machine.wait_until_active()
        self.assertEqual(self.machine.property("NRestarts"), "1")

    def test_06_an_upgrade_keeps_what_the_administrator_wrote(self):
        environment = self.path("/etc/patchbay/patchbay.env")
        environment.write_text("PATCHBAY_OPTIONS=--log-level debug\nNODE_NAME=node-7\n")
        process = self.machine.property("MainPID")
        self.machine.install(self.newer)
        self.assertEqual(self.version(), f"{project_version()}-1")
        self.machine.wait_until_active()
        self.assertNotIn(self.machine.property("MainPID"), ("0", process))
        self.assertEqual(self.machine.status()["node"], "node-7")
        self.assertIn("log-level debug", environment.read_text())
        self.assertEqual(self.path("/etc/patchbay/null.yaml").read_text(), CONFIGURATION)

    def test_07_stopped_it_stays_so_and_leaves_no_socket(self):
        self.machine.run("systemctl", "stop", "patchbay.service")
        self.assertEqual(self.machine.property("ActiveState"), "inactive")
        self.assertEqual(self.machine.property("Result"), "success")
        self.assertEqual(list(self.path("/var/lib/kubelet/device-plugins").glob("*.sock")), [])
        self.assertEqual(self.machine.try_run("ls", "/run/patchbay").returncode, 2)

    def test_08_at_boot_it_is_ready_before_the_kubelet(self):
        self.machine.shut_down()
        self.path("/root/found-by-kubelet").unlink(missing_ok=True)
        shutil.rmtree(self.path("/var/lib/kubelet"))  # As on a new node.
        type(self).machine = Machine(self.root)
        self.assertEqual(self.path("/root/found-by-kubelet").read_text(), "active\n")
        self.machine.wait_until_active()

    def test_09_removed_it_keeps_its_configuration_alone(self):
        self.machine.run("dpkg", "--remove", "patchbay")
        self.assertEqual(self.machine.property("ActiveState"), "inactive")
        left = {name for name in files_of(self.root) - self.before if "kubelet" not in name}
        self.assertLessEqual(
            {name for name in left if not name.startswith(("etc/patchbay", "var/lib/systemd"))},
            {"etc/systemd/system/multi-user.target.wants/patchbay.service"},
        )
        self.assertIn("etc/patchbay/patchbay.env", left)

    def test_10_purged_it_leaves_what_the_administrator_made(self):
        self.machine.run("dpkg", "--purge", "patchbay")
        left = {name for name in files_of(self.root) - self.before if "kubelet" not in name}
        self.assertEqual(left, {"etc/patchbay", "etc/patchbay/null.yaml"})

    def test_11_the_archive_is_installed_as_the_documents_tell(self):
        self.follow(1, self.archive)
        self.machine.run("systemctl", "start", "patchbay.service")
        self.assertEqual(
            [r["name"] for r in self.machine.status()["resources"]], ["example.com/null"]
        )
        shown = self.machine.run("systemctl", "show", "--property=FragmentPath", "patchbay.service")
        self.assertIn("/usr/local/lib/systemd/system", shown)
        self.machine.shut_down()


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test/package/check_life.py: run as root")
    unittest.main(verbosity=2, failfast=True)
