"""The version is defined in CMakeLists.txt. All other places must have the same."""

import re
import unittest

from binary import patchbay
from documents import ROOT, all_documents

NUMBER = r"\d+\.\d+\.\d+"


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(rf"^project\(patchbay VERSION ({NUMBER}) ", text, re.MULTILINE)[1]


class Versions(unittest.TestCase):
    def test_the_binary_has_it(self):
        self.assertRegex(patchbay("--version").stdout, rf"^patchbay {version()}[ ,]")

    def test_the_changelog_begins_with_it(self):
        headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertRegex(headings[0], rf"^{version()} \((unreleased|\d{{4}}-\d{{2}}-\d{{2}})\)$")
        for heading in headings[1:]:
            self.assertRegex(heading, rf"^{NUMBER} \(\d{{4}}-\d{{2}}-\d{{2}}\)$")

    def test_images_and_packages_are_named_with_it(self):
        """In every text that users copy."""
        shapes = rf"(?m)(?:patchbay[:_ -]v?|of version |newTag: |^version: |^appVersion: )({NUMBER})"
        files = [document.path for document in all_documents()]
        for folder in ("deploy", "scripts"):
            files += [f for f in (ROOT / folder).rglob("*") if f.is_file()]
        found = 0
        for file in files:
            if file.name == "CHANGELOG.md":
                continue  # The changelog also has older versions.
            for number in re.findall(shapes, file.read_text(errors="replace")):
                found += 1
                with self.subTest(str(file.relative_to(ROOT))):
                    self.assertEqual(number, version())
        self.assertGreater(found, 5)


if __name__ == "__main__":
    unittest.main()
