"""Compares the reference with the binary: keys, variables, options, schemas of JSON, log lines."""

import json
import os
import pathlib
import re
import tempfile
import unittest

import jsonschema

from binary import Bench, commands, language, options, patchbay, validate
from documents import ROOT, Document, all_documents, table_marked, user_documents

# A configuration whose output has every field of discover and explain. It has a unit, a refusal,
# a device that does not match, a resource for other nodes, and a pattern that finds too much.
SAMPLE = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/line
    match: {glob: /dev/line*}
    id: $(name)
  - name: lab.example.com/other
    match: {glob: /dev/line*}
    id: $(name)
  - name: lab.example.com/directories
    match: {glob: /dev/line*, type: dir}
  - name: lab.example.com/far
    match: {glob: /loop/*/*/*/*/*/*/*/*/*/none}
  - name: lab.example.com/elsewhere
    when: {node: other}
    match: {glob: /dev/line*}
"""

# A configuration with one entry of each kind.
ALLOCATED = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/line
    match: {glob: /dev/line*}
    devices: [/dev/null]
    mounts: [{hostPath: /opt/vendor}]
"""

PREFERRING = """apiVersion: patchbay/v1
kind: Config
resources:
  - {name: lab.example.com/line, match: {static: [a, b]}, share: {count: 2}, prefer: packed}
"""

MACHINES = ROOT / "test" / "hardware" / "machines"

# A configuration that already offers the adapter for which `suggest` is asked.
OFFERED = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/uart
    match: {subsystem: tty, usb: {vendor: "0403"}}
"""

# The blocks in `match` have its keys, except these. The reference says that in words.
RULES = {"subsystem", "sysfs", "glob", "static"}
PARTS_OF_MATCH = {
    "any": RULES,
    "all": RULES,
    "except": RULES,
    "ancestor": {"sysfs", "glob", "static", "path", "type", "file", "any", "all", "except",
                 "ancestor"},
}

# A code line that runs patchbay: its command and its arguments.
INVOCATION = re.compile(r"(?:^|\$ |-- |/src/)patchbay ([a-z]+)\b(.*)$", re.MULTILINE)


def schema_of(command):
    return json.loads((ROOT / "schemas" / f"{command}.v1.schema.json").read_text())


def fields(schema, root, at="", value=None):
    """The paths of the schema's fields, such as resources[].units[].id. With a value, only those that
    it has."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    for one in schema.get("oneOf", []):
        yield from fields(one, root, at, value)
    if "items" in schema and isinstance(value, (list, type(None))):
        for inner in [None] if value is None else value:
            yield from fields(schema["items"], root, at + "[]", inner)
    for name, inner in schema.get("properties", {}).items():
        path = f"{at}.{name}" if at else name
        if value is None:
            yield path
            yield from fields(inner, root, path)
        elif isinstance(value, dict) and name in value:
            yield path
            if value[name] is not None:
                yield from fields(inner, root, path, value[name])


class Language(unittest.TestCase):
    def test_every_key_is_in_its_table_and_nothing_else(self):
        blocks = {}
        for entry in language():
            if "block" in entry:
                blocks.setdefault(entry["block"], {})[entry["key"]] = entry["required"]
        self.assertGreater(len(blocks), 5)
        for block, keys in blocks.items():
            if block in PARTS_OF_MATCH:
                self.assertEqual(set(keys), set(blocks["match"]) - PARTS_OF_MATCH[block])
                continue
            with self.subTest(block):
                table = table_marked(f"keys: {block}")
                self.assertEqual(set(table.keys()), set(keys))
                self.assertEqual(len(table.rows), len(keys))

    def test_required_keys_are_marked(self):
        for entry in language():
            if "block" not in entry or entry["block"] in PARTS_OF_MATCH:
                continue
            shown = table_marked(f"keys: {entry['block']}").column("Default")
            with self.subTest(entry):
                self.assertEqual(shown.get(entry["key"]) == "required", entry["required"])

    def test_examples_and_defaults_are_shown(self):
        for entry in language():
            if "block" not in entry or entry["block"] in PARTS_OF_MATCH:
                continue
            table = table_marked(f"keys: {entry['block']}")
            with self.subTest(entry):
                self.assertEqual(table.column("Example")[entry["key"]], f"`{entry['example']}`")
                if entry["default"]:
                    shown = table.column("Default")[entry["key"]]
                    self.assertEqual(shown, f"`{entry['default']}`")

    def test_no_table_is_of_a_block_that_does_not_exist(self):
        known = {f"keys: {entry['block']}" for entry in language() if "block" in entry}
        for document in user_documents():
            for table in document.tables:
                if table.marker.startswith("keys: "):
                    self.assertIn(table.marker, known, str(table))

    def test_every_variable_with_its_rules(self):
        known = {}
        for entry in language():
            if "variable" in entry:
                known.setdefault(entry["variable"], {"rules": set(), "whole": entry["whole_path"]})
                known[entry["variable"]]["rules"].add(entry["rule"])
        shown = {}
        for name, rules, value in table_marked("variables").rows:
            every = "udev, sysfs, glob, static"
            shown[name.strip("`")] = {
                "rules": set((every if rules == "all" else rules).replace("udev", "subsystem").split(", ")),
                "whole": "Whole path" in value,
            }
        self.assertEqual(shown, known)


