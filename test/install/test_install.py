"""The files that `cmake --install` writes below a prefix: exactly the list of docs/commands.md."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("PATCHBAY_BUILD") or ROOT / "build/asan"
CMAKE = os.environ.get("PATCHBAY_CMAKE") or "cmake"


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.prefix = pathlib.Path(directory.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.patchbay = cls.prefix / "bin/patchbay"

    def test_it_is_what_the_documents_list(self):
        section = (ROOT / "docs/commands.md").read_text().split("\n## Install\n")[1]
        listed = re.findall(r"^\| `([^`]+/[^`]+)` \|", section, re.MULTILINE)
        installed = (file for file in self.prefix.rglob("*") if file.is_file())
        self.assertEqual(
            sorted(listed), sorted(str(file.relative_to(self.prefix)) for file in installed)
        )

    def test_the_files_are_what_the_binary_prints(self):
        for file, command in {
            "share/patchbay/patchbay.v1.schema.json": ["schema"],
            "share/bash-completion/completions/patchbay": ["completion", "bash"],
            "share/zsh/site-functions/_patchbay": ["completion", "zsh"],
            "share/fish/vendor_completions.d/patchbay.fish": ["completion", "fish"],
        }.items():
            self.assertEqual((self.prefix / file).read_text(), run(self.patchbay, *command), file)

    def test_bash_completes_by_the_file(self):
        file = self.prefix / "share/bash-completion/completions/patchbay"
        self.assertIn("patchbay", run("bash", "-c", f"source '{file}' && complete -p patchbay"))


if __name__ == "__main__":
    unittest.main()
