"""Makes images for the tests, reads them, and runs their programs."""

import functools
import hashlib
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PATCHBAY_BUILD") or ROOT / "build/release")
# A build for another architecture is in a directory with its name.
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
if BUILD.name.endswith("-arm64"):
    ARCHITECTURE = "arm64"

SCRATCH = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(SCRATCH.name)


def output_of(*arguments, **more):
    ran = subprocess.run(
        [str(argument) for argument in arguments], capture_output=True, text=True, **more
    )
    if ran.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, arguments))}: {ran.returncode}\n{ran.stderr}")
    return ran.stdout


def commit():
    return output_of("git", "-C", ROOT, "rev-parse", "HEAD").strip()


def commit_time():
    return int(output_of("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def make(output, *options, tree=ROOT):
    """Makes a layout with the program of a tree, with the commit and time of ROOT."""
    printed = output_of(
        "/usr/bin/python3", "-B", tree / "deploy/image/make_image.py",
        "--arch", ARCHITECTURE, "--output", output, *options,
        env={**os.environ, "PATCHBAY_COMMIT": commit(), "SOURCE_DATE_EPOCH": str(commit_time())},
    )
    return Layout(pathlib.Path(printed.split()[0]))


@functools.cache
def plain():
    return make(DIRECTORY / "plain")


@functools.cache
def debug():
    return make(DIRECTORY / "debug", "--debug")


class Layout:
    """An image of one architecture, read as a client would that pulls it. `architecture` selects an
    image of a multi-architecture one."""

    def __init__(self, path, architecture=None):
        self.path = path
        self.index = json.loads((path / "index.json").read_text())
        (self.top,) = self.index["manifests"]
        manifest = self.top
        if architecture:
            (manifest,) = (one for one in json.loads(self.blob(self.top))["manifests"]
                           if one["platform"]["architecture"] == architecture)
        self.manifest = json.loads(self.blob(manifest))
        self.config = json.loads(self.blob(self.manifest["config"]))
        (layer,) = self.manifest["layers"]
        with tarfile.open(fileobj=io.BytesIO(self.blob(layer)), mode="r:gz") as archive:
            self.members = {"/" + member.name: member for member in archive}
            self.content = {
                "/" + member.name: archive.extractfile(member).read()
                for member in archive if member.isfile()
            }
        self._layer = layer

    def blob(self, descriptor):
        data = (self.path / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
        assert len(data) == descriptor["size"], descriptor
        assert "sha256:" + hashlib.sha256(data).hexdigest() == descriptor["digest"], descriptor
        return data

    @functools.cached_property
    def root(self):
        """The directory with the unpacked files of the image."""
        root = DIRECTORY / f"root-{self.path.name}-{self.config['architecture']}"
        root.mkdir()
        with tarfile.open(fileobj=io.BytesIO(self.blob(self._layer)), mode="r:gz") as archive:
            archive.extractall(root)
        return root

    def run(self, *command):
        """The output of a program that runs in the image."""
        return output_of(*self._inside(command), env=self._environment())

    def start(self, *command):
        """Starts a program in the image. Its output and log are one stream."""
        return subprocess.Popen(
            [str(word) for word in self._inside(command)], env=self._environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _inside(self, command):
        """The command line that runs `command` in the image, with /dev, /proc and /sys."""
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        script = """
            for place in dev proc sys; do mount --rbind "/$place" "$0/$place"; done
            exec chroot "$0" "$@"
        """
        return ["unshare", *as_root, "--mount", "--propagation", "private",
                "sh", "-euc", script, self.root, *command]

    def _environment(self):
        told = dict(entry.split("=", 1) for entry in self.config["config"]["Env"])
        return {**told, "PATH": f"{told['PATH']}:{os.environ['PATH']}"}
