"""Tests what `suggest` proposes for the described machines.

golden/MACHINE.txt is the output of `suggest --all`. judged.txt compares the suggestion for the
first device of each unit of each example with the unit of the example. A line that is not "same"
needs a reason after "#": why the suggestion is better, or why it cannot be the same.

named/MACHINE.expected has, after each line `$ ARGUMENTS`, the output of `suggest` with these
arguments and named/MACHINE.machine.

PATCHBAY_UPDATE_GOLDEN=1 writes the files, and keeps the reasons.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HARDWARE = HERE.parent / "hardware"
sys.path.insert(0, str(HARDWARE))

import checks  # noqa: E402
from transcript import read_transcript  # noqa: E402

UPDATE = os.environ.get("PATCHBAY_UPDATE_GOLDEN")
JUDGED = HERE / "judged.txt"


def suggest(machine, *arguments):
    return subprocess.run(
        [checks.BINARY, "suggest", "--machine", checks.description(machine), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        check=False,
    )


def text_of(ran):
    code = f"[exit code {ran.returncode}]\n" if ran.returncode else ""
    return ran.stdout + re.sub(r"(?m)^\d{4}-\S+ warning .*\n", "", ran.stderr) + code


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def nodes_of_example(unit):
    """The device nodes of the unit; the first device if there are none."""
    nodes = [member["devnode"] or member["path"] for member in unit["members"]]
    return sorted({node for node in nodes if node}) or [unit["members"][0]["key"]]


def units_of_examples():
    """All units that examples offer on their machines, as (example, machine, resource, unit)."""
    for path in sorted((HARDWARE / "golden").glob("*.txt")):
        machine = None
        seen = set()
        for step in read_transcript(path.read_text()):
            machine = step.machine or machine
            if not step.command() or step.command()[1][:3] != ["discover", "-o", "json"]:
                continue
            for resource in json.loads(step.expected[step.expected.index("{"):])["resources"]:
                for unit in resource["units"]:
                    key = (machine, resource["name"], unit["id"])
                    if key not in seen:
                        seen.add(key)
                        yield path.stem, machine, resource["name"], unit


def device_of(unit):
    first = unit["members"][0]
    return first["devnode"] or first["path"] or first["key"]


def verdict(ran, expected):
    """The judgement in judged.txt: the suggestion compared with the expected nodes of the unit."""
    if ran.returncode not in (0, 1) or not ran.stdout:
        return f"none: {ran.stderr.strip()}"
    answer = json.loads(ran.stdout)
    for suggestion in answer["suggestions"]:
        for found in suggestion["units"]:
            if not found["asked"]:
                continue
            name = suggestion["resource"].partition("/")[2]
            if sorted(found["devices"]) == expected:
                return f"same: {name}"
            return f"other: {name}: {' '.join(sorted(found['devices']))}"
    return "none: " + "; ".join(other["reason"] for other in answer["others"])


class Suggestions(unittest.TestCase):
    maxDiff = None

    def test_each_machine(self):
        machines = sorted(path.stem for path in checks.MACHINES.glob("*.txt"))
        outputs = in_parallel(lambda machine: text_of(suggest(machine, "--all")), machines)
        for machine, output in zip(machines, outputs):
            path = HERE / "golden" / f"{machine}.txt"
            if UPDATE:
                path.write_text(output)
            with self.subTest(machine):
                self.assertEqual(path.read_text(), output)
        self.assertEqual(machines, sorted(path.stem for path in (HERE / "golden").glob("*.txt")))

    def test_named_devices(self):
        for path in sorted((HERE / "named").glob("*.expected")):
            text = ""
            for line in path.read_text().splitlines():
                if line.startswith("$ "):
                    ran = subprocess.run(
                        [checks.BINARY, "suggest", *line[2:].split(), "--machine",
                         path.with_suffix(".machine")],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                    text += f"{line}\n{text_of(ran)}"
            if UPDATE:
                path.write_text(text)
            with self.subTest(path.stem):
                self.assertEqual(path.read_text(), text)

    def test_suggestions_are_valid(self):
        texts = [(path, path.read_text()) for path in sorted((HERE / "golden").glob("*.txt"))]
        for path in sorted((HERE / "named").glob("*.expected")):
            for output in path.read_text().split("$ ")[1:]:
                text = output.partition("\n")[2]
                if not text.startswith("patchbay: "):
                    texts.append((path, text.partition("\npatchbay: ")[0]))
        for path, text in texts:
            if "- name:" not in text.partition("\n  # Doubtful")[0]:
                continue
            ran = subprocess.run(
                [checks.BINARY, "validate", "--strict", "-"], input=text, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            with self.subTest(path.stem):
                self.assertEqual(0, ran.returncode, ran.stdout)

    def test_each_unit_of_the_examples(self):
        reasons = {}
        for line in JUDGED.read_text().splitlines() if JUDGED.exists() else []:
            words, _, reason = line.partition("  # ")
            reasons[words] = reason
        units = list(units_of_examples())
        # Runs `suggest` once for each device, because several examples can offer it.
        devices = sorted({(machine, device_of(unit)) for _, machine, _, unit in units})
        answers = dict(zip(devices, in_parallel(lambda d: suggest(*d, "-o", "json"), devices)))
        lines = []
        for example, machine, resource, unit in units:
            judged = verdict(answers[machine, device_of(unit)], nodes_of_example(unit))
            words = f"{example} {machine} {resource} {unit['id']} -> {judged}"
            reason = reasons.get(words, "")
            lines.append(f"{words}  # {reason}" if reason else words)
            if not judged.startswith("same"):
                with self.subTest(words):
                    self.assertTrue(reason, "write the reason after '  # '")
        text = "".join(line + "\n" for line in lines)
        if UPDATE:
            JUDGED.write_text(text)
        self.assertEqual(JUDGED.read_text(), text)


if __name__ == "__main__":
    unittest.main()
