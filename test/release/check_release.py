"""Checks the files of a release as their users use them: sums and signature, each image and package
starts, the Debian package is installed and purged in a new Debian 12, the chart renders.

    scripts/release --check DIR [--public-key FILE]

Programs of another architecture run in QEMU. Requires root and the network."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("image", "package", "cluster"):  # Both `image` and `cluster` have an images.py.
    sys.path.append(str(ROOT / "test" / folder))
import go_programs
from images import Layout
from packages import libraries_of, make_debian, run

NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
EMULATOR = {"amd64": "qemu-x86_64", "arm64": "qemu-aarch64"}
UNSIGNED = ("SHA256SUMS", "SHA256SUMS.minisig")


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def expect_start(start_kube):
    """Expects patchbay-kube to find its libraries: then it reports the arguments that are missing."""
    try:
        start_kube()
    except AssertionError as why:
        expect("patchbay-kube: --driver" in str(why), f"patchbay-kube does not start: {why}")


class Release:
    """The files in a directory. Each method checks one kind and returns a summary, or raises."""

    def __init__(self, directory, scratch):
        self.directory = directory
        self.scratch = scratch
        (chart,) = directory.glob("patchbay-*.tgz")
        self.version = re.fullmatch(r"patchbay-(.+)\.tgz", chart.name)[1]
        self.chart_file = chart
        self._commit = ""  # The commit of the first program that ran.
        self._roots = {}  # Architecture -> the unpacked image, with the loader for emulated programs.

    def file(self, name):
        path = self.directory / name.replace("VERSION", self.version)
        expect(path.is_file(), f"{path.name} is missing")
        return path

    def sums(self):
        run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=self.directory)
        listed = [line.split("  ", 1)[1] for line in self.file("SHA256SUMS").read_text().splitlines()]
        found = sorted(path.name for path in self.directory.iterdir() if path.name not in UNSIGNED)
        expect(listed == found, f"not the listed files: {sorted(set(listed) ^ set(found))}")
        return f"{len(listed)} files"

    def signature(self, public_key):
        said = run("minisign", "-V", "-p", public_key, "-m", self.file("SHA256SUMS"),
                   "-x", self.file("SHA256SUMS.minisig"))
        return said.splitlines()[-1]

    def architectures(self):
        return sorted(re.search(r"-1_(\w+)\.deb$", path.name)[1]
                      for path in self.directory.glob("*.deb"))

    def image(self, architecture, suffix=""):
        name = f"patchbay-VERSION{suffix}"
        layout = self.scratch / f"layout{suffix}"
        if not layout.exists():
            layout.mkdir()
            run("tar", "--extract", "--file", self.file(f"{name}.oci.tar"), "--directory", layout)
        image = Layout(layout, architecture)
        expect(image.config["architecture"] == architecture, "another architecture")
        self._roots.setdefault(architecture, image.root)
        sbom = self.file(f"{name}-{architecture}.spdx.json").read_bytes()
        expect(image.content["/usr/share/sbom/patchbay.spdx.json"] == sbom, "another SBOM")
        labels = image.config["config"]["Labels"]
        expect(labels["org.opencontainers.image.version"] == self.version, str(labels))
        (program,) = image.config["config"]["Entrypoint"]

        def start(path, *arguments):
            return (image.run(path, *arguments) if architecture == NATIVE
                    else self.run_emulated(architecture, image.root / path.lstrip("/"), *arguments))

        expect_start(lambda: start(f"{program}-kube"))
        return self.of_this_version(start(program, "version"),
                                    labels["org.opencontainers.image.revision"])

    def debian_package(self, architecture):
        deb = self.file(f"patchbay_VERSION-1_{architecture}.deb")
        expect(run("dpkg-deb", "--field", deb, "Version").strip() == f"{self.version}-1", "another version")
        self.spdx(deb)
        if architecture != NATIVE:
            root = self.scratch / deb.name
            run("dpkg-deb", "--extract", deb, root)
            expect_start(lambda: self.run_emulated(architecture, root / "usr/bin/patchbay-kube"))
            return self.of_this_version(
                self.run_emulated(architecture, root / "usr/bin/patchbay", "version"))
        root = self.scratch / "debian"
        make_debian(root, self.scratch, *libraries_of(deb))
        before = files_of(root)
        (root / "tmp/patchbay.deb").write_bytes(deb.read_bytes())
        run("chroot", root, "dpkg", "--install", "/tmp/patchbay.deb")
        said = self.of_this_version(run("chroot", root, "patchbay", "version"))
        run("chroot", root, "patchbay", "validate", "/etc/patchbay/patchbay.yaml.example")
        expect_start(lambda: run("chroot", root, "patchbay-kube"))
        run("chroot", root, "dpkg", "--purge", "patchbay")
        left = files_of(root) - before - {"tmp/patchbay.deb"}
        expect(not left, f"left after the purge: {sorted(left)}")
        return f"{said}, installed and purged"

    def archive(self, architecture):
        archive = self.file(f"patchbay-VERSION-linux-{architecture}.tar.gz")
        self.spdx(archive)
        run("tar", "--extract", "--file", archive, "--directory", self.scratch)
        binary = self.scratch / archive.name.removesuffix(".tar.gz") / "bin/patchbay"
        return self.of_this_version(run(binary, "version") if architecture == NATIVE
                                    else self.run_emulated(architecture, binary, "version"))

    def kubectl_plugin(self):
        archive = self.file("kubectl-patchbay-VERSION.tar.gz")
        self.spdx(archive)
        manifest = yaml.safe_load(self.file("patchbay.yaml").read_text())
        (platform,) = manifest["spec"]["platforms"]
        expect(platform["uri"].endswith(f"/{archive.name}"), platform["uri"])
        expect(platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest(), "another sum")
        run("tar", "--extract", "--file", archive, "--directory", self.scratch)
        plugin = self.scratch / archive.name.removesuffix(".tar.gz") / platform["bin"]
        said = run(plugin, "--version").strip()
        expect(said == f"kubectl-patchbay {self.version}", said)
        return said

    def chart(self):
        self.spdx(self.chart_file)
        helm = str(go_programs.build(go_programs.TOOLS["helm"]()))
        shown = yaml.safe_load(run(helm, "show", "values", self.chart_file))
        repository = shown["image"]["repository"] or "registry.example.com/patchbay"
        options = ["--set", f"image.repository={repository},existingConfigMap=patchbay-config"]
        run(helm, "lint", self.chart_file, *options)
        rendered = run(helm, "template", "patchbay", self.chart_file, *options)
        image = f"{repository}:{self.version}"
        expect(image in rendered, f"no {image} in its output")
        return image

    def manifest(self):
        objects = list(yaml.safe_load_all(self.file("patchbay-daemonset.yaml").read_text()))
        (pod,) = (one["spec"]["template"]["spec"] for one in objects if one["kind"] == "DaemonSet")
        image = pod["containers"][0]["image"]
        expect(image.endswith(f"/patchbay:{self.version}"), image)
        return image

    def schema(self):
        schema = json.loads(self.file("patchbay.v1.schema.json").read_text())
        expect("$schema" in schema, "not a JSON schema")
        return schema["title"]

    def spdx(self, file):
        """Its SBOM is of this file."""
        document = json.loads(self.file(f"{file.name}.spdx.json").read_text())
        (package, *_) = document["packages"]
        expect(package["packageFileName"] == file.name, f"the SBOM is of {package['packageFileName']}")
        (checksum,) = package["checksums"]
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        expect(checksum["checksumValue"] == digest, "the SBOM is of another file")

    def run_emulated(self, architecture, *command):
        return run(EMULATOR[architecture], "-L", self._roots[architecture], *command)

    def of_this_version(self, said, commit=""):
        """All programs are of one commit."""
        said = said.split(" (")[0].strip()
        self._commit = self._commit or re.search(r", commit (\S+)", said)[1]
        expect(said.startswith(f"patchbay {self.version}, commit {self._commit} "), said)
        expect(commit.startswith(self._commit) or not commit, f"{said}, but the image is of {commit}")
        return said


def files_of(root):
    """All files but those of dpkg, apt and the system's log."""
    written = ("proc", "sys", "dev", "var/lib/dpkg", "var/cache", "var/log")
    found = {str(path.relative_to(root)) for path in root.rglob("*")}
    return {path for path in found if not path.startswith(written)}


