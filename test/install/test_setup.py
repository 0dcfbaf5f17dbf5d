"""scripts/setup waits for the locks of another process that uses apt, and starts and enables no
service of a package."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

POLICY = pathlib.Path("/usr/sbin/policy-rc.d")  # Containers of Debian have this file.
# Programs that precede the real ones in PATH. apt-get fails once for each line of `locked`.
PROGRAMS = {
    "dpkg-query": "exit 1",
    "sudo": 'exec "$@"',
    "sleep": 'echo "slept $*" >>"$STATE/calls"',
    "apt-get": """
echo "apt-get $*" >>"$STATE/calls"
if [ -s "$STATE/locked" ]; then
  sed --in-place 1d "$STATE/locked"
  echo "E: $(cat "$STATE/why")" >&2
  exit 100
fi
case $* in *" install "*) echo /etc/systemd/system/multi-user.target.wants/new.service >>"$STATE/links" ;; esac
""",
    "find": 'cat "$STATE/links"',
    "install": 'echo "install $1 $3" >>"$STATE/calls"; cat "$2" >>"$STATE/calls"',
    "unlink": 'echo "unlink $*" >>"$STATE/calls"',
}
LOCKED = "Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"


class Setup(unittest.TestCase):
    def setUp(self):
        self.state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, script in PROGRAMS.items():
            program = self.state / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        (self.state / "links").write_text("/etc/systemd/system/getty.target.wants/old.service\n")
        for name in ("scripts", "test/page"):
            (self.state / "tree" / name).mkdir(parents=True)
        (self.state / "tree/scripts/setup").write_text((ROOT / "scripts/setup").read_text())

    def run_setup(self, failures, why):
        (self.state / "locked").write_text("x\n" * failures)
        (self.state / "why").write_text(why)
        environment = {**os.environ, "PATH": f"{self.state}:{os.environ['PATH']}",
                       "STATE": str(self.state)}
        done = subprocess.run(["bash", self.state / "tree/scripts/setup"], capture_output=True, text=True,
                              env=environment, check=False)
        return done, (self.state / "calls").read_text().splitlines()

    def test_it_waits_for_dpkg_and_for_the_lists(self):
        done, calls = self.run_setup(3, LOCKED)
        self.assertEqual(done.returncode, 0, done.stderr)
        update = "apt-get -q -o DPkg::Lock::Timeout=300 update"
        install = "apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "
        self.assertEqual(calls[:7], [update, "slept 5"] * 3 + [update])
        packages = (self.state / "tree/build/installed-packages").read_text().split()
        self.assertIn("cmake", packages)
        self.assertIn(install + " ".join(packages), calls)
        self.assertIn("another process holds a lock of apt", done.stderr)

    def test_no_service_is_started_or_enabled(self):
        done, calls = self.run_setup(0, "")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [call for call in calls if not call.startswith("apt-get")]
        link = "unlink /etc/systemd/system/multi-user.target.wants/new.service"
        policy = [f"install --mode=755 {POLICY}", "#!/bin/sh", "exit 101"]
        self.assertEqual(calls, [link] if POLICY.exists() else [*policy, link, f"unlink {POLICY}"])

    def test_a_machine_without_systemd_has_no_service(self):
        (self.state / "find").write_text("#!/bin/sh\nexit 1\n")
        done, calls = self.run_setup(0, "")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call for call in calls if "systemd" in call], [])

    def test_another_failure_is_shown_at_once(self):
        done, calls = self.run_setup(1, "Unable to locate package x")
        self.assertEqual(done.returncode, 100)
        self.assertEqual(len(calls), 1)
        self.assertIn("Unable to locate package x", done.stderr)

    def test_help_installs_nothing(self):
        path = f"{self.state}:{os.environ['PATH']}"
        done = subprocess.run(["bash", self.state / "tree/scripts/setup", "--help"], check=True,
                              capture_output=True, text=True,
                              env={**os.environ, "PATH": path, "STATE": str(self.state)})
        self.assertIn("  scripts/setup --arm64 ", done.stdout)
        self.assertFalse((self.state / "calls").exists())

    def test_a_lock_that_is_never_released_is_given_up(self):
        done, calls = self.run_setup(1000, LOCKED)
        self.assertEqual(done.returncode, 100)
        self.assertEqual(len([call for call in calls if call.startswith("apt-get")]), 60)
        self.assertIn(LOCKED, done.stderr)


if __name__ == "__main__":
    unittest.main()
