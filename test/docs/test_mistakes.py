"""docs/configuration.md shows common mistakes, and under each wrong line the message that validate
prints. test/config/cases and test/rules/cases have all mistakes.
PATCHBAY_UPDATE_GOLDEN=1 writes the messages; check the diff."""

import os
import re
import unittest
from dataclasses import dataclass

from binary import validate
from documents import ROOT
from test_configurations import HEADER, indented

PAGE = ROOT / "docs" / "configuration.md"
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
    "resources": (HEADER + "resources:\n", 2),
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


class Mistakes(unittest.TestCase):
    maxDiff = None

    def test_page_shows_the_messages_of_validate(self):
        text = PAGE.read_text()

        def shown(block):
            texts = []
            for chunk in block["text"].split("\n\n"):
                mistake = Mistake(block["kind"], SHOWN.sub("", chunk + "\n"))
                texts.append(mistake.annotated(mistake.printed()))
            return f"<!-- mistakes: {block['kind']} -->\n```text\n" + "\n\n".join(texts) + "\n```\n"

        page = FRAGMENTS.sub(shown, text)
        if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
            PAGE.write_text(page)
        else:
            self.assertEqual(text, page)
        self.assertEqual(len(FRAGMENTS.findall(text)), text.count("<!-- mistakes: "))


if __name__ == "__main__":
    unittest.main()
