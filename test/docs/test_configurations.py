"""Runs every YAML block of the documents through the real binary. Correct examples are accepted, and
wrong ones are refused as shown."""

import json
import unittest

import yaml

from binary import patchbay, validate
from documents import ROOT, table_marked, user_documents

HEADER = "apiVersion: patchbay/v1\nkind: Config\n"


def indented(text, by):
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def whole(block):
    """The file of a block; None for a Kubernetes object. A fragment is completed."""
    if block.marker.startswith("fragment: "):
        kind = block.marker.removeprefix("fragment: ")
        resource = "resources:\n  - name: example.com/fragment\n"
        parts = {
            "resources": "resources:\n" + indented(block.text, 2),
            "resource": resource + indented(block.text, 4),
            "match": resource + "    id: $(name)\n    match:\n" + indented(block.text, 6),
        }
        return HEADER + parts[kind]
    if block.marker.startswith(("chart values: ", "added to kustomization ")):
        return None  # test/deploy renders these.
    if block.marker.startswith("job: "):
        return None  # test_walkthroughs.py runs the commands of these.
    parsed = yaml.safe_load(block.text)
    if not isinstance(parsed, dict) or "apiVersion" not in parsed:
        raise AssertionError(f"{block}: not a whole file, and not marked as <!-- fragment: … -->")
    return block.text if parsed["apiVersion"] == "patchbay/v1" else None


def blocks(language, *markers):
    """The blocks with that language; with markers, only those with one of these prefixes."""
    for document in user_documents():
        for block in document.blocks:
            if block.language == language and (not markers or block.marker.startswith(markers)):
                yield document, block


def following(document, block, language):
    """The block after this one, which must have that language."""
    after = document.blocks[document.blocks.index(block) + 1]
    assert after.language == language, f"{after}: expected a block of {language}"
    return after


class Configurations(unittest.TestCase):
    def test_what_is_shown_as_right_is_accepted(self):
        count = 0
        for _, block in blocks("yaml"):
            if block.marker.startswith("refused: "):
                continue
            config = whole(block)
            if config is None or block.marker.startswith("warned: "):
                continue
            with self.subTest(str(block)):
                result = validate(config, "config.yaml", "--strict")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr, "")
            count += 1
        self.assertGreater(count, 5)

    def test_what_is_shown_as_wrong_is_refused_as_shown(self):
        count = 0
        for document, block in blocks("yaml", "refused: "):
            name = block.marker.removeprefix("refused: ")
            with self.subTest(str(block)):
                shown = following(document, block, "text").text
                result = validate(block.text, name)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(f"$ patchbay validate {name}\n" + result.stderr, shown)
            count += 1
        self.assertGreater(count, 0)

    def test_what_is_warned_of_is_accepted_and_strictly_refused(self):
        count = 0
        for document, block in blocks("yaml", "warned: "):
            with self.subTest(str(block)):
                shown = following(document, block, "text").text
                command = shown.partition("\n")[0]
                machine = command.partition(" --machine ")[2]
                options = ["--machine", str(ROOT / machine)] if machine else []
                self.assertIn(": warning: ", validate(block.text, "config.yaml", *options).stderr)
                self.assertEqual(validate(block.text, "config.yaml", *options).returncode, 0)
                strict = validate(block.text, "config.yaml", "--strict", *options)
                self.assertEqual(strict.returncode, 1)
                name = block.marker.removeprefix("warned: ")
                self.assertTrue(command.startswith(f"$ patchbay validate {name}"), command)
                result = validate(block.text, name, *options)
                said = f"{command}\n" + result.stderr + result.stdout
                self.assertEqual(said.replace(f"{ROOT}/", ""), shown)
            count += 1
        self.assertGreater(count, 0)

    def test_what_is_needed_beyond_the_manifest_is_told_as_shown(self):
        count = 0
        for document, block in blocks("yaml", "needs: "):
            name = block.marker.removeprefix("needs: ")
            with self.subTest(str(block)):
                shown = following(document, block, "text").text
                said = validate(block.text, name).stdout
                self.assertEqual(f"$ patchbay validate {name}\n" + said, shown)
            count += 1
        self.assertGreater(count, 0)

    def test_conditions_are_accepted(self):
        for row in table_marked("conditions").rows:
            with self.subTest(row[0]):
                match = f"subsystem: tty\nattribute:\n  x: {row[0].strip('`')}\n"
                resource = "resources:\n  - name: example.com/x\n    id: $(name)\n    match:\n"
                result = validate(HEADER + resource + indented(match, 6), "x.yaml", "--strict")
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_first_configurations_offer_each_adapter_of_the_bench(self):
        machine = ROOT / "test/hardware/machines/serial-bench.txt"
        for name in ("deploy/example-config.yaml", "deploy/package/patchbay.yaml.example"):
            with self.subTest(name):
                result = patchbay("discover", name, "--machine", machine, "--output", "json")
                (uart,) = [
                    resource
                    for resource in json.loads(result.stdout)["resources"]
                    if resource["name"] == "devices.example.com/uart"
                ]
                self.assertEqual([unit["healthy"] for unit in uart["units"]], [True] * 12)


if __name__ == "__main__":
    unittest.main()
