"""Examples, transcripts and machines belong together, and their readers reject mistakes."""

import json
import pathlib
import tempfile
import unittest

import yaml

import check_default_ids
import check_virtual_devices
from machine import Mistake, read_machine
from transcript import read_transcript, write_transcript

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "configs"


def stems(directory, pattern):
    return {path.stem for path in directory.glob(pattern)}


def transcripts():
    for path in sorted((HERE / "golden").glob("*.txt")):
        yield path, read_transcript(path.read_text())


def without_log(output):
    return "".join(line for line in output.splitlines(True) if not line.startswith("TIME "))


def units_found(steps):
    """The units of each resource on all machines of a transcript."""
    found = {}
    for step in steps:
        if step.command() and step.command()[1][:3] == ["discover", "-o", "json"]:
            for resource in json.loads(without_log(step.expected))["resources"]:
                found.setdefault(resource["name"], []).extend(resource["units"])
    return found


def allocations_with(steps, option):
    """The resources, without their domain, of the commands `allocate` with that option."""
    commands = [step.command()[1] for step in steps if step.command()]
    return {words[1].rpartition("/")[2] for words in commands
            if words[0] == "allocate" and option in words}


def with_key(resource, key):
    return key in resource or any(key in group for group in resource.get("groups", []))


def read(text):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "machine.txt")
        path.write_text(text)
        return read_machine(path)


class Transcripts(unittest.TestCase):
    def test_each_example_has_transcript(self):
        self.assertEqual(stems(HERE / "golden", "*.txt"), stems(EXAMPLES, "*.yaml"))

    def test_each_transcript_shows_example_and_its_units(self):
        for path, steps in transcripts():
            commands = [step.command()[1] for step in steps if step.command()]
            with self.subTest(path.stem):
                self.assertIn(["validate", f"{path.stem}.yaml"], commands)
                self.assertIn(
                    ["discover", "-o", "json", "--config", f"{path.stem}.yaml"], commands
                )

    def test_each_resource_finds_device(self):
        """A transcript without units would show only that nothing is found."""
        for path, steps in transcripts():
            for name, units in units_found(steps).items():
                with self.subTest(f"{path.stem}: {name}"):
                    self.assertTrue(units)

    def test_each_resource_is_allocated(self):
        for path, steps in transcripts():
            commands = [step.command()[1] for step in steps if step.command()]
            allocated = {command[1] for command in commands if command[0] == "allocate"}
            with self.subTest(path.stem):
                self.assertEqual(allocated, set(units_found(steps)))

    def test_transcripts_cover_preferences_steps_and_topology(self):
        for path, steps in transcripts():
            resources = yaml.safe_load((EXAMPLES / f"{path.stem}.yaml").read_text())["resources"]
            on_nodes = {name.rpartition("/")[2] for name, units in units_found(steps).items()
                        if any(unit["numaNodes"] for unit in units)}
            shown = {"prefer": allocations_with(steps, "--prefer"),
                     "preStart": allocations_with(steps, "--start"), "topology": on_nodes}
            for resource in resources:
                name = resource["name"].rpartition("/")[2]
                for key, names in shown.items():
                    with self.subTest(f"{path.stem}: {name}: {key}"):
                        if with_key(resource, key):
                            self.assertIn(name, names)

    def test_each_machine_is_used(self):
        used = {step.machine for _, steps in transcripts() for step in steps if step.machine}
        used |= set(check_virtual_devices.EXPECTED) | set(check_default_ids.EXPECTED)
        self.assertEqual(used, stems(HERE / "machines", "*.txt"))

    def test_transcript_round_trip_is_lossless(self):
        for path, steps in transcripts():
            with self.subTest(path.stem):
                self.assertEqual(write_transcript(steps), path.read_text())

    def test_output_without_command_is_rejected(self):
        for text in ("stray\n", "machine: a\nstray\n"):
            with self.subTest(text), self.assertRaises(ValueError):
                read_transcript(text)


class Machines(unittest.TestCase):
    def test_all_machines_parse(self):
        for path in sorted((HERE / "machines").glob("*.txt")):
            with self.subTest(path.stem):
                self.assertTrue(path.read_text().startswith("# "))
                read_machine(path)

    def test_values_keep_equals_signs(self):
        device = read("P: /devices/a\nU: tty\nA: model=Pi=5\\n\\t\\0\n").devices["/devices/a"]
        self.assertEqual(device.attributes, {"model": "Pi=5\n\t\0"})

    def test_errors_are_rejected(self):
        for mistake in (
            "P: /sys/devices/a\n",
            "P: /devices/a\n",
            "U: tty\n",
            "P: /devices/a\nU: tty\nP: /devices/a\nU: tty\n",
            "P: /devices/a\nU: tty\nU: net\n",
            "P: /devices/a\nU: tty\nN: ttyS0\n",
            "P: /devices/a\nU: tty\nN: ttyS0\nD: 4:64\n",
            "P: /devices/a\nU: tty\nA: type\n",
            "P: /devices/a\nU: tty\nA: type=1\nA: type=2\n",
            "P: /devices/a\nU: tty\nY: type=1\n",
            "P: /devices/a\nU: tty\nA:type=1\n",
            "X: nvidiactl=195:255\n",
            "K: run/a.sock\n",
            "K: /run/a.sock\nK: /run/a.sock\n",
            "C: 127.0.0.1\n",
            "C: 192.0.2.1:5025\n",
        ):
            with self.subTest(mistake), self.assertRaises(Mistake):
                read(mistake)


if __name__ == "__main__":
    unittest.main()
