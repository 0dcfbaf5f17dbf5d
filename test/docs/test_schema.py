"""The JSON Schema in the repository is the one that the binary prints, an independent validator takes
it, and it says yes and no where the reader does."""

import json
import pathlib
import unittest

import jsonschema
import yaml

from binary import patchbay

SCHEMA = pathlib.Path("schemas/patchbay.v1.schema.json")

# Mistakes of shape that an editor should show. Each replaces the one resource of a good file.
MISTAKES = {
    "unknown key": {"name": "x.io/y", "match": {"subsystem": "tty"}, "id": "a", "idd": "b"},
    "unknown key in match": {"name": "x.io/y", "match": {"subsytem": "tty"}, "id": "a"},
    "neither match nor groups": {"name": "x.io/y", "id": "a"},
    "both match and groups": {
        "name": "x.io/y",
        "match": {"subsystem": "tty"},
        "groups": [{"match": {"subsystem": "tty"}, "id": "a"}],
    },
    "empty list": {"name": "x.io/y", "match": {"glob": []}, "id": "a"},
    "duration without a unit": {
        "name": "x.io/y",
        "match": {"subsystem": "tty"},
        "id": "a",
        "settle": "100",
    },
    "text for a list": {
        "name": "x.io/y",
        "match": {"subsystem": "tty"},
        "id": "a",
        "mounts": "/opt",
    },
    "no name": {"match": {"subsystem": "tty"}, "id": "a"},
}


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))

    def test_is_what_the_binary_prints(self):
        self.assertEqual(patchbay("schema").stdout, SCHEMA.read_text())

    def test_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(self.validator.schema)

    def test_takes_every_example(self):
        examples = sorted(pathlib.Path("examples/configs").glob("*.yaml"))
        self.assertTrue(examples)
        for path in examples:
            with self.subTest(path):
                errors = self.validator.iter_errors(yaml.safe_load(path.read_text()))
                self.assertEqual([error.message for error in errors], [])

    def test_refuses_mistakes_of_shape(self):
        for name, resource in MISTAKES.items():
            with self.subTest(name):
                config = {"apiVersion": "patchbay/v1", "kind": "Config", "resources": [resource]}
                self.assertFalse(self.validator.is_valid(config))

    def test_every_key_is_described(self):
        blocks = [self.validator.schema, *self.validator.schema["definitions"].values()]
        for block in blocks:
            for key, schema in block.get("properties", {}).items():
                with self.subTest(key):
                    self.assertTrue(schema["description"])


if __name__ == "__main__":
    unittest.main()
