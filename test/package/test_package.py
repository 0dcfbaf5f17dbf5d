"""Tests the content of the Debian package and the archive. Debian's own tools must accept them.
test/package/check_life.py installs the package."""

import configparser
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

from packages import BUILD, ROOT, UNIT, package, project_version, run


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.deb, cls.archive, cls.plugin, cls.krew = package(cls.directory / "out")
        cls.root = cls.directory / "root"
        run("dpkg-deb", "--extract", cls.deb, cls.root)
        run("dpkg-deb", "--control", cls.deb, cls.directory / "control")
        cls.patchbay = cls.root / "usr/bin/patchbay"

    def field(self, name):
        return run("dpkg-deb", "--field", self.deb, name).strip()

    def files(self):
        return sorted(
            str(file.relative_to(self.root)) for file in self.root.rglob("*") if not file.is_dir()
        )

    def commands(self):
        listed = run(self.patchbay, "--help").split("Commands:\n")[1].split("\n\n")[0]
        return re.findall(r"^  (\w+) ", listed, re.MULTILINE)

    def test_it_says_what_it_is(self):
        self.assertEqual(self.field("Package"), "patchbay")
        self.assertEqual(self.field("Version"), f"{project_version()}-1")
        self.assertEqual(self.field("Architecture"), run("dpkg", "--print-architecture").strip())
        self.assertIn(f"patchbay {project_version()}", run(self.patchbay, "--version"))
        name = f"patchbay_{self.field('Version')}_{self.field('Architecture')}.deb"
        self.assertEqual(self.deb.name, name)

    def test_it_needs_udev_and_libc_alone(self):
        needed = re.findall(r"(\S+) \(>= [^)]+\)", self.field("Depends"))
        self.assertCountEqual(needed, ["libc6", "libudev1"])

    def test_it_recommends_the_libraries_of_dra(self):
        recommended = re.findall(r"(\S+) \(>= [^)]+\)", self.field("Recommends"))
        self.assertCountEqual(recommended, ["libcpp-httplib0.11", "libgcc-s1", "libstdc++6"])
        done = subprocess.run([self.root / "usr/bin/patchbay-kube"], capture_output=True, text=True)
        self.assertTrue(done.stderr.startswith("patchbay-kube: --driver"), done.stderr)

    def test_it_has_all_that_an_installation_has_and_its_configuration_and_documents(self):
        installed = self.directory / "installed"
        run("cmake", "--install", BUILD, "--prefix", installed / "usr")
        expected = [str(f.relative_to(installed)) for f in installed.rglob("*") if f.is_file()]
        expected = [re.sub(r"(/man/.*)$", r"\1.gz", name) for name in expected]
        configuration = ["etc/patchbay/patchbay.env", "etc/patchbay/patchbay.yaml.example"]
        others = [f for f in self.files() if not f.startswith("usr/share/doc/patchbay/")]
        # lintian's overrides exist only in the package.
        others.remove("usr/share/lintian/overrides/patchbay")
        self.assertEqual(others, sorted(expected + configuration))

    def test_it_has_the_documents_schemas_examples_and_licences(self):
        names = {name.removesuffix(".gz") for name in self.files()}
        for folder, pattern, place in (
            ("docs", "*.md", "docs"), ("schemas", "*.json", "schemas"),
            ("examples/configs", "*.yaml", "examples"),
        ):
            for file in (ROOT / folder).rglob(pattern):
                name = file.relative_to(ROOT / folder)
                self.assertIn(f"usr/share/doc/patchbay/{place}/{name}", names)
        for file in (ROOT / "examples/tests").rglob("*.*"):
            name = file.relative_to(ROOT)
            self.assertTrue((self.root / "usr/share/doc/patchbay" / name).exists(), name)
        for name in ("copyright", "changelog", "changelog.Debian", "licences/libgrpc-dev",
                     "licences/libspdlog-dev"):
            self.assertIn(f"usr/share/doc/patchbay/{name}", names)

    def test_the_document_tells_of_each_file(self):
        table = (ROOT / "docs/packages.md").read_text().split("<!-- package -->\n")[1]
        listed = re.findall(r"^\| `/([^`]+)` \|", table.split("\n\n")[0], re.MULTILINE)
        for path in listed:
            self.assertTrue((self.root / path).exists(), path)
        for name in self.files():
            self.assertTrue(any(name == p or name.startswith(f"{p}/") for p in listed), name)

    def test_all_belongs_to_root_and_who_may_write_is_root(self):
        for line in run("dpkg-deb", "--contents", self.deb).splitlines():
            mode, owner, *_, path = line.split()
            with self.subTest(path):
                self.assertEqual(owner, "root/root")
                executable = mode.startswith("d") or path.startswith("./usr/bin/")
                self.assertEqual(mode[1:], "rwxr-xr-x" if executable else "rw-r--r--")

    def test_dpkg_knows_what_an_administrator_may_edit(self):
        listed = (self.directory / "control/conffiles").read_text().split()
        self.assertEqual(listed, [f"/{f}" for f in self.files() if f.startswith("etc/")])

    def test_the_sums_are_of_all_other_files(self):
        sums = self.directory / "control/md5sums"
        run("md5sum", "--check", "--strict", sums, cwd=self.root)
        named = [line.split("  ")[1] for line in sums.read_text().splitlines()]
        self.assertCountEqual(named, [f for f in self.files() if not f.startswith("etc/")])

    def test_lintian_finds_nothing(self):
        # Suppresses the warning of lintian that root runs it.
        done = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", self.deb],
            capture_output=True, text=True,
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_each_command_has_a_manual_page_with_all_its_options(self):
        pages = {f.name for f in (self.root / "usr/share/man/man1").iterdir()}
        expected = {"patchbay.1.gz", "kubectl-patchbay.1.gz"} | {f"patchbay-{c}.1.gz" for c in self.commands()}
        self.assertEqual(pages, expected)
        for command in self.commands():
            page = self.root / f"usr/share/man/man1/patchbay-{command}.1.gz"
            wide = {"MANWIDTH": "200", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
            text = run("man", "--local-file", page, env=wide)
            help_text = run(self.patchbay, command, "--help")
            for option in re.findall(r"^ +(?:-\w, )?(--[\w-]+)", help_text, re.MULTILINE):
                with self.subTest(f"{command} {option}"):
                    self.assertRegex(text, rf"(?m)^ +(?:-\w, )?{option}\b")
            # The page must have the examples with all their spaces.
            if "Examples:\n" in help_text:
                for line in help_text.split("Examples:\n")[1].splitlines():
                    self.assertIn(line.strip(), text)

    def test_the_manual_pages_are_well_formed(self):
        for page in sorted((self.root / "usr/share/man/man1").iterdir()):
            with self.subTest(page.name):
                self.assertIn(f'"Patchbay {project_version()}"', gzip.decompress(page.read_bytes()).decode())
                linted = subprocess.run(
                    ["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True
                )
                self.assertEqual((linted.returncode, linted.stdout), (0, ""))
                warned = subprocess.run(
                    ["man", "--warnings", "--local-file", page], capture_output=True, text=True
                )
                self.assertEqual((warned.returncode, warned.stderr), (0, ""))

    def test_the_shells_take_the_completions(self):
        share = self.root / "usr/share"
        run("bash", "-n", share / "bash-completion/completions/patchbay")
        run("zsh", "-n", share / "zsh/site-functions/_patchbay")
        run("fish", "--no-execute", share / "fish/vendor_completions.d/patchbay.fish")

    def test_the_example_is_a_configuration_that_is_not_read(self):
        example = self.root / "etc/patchbay/patchbay.yaml.example"
        copy = self.directory / "example.yaml"
        copy.write_text(example.read_text())
        run(self.patchbay, "validate", "--strict", copy)
        done = subprocess.run(
            [self.patchbay, "validate", example.parent], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_the_environment_has_only_options_that_there_are(self):
        text = (self.root / "etc/patchbay/patchbay.env").read_text()
        known = run(self.patchbay, "run", "--help")
        for option in re.findall(r"--[\w-]+", text):
            self.assertIn(option, known)
        for line in text.splitlines():
            self.assertTrue(line.startswith("#") or not line, line)

    def test_the_same_commit_gives_the_same_bytes(self):
        again = package(
            self.directory / "again", preexec_fn=lambda: os.umask(0o077),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
        )
        for first, second in zip((self.deb, self.archive, self.plugin, self.krew), again, strict=True):
            with self.subTest(first.name):
                self.assertEqual(
                    hashlib.sha256(first.read_bytes()).digest(),
                    hashlib.sha256(second.read_bytes()).digest(),
                )

    def test_the_archive_runs_where_it_is_unpacked(self):
        run("tar", "--extract", "--file", self.archive, "--directory", self.directory)
        unpacked = self.directory / self.archive.name.removesuffix(".tar.gz")
        self.assertIn(project_version(), run(unpacked / "bin/patchbay", "--version"))
        for name in ("LICENSE", "CHANGELOG.md", "bin/kubectl-patchbay", "licences/libgrpc-dev", "etc/patchbay/patchbay.env",
                     "share/man/man1/patchbay.1", "lib/systemd/system/patchbay.service"):
            self.assertTrue((unpacked / name).is_file(), name)
        # It would not find its libraries.
        self.assertFalse((unpacked / "bin/patchbay-kube").exists())

    def test_krew_installs_the_plugin_from_its_archive(self):
        manifest = yaml.safe_load(self.krew.read_text())
        self.assertEqual(self.krew.name, f"{manifest['metadata']['name']}.yaml")
        # The required fields, as krew's documents describe them.
        self.assertEqual((manifest["apiVersion"], manifest["kind"]),
                         ("krew.googlecontainertools.github.com/v1alpha2", "Plugin"))
        spec = manifest["spec"]
        self.assertEqual(spec["version"], f"v{project_version()}")
        self.assertNotIn("\n", spec["shortDescription"])
        platform, = spec["platforms"]
        self.assertEqual(set(platform), {"selector", "uri", "sha256", "files", "bin"})
        keys = {e["key"] for e in platform["selector"]["matchExpressions"]}
        self.assertLessEqual(keys, {"os", "arch"})
        self.assertTrue(platform["uri"].endswith(f"/{self.plugin.name}"))
        sum_of_archive = hashlib.sha256(self.plugin.read_bytes()).hexdigest()
        self.assertEqual(platform["sha256"], sum_of_archive)
        # Moves each file to the directory of the plugin, as krew does.
        plugin = self.directory / "krew"
        plugin.mkdir()
        for file in platform["files"]:
            self.assertEqual(file["to"], ".")
            run("tar", "--extract", "--file", self.plugin, "--directory", plugin,
                "--transform=s,.*/,,", file["from"])
        self.assertIn(project_version(), run(plugin / platform["bin"], "--version"))

    def test_the_version_for_krew_is_a_semantic_version(self):
        *_, krew = package(self.directory / "preview", "--version", "0.2.0~rc1")
        self.assertEqual(yaml.safe_load(krew.read_text())["spec"]["version"], "v0.2.0-rc1")


class Service(unittest.TestCase):
    UNIT = ROOT / "deploy/package/patchbay.service"

    def settings(self, section):
        parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
        parser.optionxform = str
        parser.read(self.UNIT)
        return parser[section]

    def test_systemd_understands_it(self):
        with tempfile.TemporaryDirectory() as directory:
            # The binary need not be installed here.
            unit = pathlib.Path(directory) / "patchbay.service"
            unit.write_text(self.UNIT.read_text().replace("ExecStart=patchbay", "ExecStart=true"))
            done = subprocess.run(
                ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True
            )
            said = [line for line in done.stderr.splitlines() if "patchbay" in line]
            self.assertEqual((done.returncode, said), (0, []), done.stderr)

    def test_it_is_well_confined(self):
        # Exposure from 0 to 100; higher is worse. The daemon needs root and sockets of four families.
        run("systemd-analyze", "security", "--offline=yes", "--threshold=30", self.UNIT)

    def test_it_comes_before_every_kubelet(self):
        text = self.UNIT.read_text()
        before = " ".join(re.findall(r"^Before=(.*)$", text, re.MULTILINE)).split()
        for unit in ("kubelet.service", "k3s.service", "k3s-agent.service", "rke2-server.service",
                     "rke2-agent.service", "k0sworker.service"):
            self.assertIn(unit, before)
        # The kubelet must not wait for devices, and Patchbay must not wait for the kubelet.
        for word in ("After=kubelet", "Requires=", "udev-settle"):
            self.assertNotIn(word, text)

    def test_its_memory_is_what_the_manifest_gives(self):
        manifest = yaml.safe_load_all((ROOT / "deploy/patchbay.yaml").read_text())
        pod = next(o for o in manifest if o["kind"] == "DaemonSet")["spec"]["template"]["spec"]
        limit = pod["containers"][0]["resources"]["limits"]["memory"]
        self.assertEqual(self.settings("Service")["MemoryMax"] + "i", limit)


if __name__ == "__main__":
    unittest.main()
