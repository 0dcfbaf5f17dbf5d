"""The content of an image, and the programs that run in it."""

import re
import stat
import threading
import unittest

from images import ARCHITECTURE, PATIENCE, ROOT, debug, plain

ENTRY = "/usr/local/bin/patchbay"
KUBE = "/usr/local/bin/patchbay-kube"
LOADER = {
    "amd64": "/usr/lib64/ld-linux-x86-64.so.2",
    "arm64": "/usr/lib/ld-linux-aarch64.so.1",
}[ARCHITECTURE]


class Plain(unittest.TestCase):
    def test_it_has_no_shell_and_no_other_program(self):
        programs = [
            path for path, member in plain().members.items()
            if member.isfile() and member.mode & 0o111
        ]
        self.assertCountEqual(programs, [ENTRY, KUBE, LOADER])

    def test_nothing_gives_a_privilege_or_is_for_all_to_write(self):
        for path, member in plain().members.items():
            with self.subTest(path):
                self.assertFalse(member.mode & (stat.S_ISUID | stat.S_ISGID))
                if not member.issym() and path != "/tmp":
                    self.assertFalse(member.mode & 0o022)

    def test_links_lead_somewhere(self):
        root = plain().root
        for path, member in plain().members.items():
            if member.issym() and not member.linkname.startswith("/"):
                with self.subTest(path):
                    self.assertTrue((root / path.lstrip("/")).exists())

    def test_the_entry_point_is_that_of_the_dockerfile(self):
        dockerfile = (ROOT / "deploy/Dockerfile").read_text()
        entries = re.findall(r"^ENTRYPOINT \[\"(.*)\"\]$", dockerfile, re.MULTILINE)
        self.assertEqual(set(entries), {ENTRY})
        self.assertEqual(plain().config["config"]["Entrypoint"], [ENTRY])
        (path,) = set(re.findall(r"^ENV (PATH=.*)$", dockerfile, re.MULTILINE))
        self.assertEqual(plain().config["config"]["Env"], [path])

    def test_the_dockerfile_makes_the_same_files(self):
        """Both images have the same program, without additions."""
        dockerfile = (ROOT / "deploy/Dockerfile").read_text()
        made = dict(re.findall(r"^RUN scripts/image --root (\S+)(.*)$", dockerfile, re.MULTILINE))
        self.assertEqual(made, {"/image": "", "/image-debug": " --debug"})
        for stage in dockerfile.split("\nFROM scratch")[1:]:
            commands = re.findall(r"^([A-Z]+) ", stage.split("\n", 1)[1], re.MULTILINE)
            self.assertEqual(commands, ["COPY", "ENV", "ENTRYPOINT"])
            self.assertRegex(stage, r"COPY --from=build /image(-debug)?/ /\n")

    def test_no_engine_reads_the_build_folder_for_the_dockerfile(self):
        """Only BuildKit reads an ignore file beside the Dockerfile."""
        self.assertIn("build", (ROOT / ".dockerignore").read_text().split())
        self.assertEqual([*(ROOT / "deploy").glob("*.dockerignore")], [])

    def test_it_says_which_debian_it_is(self):
        self.assertIn(b"VERSION_CODENAME=bookworm", plain().content["/usr/lib/os-release"])
        for package in ("base-files", "libc6", "libudev1"):
            control = plain().content[f"/var/lib/dpkg/status.d/{package}"].decode()
            self.assertIn(f"Package: {package}\n", control)
            self.assertTrue(plain().content[f"/usr/share/doc/{package}/copyright"])


class Running(unittest.TestCase):
    CONFIG = """\
apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/null
    match: {glob: /dev/null, type: char}
    id: $(name)
    health:
      - {tcp: "localhost:1", period: 1s, failureThreshold: 1}
"""

    def setUp(self):
        (plain().root / "etc/patchbay/lab.yaml").write_text(self.CONFIG)

    def patchbay(self, *arguments):
        return plain().run(ENTRY, *arguments)

    def test_it_says_its_version(self):
        version = plain().config["config"]["Labels"]["org.opencontainers.image.version"]
        self.assertTrue(self.patchbay("version").startswith(f"patchbay {version}, "))

    def test_the_client_of_the_api_server_starts(self):
        with plain().start(KUBE) as program:
            self.assertIn("patchbay-kube: --driver", program.stdout.read())

    def test_it_reads_a_configuration_and_finds_devices(self):
        self.assertIn("ok: 1 resource", self.patchbay("validate", "/etc/patchbay"))
        self.assertIn("lab.example.com/null", self.patchbay("discover", "/etc/patchbay"))

    def test_it_resolves_names(self):
        """A probe of a port resolves names with the C library, which loads libraries that may be
        missing."""
        # A container runtime writes such a file.
        (plain().root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        program = plain().start(ENTRY, "run", "--standalone", "--config", "/etc/patchbay")
        hangs = threading.Timer(PATIENCE, program.kill)
        self.addCleanup(hangs.cancel)
        hangs.start()
        with program:
            told = next((line for line in program.stdout if "unit is unhealthy" in line), "nothing")
            program.terminate()
        self.assertIn('reason="localhost:1 refuses connections"', told)


class Debug(unittest.TestCase):
    def test_it_has_all_of_the_plain_one(self):
        ours = {path: data for path, data in plain().content.items() if "spdx" not in path}
        self.assertLessEqual(ours.items(), debug().content.items())

    def test_it_has_a_shell(self):
        self.assertEqual(debug().run("/bin/sh", "-c", "echo $((6 * 7)); id -un"), "42\nroot\n")

    def test_its_programs_start(self):
        for program, option in {
            "ethtool": "--version", "gpiodetect": "--version", "gpioget": "--version",
            "lsusb": "--version", "nc": "--help", "wget": "--help",
        }.items():
            with self.subTest(program):
                debug().run("/bin/sh", "-c", f"{program} {option} 2>&1")

    def test_no_library_is_missing(self):
        told = debug().run("/bin/sh", "-c", f"""
            for program in /usr/bin/* /usr/sbin/*; do
              [ -L "$program" ] || [ "$program" = /usr/bin/busybox ] || {LOADER} --list "$program"
            done""")
        self.assertNotIn("not found", told)
        self.assertIn("libusb-1.0.so.0", told)


if __name__ == "__main__":
    unittest.main()
