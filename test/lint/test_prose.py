"""Tests which sentences the prose linter reports, and which it accepts."""

import pathlib
import unittest

from prose import findings


def found(name, text):
    return [(line, why.split(":")[0]) for line, why, _ in findings(pathlib.Path(name), text)]


class Prose(unittest.TestCase):
    def test_comments_are_joined_and_checked(self):
        text = "/// Reads the\n/// thing.\nint a = 1;  // It is told.\n"
        self.assertEqual(found("src/a.h", text)[0], (1, "use the field's term"))
        self.assertIn((3, "use the field's term"), found("src/a.h", text))

    def test_long_sentences(self):
        self.assertEqual(found("a.md", "word " * 25 + "."), [])
        self.assertEqual(found("a.md", "word " * 26 + "."), [(1, "more than 25 words")])
        self.assertEqual(found("a.md", "Word " * 20 + "ends. " + "Word " * 20), [])

    def test_messages_are_joined(self):
        text = 'log("the device is "\n    "told again");\n'
        self.assertIn((1, "use the field's term"), found("src/a.cpp", text))
        self.assertEqual(found("test/a.cpp", text), [])

    def test_code_is_left_alone(self):
        self.assertEqual(found("a.md", "```\nwhat hangs is told\n```\nRun `told thing` at once.\n"), [])

    def test_a_clause_needs_a_subject(self):
        self.assertEqual(found("a.md", "| Of what hangs it is none |\n")[0][0], 1)


if __name__ == "__main__":
    unittest.main()
