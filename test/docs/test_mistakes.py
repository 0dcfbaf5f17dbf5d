"""test/rules/mistakes.md shows wrong YAML, and under each wrong line the message that validate prints.
docs/configuration.md shows the common mistakes in the same format.
PATCHBAY_UPDATE_GOLDEN=1 writes the messages of both: read the diff."""

import concurrent.futures
import os
import re
import unittest
from dataclasses import dataclass

from binary import validate
from documents import ROOT
from test_configurations import HEADER, indented

PAGES = (ROOT / "test" / "rules" / "mistakes.md", ROOT / "docs" / "configuration.md")
NAME = "lab.yaml"

# Fragments of one kind, separated by blank lines, with messages in them.
FRAGMENTS = re.compile(r"<!-- mistakes: (?P<kind>\w+) -->\n```text\n(?P<text>.*?)\n```\n", re.DOTALL)
# The lines of the page that show a message.
SHOWN = re.compile(r"^ *\^ (?:error|warning): .*\n(?: *hint: .*\n?)?", re.MULTILINE)
# One message as printed: its position, its text, the source line if there is one, and the hint.
PRINTED = re.compile(
    rf"{NAME}:(?P<line>\d+):(?P<column>\d+): (?P<text>(?:error|warning): .+)\n"
    r"(?:    .*\n)*  hint: (?P<hint>.+)\n"
)
RESOURCE = "resources:\n  - name: lab.example.com/x\n"
# The file before a fragment of each kind, and the indentation of the fragment.
AROUND = {
    "file": ("", 0),
    "top": (HEADER, 0),
    "resources": (HEADER + "resources:\n", 2),
    "resource": (HEADER + RESOURCE, 4),
    "match": (HEADER + RESOURCE + "    match:\n", 6),
    "unit": (HEADER + RESOURCE + "    match: {subsystem: tty}\n", 4),
}


@dataclass(frozen=True)
class Mistake:
    kind: str
    yaml: str

    def printed(self):
        """The messages without the count after them."""
        before, indentation = AROUND[self.kind]
        text = validate(before + indented(self.yaml, indentation), NAME).stderr
        return re.sub(r"\d+ errors?(?:, \d+ warnings?)?\n\Z|\d+ warnings?\n\Z", "", text)

    def annotated(self, printed):
        """The fragment with each message under its line."""
        before, indentation = AROUND[self.kind]
        lines = [[line] for line in ["", *self.yaml.splitlines()]]
        for message in PRINTED.finditer(printed):
            at = int(message["line"]) - before.count("\n")
            margin = " " * (int(message["column"]) - 1 - indentation)
            # A message may concern the line above the fragment.
            lines[max(at, 0)] += [f"{margin}^ {message['text']}", f"{margin}  hint: {message['hint']}"]
        return "\n".join([line for group in lines for line in group][1:])


def mistakes(blocks):
    for block in blocks:
        for chunk in block["text"].split("\n\n"):
            yield Mistake(block["kind"], SHOWN.sub("", chunk + "\n"))


class Mistakes(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pages = {path: path.read_text() for path in PAGES}
        cls.found = [m for text in cls.pages.values() for m in mistakes(FRAGMENTS.finditer(text))]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            cls.printed = list(pool.map(Mistake.printed, cls.found))

    def test_pages_show_the_messages_of_validate(self):
        chunks = iter(m.annotated(printed) for m, printed in zip(self.found, self.printed))

        def shown(block):
            texts = [next(chunks) for _ in block["text"].split("\n\n")]
            return f"<!-- mistakes: {block['kind']} -->\n```text\n" + "\n\n".join(texts) + "\n```\n"

        for path, text in self.pages.items():
            with self.subTest(path.name):
                page = FRAGMENTS.sub(shown, text)
                if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
                    path.write_text(page)
                else:
                    self.assertEqual(text, page)

    def test_every_message_has_a_position_and_a_hint(self):
        for mistake, text in zip(self.found, self.printed):
            with self.subTest(mistake.yaml):
                self.assertRegex(text, rf"\A(?:{re.sub('[?]P<[a-z]+>', '', PRINTED.pattern)})+\Z")

    def test_there_are_a_hundred(self):
        self.assertGreaterEqual(len(self.found), 100)
        for path, text in self.pages.items():
            blocks = len(FRAGMENTS.findall(text))
            self.assertEqual(blocks, text.count("<!-- mistakes: "), path.name)

    def test_no_fragment_is_repeated(self):
        self.assertEqual(len(set(self.found)), len(self.found))


if __name__ == "__main__":
    unittest.main()
