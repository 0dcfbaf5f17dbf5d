"""The files that `cmake --install` writes below a prefix."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("PATCHBAY_BUILD") or ROOT / "build/asan"
CMAKE = os.environ.get("PATCHBAY_CMAKE") or "cmake"

# The files that the binary prints, and the commands that print them.
FROM_THE_BINARY = {
    "share/patchbay/patchbay.v1.schema.json": ["schema"],
    "share/bash-completion/completions/patchbay": ["completion", "bash"],
    "share/zsh/site-functions/_patchbay": ["completion", "zsh"],
    "share/fish/vendor_completions.d/patchbay.fish": ["completion", "fish"],
}


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

    def test_no_other_files_are_installed(self):
        commands = re.findall(r"^  (\w+)  ", run(self.patchbay, "--help"), re.MULTILINE)
        self.assertGreater(len(commands), 10)
        pages = ["patchbay", "kubectl-patchbay", *(f"patchbay-{command}" for command in commands)]
        installed = (file for file in self.prefix.rglob("*") if file.is_file())
        self.assertCountEqual(
            [
                "bin/patchbay",
                "bin/patchbay-kube",
                "bin/kubectl-patchbay",
                "lib/systemd/system/patchbay.service",
                *FROM_THE_BINARY,
                *(f"share/man/man1/{page}.1" for page in pages),
            ],
            [str(file.relative_to(self.prefix)) for file in installed],
        )

    def test_the_files_are_what_the_binary_prints(self):
        for file, command in FROM_THE_BINARY.items():
            self.assertEqual((self.prefix / file).read_text(), run(self.patchbay, *command), file)

    def test_bash_completes_by_the_file(self):
        file = self.prefix / "share/bash-completion/completions/patchbay"
        self.assertIn("patchbay", run("bash", "-c", f"source '{file}' && complete -p patchbay"))


if __name__ == "__main__":
    unittest.main()