class Commands(unittest.TestCase):
    NOT_OUTPUTS = {"patchbay"}  # The schema of the configuration.

    def test_every_option_of_every_command(self):
        tables = [table for document in user_documents() for table in document.tables]
        for command in commands():
            known = options(command) - {("-h", "--help")}
            if not known:
                continue
            rows = [
                *(row for row in table_marked("options: common").rows if f"`{command}`" in row[-1]),
                *(row for t in tables if t.marker == f"options: {command}" for row in t.rows),
            ]
            with self.subTest(command):
                shown = [
                    tuple(name.split()[0] for name in re.findall(r"`([^`]+)`", row[0]))
                    for row in rows
                ]
                self.assertCountEqual(shown, known)

    def test_commands_that_the_documents_name_exist(self):
        known = commands() | {"help"}
        for document in all_documents():
            for text in document.code():
                for command, _ in INVOCATION.findall(text):
                    self.assertIn(command, known, document.path)

    def test_options_that_the_documents_name_exist(self):
        known = {name for command in commands() for names in options(command) for name in names}
        known |= {"--help"}
        for document in user_documents():
            for text in document.code():
                for _, arguments in INVOCATION.findall(text):
                    for name in re.findall(r"(?<=\s)--?[a-z][\w-]*", arguments):
                        self.assertIn(name, known, f"{document.path}: {arguments}")

    def test_each_command_with_json_has_its_schema(self):
        known = {command for command in commands() if ("-o", "--output") in options(command)}
        files = {path.name.split(".")[0] for path in (ROOT / "schemas").iterdir()}
        self.assertEqual(files - self.NOT_OUTPUTS, known)
        linked = [target for _, target in Document(ROOT / "docs" / "commands.md").links()]
        for name in files:
            self.assertIn(f"../schemas/{name}.v1.schema.json", linked)

    def test_definitions_of_several_schemas_are_equal(self):
        discover, explain = schema_of("discover")["$defs"], schema_of("explain")["$defs"]
        shared = set(discover) & set(explain)
        self.assertLessEqual({"condition", "excluded"}, shared)
        for name in shared:
            self.assertEqual(discover[name], explain[name])

    def test_schema_of_discover(self):
        useless = "  - {name: lab.example.com/useless, match: {glob: /loop, type: dir}, id: a}\n"
        with Bench(["/dev/line1", "/loop/file"], SAMPLE + useless) as bench:
            (bench.root / "loop/self").symlink_to(".")
            output = json.loads(bench.discover("-o", "json"))
        # The output lacks these fields, because no path of the test hangs.
        self.check("discover", output, except_for={
            f"resources[].unresponsive[].{name}" for name in ("path", "reason")})

    def test_schema_of_allocate(self):
        with Bench(["/dev/line1", "/dev/null", "/opt/vendor"], ALLOCATED) as bench:
            output = patchbay("allocate", "line", "line1", "-o", "json", *bench.arguments())
        self.check("allocate", json.loads(output.stdout))

    def test_schema_of_allocate_with_preferred_units(self):
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "a.yaml").write_text(PREFERRING)
            output = patchbay("allocate", "line", "--prefer", "1", "-o", "json", "a.yaml", cwd=directory)
        self.assertEqual(json.loads(output.stdout), ["a::0"])
        self.validator("allocate").validate(["a::0"])

    def test_schema_of_explain(self):
        with Bench(["/dev/line1"], SAMPLE) as bench:
            output = patchbay("explain", "/dev/line1", "-o", "json", *bench.arguments())
        self.check("explain", json.loads(output.stdout), except_for={
            f"unresponsive[].{name}" for name in ("path", "reason")})

    def test_schema_of_validate(self):
        outputs = [
            json.loads(validate(text, "a.yaml", "-o", "json").stdout)
            for text in ("kind: Config\n", SAMPLE)
        ]
        self.assertEqual([output["valid"] for output in outputs], [False, True])
        self.assertTrue(outputs[1]["patch"])
        self.check("validate", *outputs)

    def test_schema_of_diff(self):
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "a.yaml").write_text(SAMPLE)
            changed = SAMPLE.replace("/dev/line*", "/dev/lines*")
            (pathlib.Path(directory) / "b.yaml").write_text(changed)
            results = [
                patchbay("diff", *here, "-o", "json", "a.yaml", "b.yaml", cwd=directory)
                for here in ([], ["--here"])
            ]
        self.assertEqual([result.returncode for result in results], [1, 1])
        self.check("diff", *(json.loads(result.stdout) for result in results))

    def test_schema_of_test(self):
        result = patchbay("test", "examples/tests", "-o", "json", cwd=ROOT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check("test", json.loads(result.stdout))

    def test_schema_of_suggest(self):
        with tempfile.TemporaryDirectory() as directory:
            bench = pathlib.Path(directory) / "bench.txt"
            recorded = (MACHINES / "serial-bench.txt").read_text()
            bench.write_text(recorded.replace("N: ttyUSB0\n", "N: ttyUSB0\nE: ID_MODEL=FT232R\n"))
            adapters = pathlib.Path(directory) / "adapters.txt"
            recorded = (MACHINES / "mlx5-hca.txt").read_text()
            # One of two adapters of a model has no verbs.
            adapters.write_text(recorded.replace("/infiniband_verbs/uverbs1\nU: infiniband_verbs",
                                                 "/other/uverbs1\nU: other"))
            # The node has a route through one of two equal ports.
            ports = pathlib.Path(directory) / "ports.txt"
            route = r"F: /proc/1/net/route=ens1f0 0000A8C0 00000000 0001 0 0 0 00FFFFFF\n"
            ports.write_text((MACHINES / "nic-ports.txt").read_text() + "\n" + route + "\n")
            # One of two equal GPUs has no node.
            gpus = pathlib.Path(directory) / "gpus.txt"
            gpus.write_text((MACHINES / "nvidia-gpus.txt").read_text().replace("X: nvidia1=", "X: x="))
            active = pathlib.Path(directory) / "active.yaml"
            active.write_text(OFFERED)
            outputs = [
                self.suggest(bench, "/dev/ttyUSB0", "--config", active),
                self.suggest(gpus, "/dev/nvidia0"),
                self.suggest(bench, "usb", "0403:6001"),
                self.suggest(MACHINES / "nvidia-gpus.txt", "--all"),
                self.suggest(adapters, "--all"),
                self.suggest(ports, "ens1f1"),
                self.suggest(MACHINES / "free-disk-server.txt", "/dev/nvme0n8", "--force"),
            ]
        for output in outputs:
            for suggestion in output["suggestions"]:
                self.assertEqual(suggestion["limits"], {suggestion["resource"]: 1})
        self.check("suggest", *outputs)

    @staticmethod
    def suggest(machine, *arguments):
        result = patchbay("suggest", "--machine", str(machine), "-o", "json", *map(str, arguments))
        return json.loads(result.stdout)

    def test_commands_print_what_is_shown(self):
        shown = [b for d in user_documents() for b in d.blocks if b.marker == "printed"]
        self.assertGreater(len(shown), 5)
        with tempfile.TemporaryDirectory() as directory:
            for path in [*(ROOT / "examples" / "configs").iterdir(), *MACHINES.iterdir()]:
                (pathlib.Path(directory) / path.name).symlink_to(path)
            for block in shown:
                text = ""
                for command in re.findall(r"^\$ patchbay (.*)$", block.text, re.MULTILINE):
                    result = patchbay(*command.split(), cwd=directory)
                    text += f"$ patchbay {command}\n{result.stdout}{result.stderr}"
                if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
                    block.path.write_text(block.path.read_text().replace(block.text, text))
                    continue
                with self.subTest(str(block)):
                    self.assertEqual(text, block.text)

    def test_schema_of_version(self):
        self.check("version", json.loads(patchbay("version", "-o", "json").stdout))

    @staticmethod
    def validator(command):
        schema = schema_of(command)
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def check(self, command, *outputs, except_for=frozenset()):
        """Expects that each output conforms to its schema, and that all its fields occur."""
        schema = schema_of(command)
        found = set()
        for output in outputs:
            self.validator(command).validate(output)
            found |= set(fields(schema, schema, value=output))
        self.assertEqual(found | except_for, set(fields(schema, schema)))

    def test_a_file_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(patchbay("validate", "none.yaml", cwd=directory).returncode, 2)
        self.assertEqual(validate("kind: Config\n").returncode, 1)


def sources():
    """The text of each file of the program, without comments and with adjacent literals joined."""
    for path in sorted([*(ROOT / "src").rglob("*.h"), *(ROOT / "src").rglob("*.cpp")]):
        text = re.sub(r"//.*|#include.*", "", path.read_text())
        yield path, re.sub(r'"\s*\n\s*"', "", text)


# A message needs no row if it says what to do: a clause of it begins with an imperative.
SAYS_WHAT_TO_DO = re.compile(
    r"(?:^|[:;,] )(?:add|check|delete|give|make|match|mount|plug|record|remove|repair|report|run|use|"
    r"wait|write)\b|\bmust\b")


class LogLines(unittest.TestCase):
    """Messages are taken from the source, because most need a broken host to appear."""

    TABLES = ("log lines: warning", "log lines: info")

    def test_documented_lines_exist(self):
        source = "".join(text for _, text in sources())
        for marker in self.TABLES:
            rows = table_marked(marker).rows
            self.assertGreater(len(rows), 10)
            for row in rows:
                for message in re.findall(r"`([^`]+)`", row[0]):
                    with self.subTest(message):
                        self.assertIn('"' + message.split("…")[0], source)

    def test_lines_that_need_a_person_say_what_to_do_or_have_a_row(self):
        documented = " ".join(row[0] for row in table_marked(self.TABLES[0]).rows)
        levels = r"(?:log::(?:warning|error)\(|Level::(?:warning|error),)"
        messages = {
            message
            for _, text in sources()
            for message in re.findall(levels + r'\s*\{?\s*"([^"]+)"', text)
        }
        self.assertGreater(len(messages), 25)
        for message in messages:
            # Compares the beginning only, because some messages continue with values.
            with self.subTest(message):
                self.assertTrue(message[:40] in documented or SAYS_WHAT_TO_DO.search(message))

    def test_they_are_in_the_order_of_the_alphabet(self):
        for marker in self.TABLES:
            shown = [re.sub(r"[`$]", "", row[0]).lower() for row in table_marked(marker).rows]
            self.assertEqual(shown, sorted(shown))


class Reasons(unittest.TestCase):
    """Reasons for the refusal of a device, a unit or a call. The documented texts are compared by
    their words, without the values between them. A reason needs a row unless it says what to do.
    Reasons from `src/rules` and `src/steps` need none: each begins with the text of the
    configuration, or with the step, that must be corrected."""

    PLACES = (
        "inventory/", "health/", "loop/child_process.", "base/current_path.h",
        "base/unix_address.cpp", "rpc/endpoint.cpp", "rpc/unix_listener.cpp", "plugin/answers.cpp",
        "plugin/candidate_directory.cpp", "plugin/kubelet_availability.cpp",
        "plugin/registration.cpp", "plugin/resource_server.cpp", "daemon/dra_", "driver/",
        "kube/api_client.cpp",
    )  # fmt: skip

    @staticmethod
    def parts(text):
        """The words of a text, without its values and without punctuation at its ends."""
        text = text.replace('\\"', "…").replace("'", "…")
        split = re.split(r'\{[^}]*\}|…|"|, (?:which|not) ', text)
        return [part for part in (p.strip(" :;,.()") for p in split) if " " in part]

    @staticmethod
    def literals(text):
        """All literals except the messages of log lines at info and debug."""
        text = re.sub(r'log::(?:info|debug)\(\s*\{?\s*"[^"]*"', "", text)
        return re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)

    @staticmethod
    def tables():
        found = [t for d in user_documents() for t in d.tables if t.marker.startswith("reasons: ")]
        return [*found, *(table_marked(marker) for marker in LogLines.TABLES)]

    def test_every_reason_says_what_to_do_or_has_a_row(self):
        rows = [row[0] for table in self.tables() for row in table.rows]
        documented = "\n".join(rows).replace("'", "…")
        count = 0
        for path, text in sources():
            name = str(path.relative_to(ROOT / "src"))
            if not name.startswith(self.PLACES):
                continue
            for literal in self.literals(text):
                if SAYS_WHAT_TO_DO.search(literal):
                    continue
                for part in self.parts(literal):
                    count += 1
                    with self.subTest(f"{name}: {part}"):
                        self.assertIn(part, documented)
        self.assertGreater(count, 60)

    def test_what_is_documented_exists(self):
        made = "\n".join(
            part
            for _, text in sources()
            for literal in self.literals(text)
            for part in self.parts(literal)
        )
        for table in self.tables():
            if table.marker in LogLines.TABLES:
                continue
            for row in table.rows:
                for reason in re.findall(r"`([^`]+)`", row[0]):
                    for part in self.parts(reason):
                        with self.subTest(part):
                            self.assertIn(part, made)


if __name__ == "__main__":
    unittest.main()