def trust_of(release, public_key):
    """(name, function) of the checks before a program of the release may run."""
    yield "sums", release.sums
    if public_key:
        yield "signature", lambda: release.signature(public_key)


def uses_of(release):
    """(name, function) of the other checks, in order."""
    for architecture in release.architectures():
        for suffix in ("", "-debug"):
            yield f"image{suffix} {architecture}", lambda a=architecture, s=suffix: release.image(a, s)
        yield f"deb {architecture}", lambda a=architecture: release.debian_package(a)
        yield f"archive {architecture}", lambda a=architecture: release.archive(a)
    yield "kubectl plugin", release.kubectl_plugin
    yield "chart", release.chart
    yield "manifest", release.manifest
    yield "schema", release.schema


def count_failures(checks):
    """Runs the checks, and prints a line for each."""
    failed = 0
    for name, check in checks:
        try:
            print(f"{'ok':8}{name:22}{check()}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError, ValueError, KeyError,
                TypeError) as why:
            failed += 1
            print(f"{'FAILED':8}{name:22}{why}", flush=True)
    return failed


def check(directory, public_key=None):
    """Checks a release, and returns the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            release = Release(directory, pathlib.Path(scratch))
        except ValueError:
            print(f"scripts/release: {directory} has no chart of a release", file=sys.stderr)
            return 1
        if count_failures(trust_of(release, public_key)):
            print("Nothing of it was run.")
            return 1
        failed = count_failures(uses_of(release))
    if not public_key:
        print("The signature was not checked: give --public-key.")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--public-key", type=pathlib.Path)
    options = parser.parse_args()
    return check(options.directory, options.public_key)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("scripts/release --check: run as root: it installs the package in a new Debian 12")
    sys.exit(main())
