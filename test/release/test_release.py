"""Makes a release of this machine's architecture from the release build, and checks it. Refusals of
scripts/release are tried in a clone."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import check_release
from packages import BUILD, ROOT, package, project_version, run

VERSION = project_version()
ARCHITECTURE = check_release.NATIVE
PROJECT = """\
NAME='Lab Patchbay'
MAINTAINER='Ada Example <ada@lab.example>'
SOURCE='https://git.lab.example/patchbay'
REGISTRY='registry.lab.example/tools'
DOWNLOADS='https://files.lab.example/vVERSION'
"""


def make_release(out, work):
    """With the addresses of a project. The images are of one architecture, as one archive."""
    (work / "project.conf").write_text(PROJECT)
    environment = {
        **os.environ, "PATCHBAY_PROJECT": str(work / "project.conf"),
        # Uncommitted changes of files must not matter here.
        "PATCHBAY_COMMIT": run("git", "-C", ROOT, "rev-parse", "HEAD").strip(),
        "SOURCE_DATE_EPOCH": run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip(),
    }
    package(out, env=environment)
    for variant in ([], ["--debug"]):
        run("/usr/bin/python3", "-B", ROOT / "deploy/image/make_image.py", "--arch", ARCHITECTURE,
            "--output", out, *variant, env=environment)
    for layout in out.glob("*.oci"):
        shutil.rmtree(layout)
    run("/usr/bin/python3", "-B", ROOT / "deploy/release/make_release.py", out, "--build", BUILD,
        env=environment)


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.work = pathlib.Path(directory.name)
        cls.out = cls.work / "out"
        make_release(cls.out, cls.work)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.release = check_release.Release(self.out, pathlib.Path(scratch.name))

    def text(self, name):
        return (self.out / name).read_text()

    def test_it_has_these_files(self):
        deb = f"patchbay_{VERSION}-1_{ARCHITECTURE}.deb"
        archive = f"patchbay-{VERSION}-linux-{ARCHITECTURE}.tar.gz"
        plugin = f"kubectl-patchbay-{VERSION}.tar.gz"
        chart = f"patchbay-{VERSION}.tgz"
        images = [f"patchbay-{VERSION}{variant}-{ARCHITECTURE}{suffix}" for variant in ("", "-debug")
                  for suffix in (".oci.tar", ".spdx.json")]
        expected = [deb, archive, plugin, chart, *images, "patchbay.yaml", "patchbay-daemonset.yaml",
                    "patchbay.v1.schema.json", "release-notes.md", "SHA256SUMS"]
        expected += [f"{file}.spdx.json" for file in (deb, archive, plugin, chart)]
        self.assertCountEqual([file.name for file in self.out.iterdir()], expected)

    def test_its_checks_pass(self):
        self.assertEqual(self.release.sums(), f"{len(list(self.out.iterdir())) - 1} files")
        about = rf"patchbay {re.escape(VERSION)}, commit [0-9a-f]+(-modified)? of [0-9-]+"
        self.assertRegex(self.release.archive(ARCHITECTURE), f"^{about}$")
        self.assertEqual(self.release.kubectl_plugin(), f"kubectl-patchbay {VERSION}")
        self.assertEqual(self.release.chart(), f"registry.lab.example/tools/patchbay:{VERSION}")
        self.assertEqual(self.release.manifest(), f"registry.lab.example/tools/patchbay:{VERSION}")
        self.assertEqual(self.release.schema(), "Patchbay configuration, patchbay/v1")

    def test_a_changed_file_fails(self):
        copy = self.work / "changed"
        shutil.copytree(self.out, copy)
        with open(copy / "patchbay.yaml", "a", encoding="utf-8") as file:
            file.write("\n")
        with self.assertRaisesRegex(AssertionError, "patchbay.yaml: FAILED"):
            check_release.Release(copy, self.work).sums()
        # No program of it may run.
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(check_release.check(copy), 1)
        self.assertRegex(printed.getvalue(), r"(?s)^FAILED  sums .*\nNothing of it was run\.\n$")
        self.assertNotIn("\nok ", printed.getvalue())

    def test_a_file_without_a_sum_fails(self):
        copy = self.work / "more"
        shutil.copytree(self.out, copy)
        (copy / "more.sh").write_text("")
        with self.assertRaisesRegex(AssertionError, "not the listed files: \\['more.sh'\\]"):
            check_release.Release(copy, self.work).sums()

    def test_only_the_signature_of_the_right_key_passes(self):
        for name in ("right", "wrong"):
            run("minisign", "-G", "-W", "-p", self.work / f"{name}.pub", "-s", self.work / f"{name}.key")
        copy = self.work / "signed"
        shutil.copytree(self.out, copy)
        run("minisign", "-S", "-s", self.work / "right.key", "-m", copy / "SHA256SUMS", "-t", "told")
        signed = check_release.Release(copy, self.work)
        self.assertEqual(signed.signature(self.work / "right.pub"), "Trusted comment: told")
        with self.assertRaises(AssertionError):
            signed.signature(self.work / "wrong.pub")
        (copy / "SHA256SUMS").write_text("")
        with self.assertRaises(AssertionError):
            signed.signature(self.work / "right.pub")

    def test_each_sbom_lists_the_files_and_the_linked_libraries(self):
        for path in self.out.glob("*.spdx.json"):
            document = json.loads(path.read_text())
            self.assertEqual(document["spdxVersion"], "SPDX-2.3")
            names = {package["name"] for package in document["packages"]}
            self.assertIn("patchbay", names)
            has_binary = not re.match(r"kubectl-|.*\.tgz\.", path.name)
            self.assertEqual("libgrpc-dev" in names, has_binary, path.name)
            # The archive has no patchbay-kube.
            has_kube = has_binary and "-linux-" not in path.name
            self.assertEqual("libcpp-httplib-dev" in names, has_kube, path.name)
        document = json.loads(self.text(f"patchbay-{VERSION}.tgz.spdx.json"))
        files = {file["fileName"] for file in document["files"]}
        self.assertLessEqual({"./patchbay/Chart.yaml", "./patchbay/files/rules.yaml"}, files)

    def test_names_and_addresses_are_those_of_the_project(self):
        deb = self.out / f"patchbay_{VERSION}-1_{ARCHITECTURE}.deb"
        self.assertEqual(run("dpkg-deb", "--field", deb, "Maintainer", "Homepage"),
                         "Maintainer: Ada Example <ada@lab.example>\n"
                         "Homepage: https://git.lab.example/patchbay\n")
        krew = self.text("patchbay.yaml")
        self.assertIn(f"uri: https://files.lab.example/v{VERSION}/kubectl-patchbay-{VERSION}.tar.gz\n", krew)
        self.assertIn("homepage: https://git.lab.example/patchbay\n", krew)
        chart = run("tar", "--extract", "--to-stdout", "--file", self.release.chart_file,
                    "patchbay/Chart.yaml")
        self.assertIn("\nsources: [https://git.lab.example/patchbay]\n", chart)
        self.assertIn("\n  - {name: Ada Example, email: ada@lab.example}\n", chart)
        image = self.out / f"patchbay-{VERSION}-{ARCHITECTURE}.oci.tar"
        layout = self.work / "layout"
        layout.mkdir()
        run("tar", "--extract", "--file", image, "--directory", layout)
        read = check_release.Layout(layout)
        labels = read.config["config"]["Labels"]
        self.assertEqual(labels["org.opencontainers.image.title"], "Lab Patchbay")
        self.assertEqual(labels["org.opencontainers.image.source"], "https://git.lab.example/patchbay")
        self.assertEqual(read.top["annotations"]["io.containerd.image.name"],
                         f"registry.lab.example/tools/patchbay:{VERSION}")

    def test_the_notes_are_the_section_of_the_changelog(self):
        changelog = (ROOT / "CHANGELOG.md").read_text()
        section = changelog.split(f"## {VERSION} ")[1].split("\n", 1)[1].split("\n## ")[0]
        self.assertEqual(self.text("release-notes.md"), section.strip() + "\n")

    def test_the_same_commit_gives_the_same_bytes(self):
        again = self.work / "again"
        make_release(again, self.work)
        self.assertEqual((again / "SHA256SUMS").read_text(), self.text("SHA256SUMS"))


class Refusals(unittest.TestCase):
    """What must be true before anything is built."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.clone = pathlib.Path(directory.name) / "clone"
        run("git", "clone", "--quiet", ROOT, self.clone)
        # The script of this tree, which may not be committed.
        shutil.copy(ROOT / "scripts/release", self.clone / "scripts/release")
        self.commit()

    def git(self, *arguments):
        return run("git", "-C", self.clone, "-c", "user.name=test", "-c", "user.email=test@localhost",
                   *arguments)

    def commit(self):
        self.git("commit", "--all", "--allow-empty", "--quiet", "--message", "Change")

    def date(self, date):
        changelog = self.clone / "CHANGELOG.md"
        changelog.write_text(re.sub(r"(?m)^(## \S+) \(.*\)$", rf"\1 ({date})", changelog.read_text(),
                                    count=1))

    def refusal(self, *arguments):
        done = subprocess.run([self.clone / "scripts/release", *arguments], capture_output=True,
                              text=True)
        return done.returncode, done.stderr

    def test_they_say_what_to_do(self):
        wrong_use = {
            (): "no version", ("1", "2"): "more than one version",
            ("--kye", "x"): "unknown option '--kye'", ("--key", "/nowhere"): "--key needs a file",
            ("--check", "/nowhere/at/all"): "--check needs a directory",
            ("--registry", "Registry!"): "--registry needs a name such as registry.lab.example/tools",
        }
        for arguments, message in wrong_use.items():
            with self.subTest(arguments):
                code, said = self.refusal(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(f"scripts/release: {message}; see --help\n", said)

        def expect(message, *arguments):
            self.assertEqual(self.refusal(*arguments), (1, f"scripts/release: {message}\n"))

        expect(f"CMakeLists.txt has version {VERSION}: see CONTRIBUTING.md, A release", "9.9.9")
        (self.clone / "new").touch()
        expect("the tree has changes: commit or remove them (git status)", VERSION)
        (self.clone / "new").unlink()
        self.date("unreleased")
        self.commit()
        expect(f"CHANGELOG.md has no date for {VERSION}: replace 'unreleased'", VERSION)
        self.date("2026-01-02")
        self.commit()
        commit = self.git("rev-parse", "HEAD").strip()
        expect(f"commit {commit[:12]} was not tested here: run .ci/run", VERSION)
        (self.clone / "build").mkdir()
        (self.clone / "build/ci-passed").write_text("0123456789abcdef\n")
        expect(f"commit {commit[:12]} was not tested here: run .ci/run", VERSION)


if __name__ == "__main__":
    unittest.main()
