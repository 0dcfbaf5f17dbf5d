"""The version is defined in CMakeLists.txt. All other places must have the same. With
PATCHBAY_UPDATE_GOLDEN=1 the test writes it there."""

import os
import re
import unittest

from binary import patchbay
from documents import ROOT, all_documents

NUMBER = r"\d+\.\d+\.\d+"
# In texts that users copy, and in output that documents show.
COPY = re.compile(
    rf"(?m)(patchbay[:_ -]|for version |newTag: |^version: |^appVersion: |^bench-\d +|releases?[ /]|\| `)({NUMBER})\b")


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(rf"^project\(patchbay VERSION ({NUMBER}) ", text, re.MULTILINE)[1]


def copies():
    """The files that repeat the version."""
    files = [document.path for document in all_documents()]
    for folder in ("deploy", "scripts"):
        files += [file for file in (ROOT / folder).rglob("*") if file.is_file()]
    # The changelog also has older versions.
    return [file for file in files
            if file.name != "CHANGELOG.md" and COPY.search(file.read_text(errors="replace"))]


class Versions(unittest.TestCase):
    def test_the_binary_has_it(self):
        self.assertRegex(patchbay("--version").stdout, rf"^patchbay {version()}[ ,]")

    def test_the_changelog_begins_with_it(self):
        headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertRegex(headings[0], rf"^{version()} \((unreleased|\d{{4}}-\d{{2}}-\d{{2}})\)$")
        for heading in headings[1:]:
            self.assertRegex(heading, rf"^{NUMBER} \(\d{{4}}-\d{{2}}-\d{{2}}\)$")

    def test_images_and_packages_are_named_with_it(self):
        files = copies()
        self.assertGreater(len(files), 5)
        for file in files:
            if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
                file.write_text(COPY.sub(rf"\g<1>{version()}", file.read_text()))
            for _, number in COPY.findall(file.read_text()):
                with self.subTest(str(file.relative_to(ROOT))):
                    self.assertEqual(number, version())


if __name__ == "__main__":
    unittest.main()
