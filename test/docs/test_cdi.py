"""Checks the daemon's CDI specs with an independent validator. The version of a spec must be the
lowest one that has its fields."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

from binary import NODE, PATIENCE, binary

SCHEMA = json.loads((pathlib.Path(__file__).parent / "cdi.schema.json").read_text())

CONFIG = """apiVersion: patchbay/v1
kind: Config
defaults: {{domain: lab.example.com}}
resources:
  - name: plain
    match: {{glob: /dev/full}}
    cdi: write
  - name: uart
    match: {{glob: {directory}/uart*, type: char}}
    id: $(name)
    devices:
      - {{hostPath: $(path), containerPath: /dev/$(name), permissions: rwm, mode: "0640",
         uid: 1000, gid: 20}}
      - {{hostPath: /dev/tty, optional: true}}
    mounts:
      - {{hostPath: /opt/lab}}
      - {{hostPath: /srv, containerPath: /srv/$(id), readOnly: false}}
    envs: {{UART: $(id)}}
    cdi: write
  - name: shared.v2
    match: {{glob: {directory}/7-shared, type: char}}
    id: $(name)
    share: {{count: 4}}
    cdi: write
"""


def least_version(spec):
    """The lowest version of CDI that has all fields of the spec."""
    needed = {(0, 3)}
    if "." in spec["kind"].split("/")[1] or "annotations" in spec:
        needed.add((0, 6))
    for device in spec["devices"]:
        if device["name"][0].isdigit():
            needed.add((0, 5))
        if "annotations" in device:
            needed.add((0, 6))
        for node in device["containerEdits"].get("deviceNodes", []):
            if "hostPath" in node:
                needed.add((0, 5))
        for mount in device["containerEdits"].get("mounts", []):
            if "type" in mount:
                needed.add((0, 4))
    major, minor = max(needed)
    return f"{major}.{minor}.0"


class CdiSpecs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            for link, node in {"uart1": "null", "uart2": "zero", "7-shared": "random"}.items():
                (directory / link).symlink_to(f"/dev/{node}")
            config = directory / "config.yaml"
            config.write_text(CONFIG.format(directory=directory))
            process = subprocess.Popen(
                [binary(), "run", "--standalone", "--log-level", "error", "--config", config,
                 "--cdi-dir", directory / "cdi"],
                stdout=subprocess.PIPE, text=True, env={**os.environ, "NODE_NAME": NODE},
            )
            cls.output, listed = "", set()
            for line in process.stdout:
                cls.output += line
                if line.startswith("+ "):
                    listed.add(line.split()[1])
                if len(listed) == 3:
                    break
            process.terminate()
            process.communicate(timeout=PATIENCE)
            cls.specs = {
                file.name: json.loads(file.read_text()) for file in (directory / "cdi").iterdir()
            }

    def test_there_is_one_for_each_resource(self):
        self.assertEqual(
            set(self.specs),
            {f"patchbay-lab.example.com_{name}.json" for name in ("plain", "uart", "shared.v2")},
            self.output,
        )

    def test_an_independent_validator_takes_them(self):
        validator = jsonschema.Draft7Validator(SCHEMA)
        for name, spec in self.specs.items():
            self.assertEqual([error.message for error in validator.iter_errors(spec)], [], name)

    def test_the_version_is_the_least_that_knows_the_fields(self):
        for name, spec in self.specs.items():
            self.assertEqual(spec["cdiVersion"], least_version(spec), name)
        versions = {spec["kind"]: spec["cdiVersion"] for spec in self.specs.values()}
        self.assertEqual(
            versions,
            {
                "lab.example.com/plain": "0.3.0",
                "lab.example.com/uart": "0.5.0",
                "lab.example.com/shared.v2": "0.6.0",
            },
        )

    def test_the_node_has_the_owner_and_mode_that_are_configured(self):
        spec = self.specs["patchbay-lab.example.com_uart.json"]
        for device in spec["devices"]:
            node = device["containerEdits"]["deviceNodes"][0]
            self.assertEqual((node["fileMode"], node["uid"], node["gid"]), (0o640, 1000, 20))
        (plain,) = self.specs["patchbay-lab.example.com_plain.json"]["devices"]
        self.assertEqual(
            set(plain["containerEdits"]["deviceNodes"][0]), {"path", "permissions"}
        )

    def test_no_device_is_there_twice_and_no_node_is_a_link(self):
        for name, spec in self.specs.items():
            names = [device["name"] for device in spec["devices"]]
            self.assertEqual(len(names), len(set(names)), name)
            for device in spec["devices"]:
                for node in device["containerEdits"].get("deviceNodes", []):
                    path = pathlib.Path(node.get("hostPath", node["path"]))
                    self.assertTrue(path.is_char_device() and not path.is_symlink(), path)


if __name__ == "__main__":
    unittest.main()
