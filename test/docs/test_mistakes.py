"""docs/mistakes.md: what is printed of each wrong YAML there is written by this test.
PATCHBAY_UPDATE_GOLDEN=1 writes it anew: read the diff."""

import concurrent.futures
import os
import re
import unittest

from binary import validate
from documents import ROOT
from test_configurations import HEADER, indented

PAGE = ROOT / "docs" / "mistakes.md"
NAME = "lab.yaml"

# A wrong fragment, and below it what is printed: not there yet, or not as it should be.
MISTAKE = re.compile(
    r"<!-- mistake: (?P<kind>\w+) -->\n```yaml\n(?P<yaml>.*?)```\n(?:\n```text\n(?P<text>.*?)```\n)?",
    re.DOTALL,
)
# One mistake: its place, its words, the line it is in if there is any, and the hint.
PRINTED = re.compile(rf"{NAME}:\d+:\d+: (?:error|warning): .+\n(?:    .*\n)*  hint: .+\n")


def whole(kind, fragment):
    """The file in which the fragment stands."""
    resource = "resources:\n  - name: lab.example.com/x\n"
    return {
        "file": lambda: fragment,
        "top": lambda: HEADER + fragment,
        "resources": lambda: HEADER + "resources:\n" + indented(fragment, 2),
        "resource": lambda: HEADER + resource + indented(fragment, 4),
        "match": lambda: HEADER + resource + "    match:\n" + indented(fragment, 6),
        "unit": lambda: HEADER
        + resource
        + "    match: {subsystem: tty}\n"
        + indented(fragment, 4),
    }[kind]()


def printed(found):
    """All but the count at the end."""
    text = validate(whole(found["kind"], found["yaml"]), NAME).stderr
    return re.sub(r"\d+ errors?(?:, \d+ warnings?)?\n\Z|\d+ warnings?\n\Z", "", text)


class Mistakes(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.page = PAGE.read_text()
        cls.found = list(MISTAKE.finditer(cls.page))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            cls.printed = list(pool.map(printed, cls.found))

    def test_the_page_shows_what_is_printed(self):
        texts = iter(self.printed)

        def shown(match):
            kind, fragment = match["kind"], match["yaml"]
            return (
                f"<!-- mistake: {kind} -->\n```yaml\n{fragment}```\n\n```text\n{next(texts)}```\n"
            )

        page = MISTAKE.sub(shown, self.page)
        if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
            PAGE.write_text(page)
            return
        self.assertEqual(self.page, page)

    def test_each_has_a_place_and_a_hint(self):
        for match, text in zip(self.found, self.printed):
            with self.subTest(match["yaml"]):
                self.assertRegex(text, rf"\A(?:{PRINTED.pattern})+\Z")

    def test_there_are_a_hundred(self):
        self.assertGreaterEqual(len(self.found), 100)
        self.assertEqual(len(self.found), self.page.count("<!-- mistake: "))

    def test_none_stands_here_twice(self):
        wrong = [(match["kind"], match["yaml"]) for match in self.found]
        self.assertEqual(len(set(wrong)), len(wrong))


if __name__ == "__main__":
    unittest.main()
