"""Tests a locked package that Debian has replaced."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from images import ARCHITECTURE, ROOT

sys.path.append(str(ROOT / "deploy/image"))
import locked_packages
from debian_packages import Unavailable


class Replaced(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        lock = self.directory / "lock"
        lock.write_text(f"libudev1 1-gone {ARCHITECTURE} {'0' * 64}\n")
        patched = mock.patch.object(locked_packages, "LOCK", lock)
        patched.start()
        self.addCleanup(patched.stop)

    def fetch(self, **more):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            packages = locked_packages.fetch(self.directory, ARCHITECTURE, ["libudev1"], **more)
        return packages, said.getvalue()

    def test_the_newest_is_taken_and_that_is_said(self):
        (package,), said = self.fetch()
        self.assertEqual(package.name, "libudev1")
        self.assertEqual(
            said,
            f"scripts/image: Debian has no libudev1 1-gone any more: using {package.version},"
            " so the image differs from others of this commit.\n"
            "scripts/image --update-packages locks the newest versions; commit the file\n",
        )

    def test_a_release_refuses_it(self):
        with self.assertRaisesRegex(Unavailable, "no libudev1 1-gone any more"):
            self.fetch(exactly=True)


if __name__ == "__main__":
    unittest.main()
