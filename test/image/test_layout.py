"""Checks that an image is valid for clients that pull it."""

import gzip
import hashlib
import json
import subprocess
import tarfile
import tempfile
import pathlib
import unittest

from images import ARCHITECTURE, BUILD, ROOT, commit, commit_time, debug, make, output_of, plain

LIMIT = 30_000_000


class Layouts(unittest.TestCase):
    def test_it_is_a_layout(self):
        image = plain()
        told = json.loads((image.path / "oci-layout").read_text())
        self.assertEqual(told, {"imageLayoutVersion": "1.0.0"})
        self.assertEqual(image.config["os"], "linux")
        self.assertEqual(image.config["architecture"], ARCHITECTURE)
        self.assertEqual(image.top["platform"]["architecture"], ARCHITECTURE)

    def test_what_it_says_of_its_layer_is_true(self):
        image = plain()
        (layer,) = image.manifest["layers"]
        data = gzip.decompress(image.blob(layer))
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self.assertEqual(image.config["rootfs"]["diff_ids"], [digest])

    def test_it_is_small(self):
        (layer,) = plain().manifest["layers"]
        self.assertLessEqual(len(gzip.decompress(plain().blob(layer))), LIMIT)

    def test_the_labels_are_true(self):
        labels = plain().config["config"]["Labels"]
        version = next(
            line.split("=", 1)[1] for line in (BUILD / "CMakeCache.txt").read_text().splitlines()
            if line.startswith("CMAKE_PROJECT_VERSION:")
        )
        self.assertEqual(labels["org.opencontainers.image.version"], version)
        self.assertEqual(labels["org.opencontainers.image.revision"], commit())
        self.assertEqual(labels["org.opencontainers.image.created"], plain().config["created"])
        self.assertEqual(labels, plain().manifest["annotations"])

    def test_the_archive_has_all_of_it(self):
        image = plain()
        with tarfile.open(f"{image.path}.tar") as archive:
            packed = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}
        files = {
            str(path.relative_to(image.path)): path.read_bytes()
            for path in image.path.rglob("*") if path.is_file()
        }
        self.assertEqual(packed, files)
        (loadable,) = json.loads(packed["manifest.json"])
        self.assertEqual(json.loads(packed[loadable["Config"]]), image.config)
        for layer in loadable["Layers"]:
            self.assertIn(layer, packed)

    def test_it_has_the_name_that_the_manifest_asks_for(self):
        asked = f"{plain().top['annotations']['io.containerd.image.name']}"
        self.assertIn(f"image: {asked}\n", (ROOT / "deploy/patchbay.yaml").read_text())

    def test_the_debug_variant_has_another_tag(self):
        tags = [image.top["annotations"]["org.opencontainers.image.ref.name"]
                for image in (plain(), debug())]
        self.assertEqual(tags[1], f"{tags[0]}-debug")


class Bits(unittest.TestCase):
    """The same commit gives the same image."""

    def test_made_elsewhere_it_is_the_same(self):
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch) / "another/place"
            for folder in ("deploy", "LICENSE", "build/packages", "build/sysroot"):
                if (ROOT / folder).exists():
                    (tree / folder).parent.mkdir(parents=True, exist_ok=True)
                    output_of("cp", "--recursive", "--preserve=links", ROOT / folder, tree / folder)
            build = tree / "build" / BUILD.name
            (build / "src").mkdir(parents=True)
            for name in ("CMakeCache.txt", "build.ninja", "CMakeFiles/rules.ninja", ".ninja_deps",
                         ".ninja_log", "src/patchbay", "src/patchbay-kube"):
                (build / name).parent.mkdir(exist_ok=True)
                output_of("cp", BUILD / name, build / name)
            again = make(pathlib.Path(scratch) / "output", tree=tree)
            self.assertEqual(again.top, plain().top)
            self.assertEqual(
                pathlib.Path(f"{again.path}.tar").read_bytes(),
                pathlib.Path(f"{plain().path}.tar").read_bytes(),
            )

    def test_the_binary_does_not_tell_where_it_was_built(self):
        binary = plain().content["/usr/local/bin/patchbay"]
        self.assertNotIn(str(ROOT).encode(), binary)

    def test_no_file_has_a_time_or_an_owner_of_its_own(self):
        for path, member in plain().members.items():
            with self.subTest(path):
                self.assertEqual(member.mtime, commit_time())
                self.assertEqual((member.uid, member.gid, member.uname, member.gname), (0, 0, "", ""))


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        ran = subprocess.run(
            [ROOT / "scripts/image", *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2, ran)
        return ran.stderr

    def test_mistakes_are_told(self):
        self.assertIn("amd64, arm64 or all, not 'riscv64'", self.refused("--arch", "riscv64"))
        self.assertIn("unknown option '--arhc'", self.refused("--arhc"))
        self.assertIn("without a tag", self.refused("--name", "registry.example.com/patchbay:1"))
        self.assertIn("needs a directory", self.refused("--output"))
        self.assertIn("one architecture", self.refused("--arch", "all", "--root", "/nowhere"))

    def test_help_tells_every_option(self):
        told = output_of(ROOT / "scripts/image", "--help")
        for option in ("--arch", "--debug", "--name", "--output", "--root", "--update-packages"):
            self.assertIn(f"  {option}", told)


if __name__ == "__main__":
    unittest.main()
