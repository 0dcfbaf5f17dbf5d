"""The repository's JSON Schema is the one that the binary prints. An independent validator accepts
it. It accepts and rejects the same configurations as the reader."""

import json
import pathlib
import unittest

import jsonschema
import yaml

from binary import patchbay

SCHEMA = pathlib.Path("schemas/patchbay.v1.schema.json")

# Mistakes of structure that an editor should show. Each replaces the one resource of a valid file.
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
        "linger": "100",
    },
    "text for a list": {
        "name": "x.io/y",
        "match": {"subsystem": "tty"},
        "id": "a",
        "mounts": "/opt",
    },
    "no name": {"match": {"subsystem": "tty"}, "id": "a"},
    **{
        f"{key}: {value}": {"name": "x.io/y", "match": {"subsystem": "tty"}, "by": "a", key: value}
        for key, value in [
            ("share", {"count": 4, "total": 8}),
            ("share", {"count": 4, "total": 8, "each": 2}),
            ("share", {"total": 8}),
            ("share", {"each": 2}),
            ("share", {}),
            ("share", {"perContainer": 1}),
            ("share", {"total": 8, "perContainer": 1}),
            ("share", 4),
            ("claim", "share"),
            ("size", "some"),
            ("size", "1+2"),
            ("size", -1),
            ("by", ["a"]),
            ("members", {}),
            ("members", {"a": {"by": "b"}}),
            ("members", {"2nd": {"match": {"subsystem": "drm"}}}),
            ("members", {"a.b": {"match": {"subsystem": "drm"}}}),
            ("members", {"a": {"match": {"subsystem": "drm"}, "claim": "share"}}),
            ("when", {}),
            ("when", {"env": {}}),
            ("when", {"env": ["POOL"]}),
            ("when", "bench-1"),
            ("when", {"name": "bench-1"}),
            ("when", {"any": {"node": "bench-1"}}),
            ("when", {"except": {"nodes": "bench-1"}}),
            ("match", {"static": []}),
            ("match", {"subsystem": "tty", "glob": "/dev/tty*"}),
            ("match", {"subsystem": "tty", "static": "a"}),
            ("match", {"subsystem": "tty", "path": "/dev/tty*"}),
            ("match", {"subsystem": "tty", "any": [{"type": "char"}]}),
            ("match", {"glob": "/dev/tty*", "driver": "a"}),
            ("match", {"glob": "/dev/tty*", "except": {"driver": "a"}}),
            ("match", {"static": "a", "type": "char"}),
            ("match", {"subsystem": "tty", "attribute": {"a": {"ge": True}}}),
            ("match", {"subsystem": "tty", "ancestor": [{"name": "a"}, {"name": "b"}]}),
            ("when", {"glob": []}),
            ("share", {"count": True}),
            ("share", {"total": True, "each": 2}),
            ("share", {"count": 4, "perContainer": True}),
            ("share", {"replicas": 4}),
            ("topology", "off"),
            ("health", [{"tcp": "a:1", "failureThreshold": True}]),
            ("match", {"subsystem": "tty", "file": "/a"}),
            ("match", {"subsystem": "tty", "ancestor": {"file": {"/a": "b"}}}),
            ("match", {"subsystem": "tty", "except": {"static": "a"}}),
            ("health", {"open": "/dev/a"}),
            ("health", [{}]),
            ("health", [{"period": "30s"}]),
            ("health", [{"open": "/dev/a", "tcp": "a:1"}]),
            ("health", [{"open": {"mode": "r"}}]),
            ("health", [{"open": {"path": "/dev/a", "mode": "wr"}}]),
            ("health", [{"exec": "/probes/a"}]),
            ("health", [{"exec": []}]),
            ("health", [{"attribute": {}}]),
            ("health", [{"tcp": "a:1", "period": 30}]),
            ("health", [{"tcp": "a:1", "period": "1"}]),
            ("preStart", [{}]),
            ("preStart", [{"usbReset": True, "wait": {"path": "/dev/a"}}]),
            ("preStart", [{"usbReset": "yes"}]),
            ("preStart", [{"write": {"path": "/a"}}]),
            ("preStart", [{"wait": "/dev/a"}]),
            ("cdi", "read"),
            ("cdi", []),
            ("cdi", True),
            ("prefer", "best"),
            ("prefer", []),
            ("topology", False),
            ("deviceInfo", "usb"),
            ("serve", "DRA"),
            ("dra", {}),
            ("dra", {"driver": "a.io"}),
            ("dra", {"attributes": ["a"]}),
            ("dra", {"attributes": {"a": ""}}),
            ("dra", {"attributes": {"a": ["b"]}}),
            ("dra", {"attributes": {"a": {}}}),
            ("dra", {"attributes": {"a": {"string": "b"}}}),
            ("dra", {"attributes": {"a": {"int": 1, "bool": True}}}),
        ]
    },
    **{
        f"{key} without by": {"name": "x.io/y", "match": {"subsystem": "tty"}, key: value}
        for key, value in [("size", 2), ("members", {"a": {"match": {"subsystem": "drm"}}})]
    },
    **{
        f"{key} beside groups": {
            "name": "x.io/y",
            "groups": [{"match": {"subsystem": "tty"}}],
            key: value,
        }
        for key, value in [
            ("by", "a"),
            ("size", 2),
            ("members", {"a": {"match": {"subsystem": "drm"}}}),
            ("expect", 2),
        ]
    },
    "by beside groups, and match": {
        "name": "x.io/y",
        "groups": [{"match": {"subsystem": "tty"}}],
        "match": {"subsystem": "tty"},
        "by": "a",
    },
    "size without by in a group": {
        "name": "x.io/y",
        "groups": [{"match": {"subsystem": "tty"}, "size": 2}],
    },
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

    def test_takes_every_key(self):
        text = pathlib.Path("test/golden/config/good_full.yaml").read_text()
        errors = self.validator.iter_errors(yaml.safe_load(text))
        self.assertEqual([error.message for error in errors], [])

    def test_refuses_mistakes_of_shape(self):
        for name, resource in MISTAKES.items():
            with self.subTest(name):
                config = {"apiVersion": "patchbay/v1", "kind": "Config", "resources": [resource]}
                self.assertFalse(self.validator.is_valid(config))

    def keys(self):
        """All keys as (block, key, schema)."""
        definitions = self.validator.schema["definitions"]
        blocks = [("config", self.validator.schema), *definitions.items()]
        for name, block in blocks:
            for branch in ("then", "else"):
                if branch in block:
                    blocks.append((name, block[branch]))
            for key, schema in block.get("properties", {}).items():
                yield name, key, schema

    def offered(self, match):
        """The keys that an editor offers in a match with these keys."""
        schema = self.validator.schema["definitions"]["match"]
        while "if" in schema:
            schema = schema["then" if set(schema["if"]["required"]) <= set(match) else "else"]
        return set(schema["properties"])

    def test_offers_the_keys_of_the_kind_of_rule(self):
        self.assertEqual(self.offered([]), {"subsystem", "sysfs", "glob", "static"})
        others = {"sysfs", "glob", "static", "path", "type"}
        self.assertFalse(self.offered(["subsystem"]) & others)
        self.assertLessEqual({"usb", "pci", "ancestor", "any", "all"}, self.offered(["subsystem"]))
        self.assertEqual(self.offered(["sysfs"]),
                         self.offered(["subsystem"]) - {"subsystem"} | {"sysfs"})
        self.assertEqual(self.offered(["glob"]),
                         {"glob", "name", "path", "type", "file", "any", "all", "except"})
        self.assertEqual(self.offered(["static"]),
                         {"static", "name", "file", "any", "all", "except"})

    def test_the_first_message_is_of_the_form_that_was_meant(self):
        for match, message in [
            ({"subsystem": "tty", "nmae": "x"}, "'nmae' was unexpected"),
            ({"subsystem": "tty", "glob": "/dev/x"}, "'glob' was unexpected"),
            ({"glob": "/dev/x", "driver": "y"}, "'driver' was unexpected"),
        ]:
            with self.subTest(match):
                resource = {"name": "x.io/y", "match": match}
                config = {"apiVersion": "patchbay/v1", "kind": "Config", "resources": [resource]}
                errors = [error.message for error in self.validator.iter_errors(config)]
                self.assertEqual(len(errors), 1)
                self.assertIn(message, errors[0])

    def test_a_mapping_comes_first_in_devices(self):
        devices = self.validator.schema["definitions"]["group"]["properties"]["devices"]
        self.assertIn("$ref", devices["items"]["anyOf"][0])

    def test_every_key_is_described(self):
        for name, key, schema in self.keys():
            with self.subTest(f"{name} {key}"):
                self.assertTrue(schema["description"])
                self.assertTrue(schema["examples"])

    def test_examples_and_defaults_are_values_of_their_keys(self):
        definitions = self.validator.schema["definitions"]
        defaults = 0
        for name, key, schema in self.keys():
            # Adds the definitions to which the schema of the key refers.
            own = jsonschema.Draft7Validator({**schema, "definitions": definitions})
            for example in schema["examples"]:
                with self.subTest(f"{name} {key}: {example}"):
                    self.assertEqual([error.message for error in own.iter_errors(example)], [])
            if "default" in schema:
                with self.subTest(f"{name} {key}, default"):
                    self.assertTrue(own.is_valid(schema["default"]))
                defaults += 1
        self.assertGreater(defaults, 5)


if __name__ == "__main__":
    unittest.main()
