"""Files that are used unchanged: manifests, examples, and link targets of documents."""

import re
import shutil
import subprocess
import unittest

import yaml

from binary import options, patchbay, validate
from documents import ROOT, Document, all_documents

EXAMPLES = sorted((ROOT / "examples" / "configs").glob("*.yaml"))
MANIFEST = ROOT / "deploy" / "patchbay.yaml"
EXAMPLE_CONFIG = ROOT / "deploy" / "example-config.yaml"
SCHEMA = ROOT / "schemas" / "patchbay.v1.schema.json"


def objects(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def one(kind):
    found = [o for path in (MANIFEST, EXAMPLE_CONFIG) for o in objects(path) if o["kind"] == kind]
    assert len(found) == 1, f"{len(found)} objects of kind {kind}"
    return found[0]


class Deploy(unittest.TestCase):
    def setUp(self):
        self.pod = one("DaemonSet")["spec"]["template"]["spec"]
        self.container = self.pod["containers"][0]

    def test_every_manifest_parses(self):
        paths = sorted((ROOT / "deploy").glob("*.yaml"))
        self.assertIn(MANIFEST, paths)
        for path in paths:
            for thing in objects(path):
                with self.subTest(f"{path.name} {thing['kind']}"):
                    self.assertIn("apiVersion", thing)
                    self.assertIn("name", thing["metadata"])

    def test_applying_the_manifest_again_keeps_the_configuration(self):
        self.assertEqual([o["kind"] for o in objects(MANIFEST)], ["Namespace", "DaemonSet"])

    def test_without_a_configuration_no_new_pod_starts(self):
        # With an optional ConfigMap, a rollout would continue with daemons that offer nothing.
        volume, = [v for v in self.pod["volumes"] if "configMap" in v]
        self.assertFalse(volume["configMap"].get("optional", False))

    def test_the_configuration_is_accepted(self):
        for name, text in one("ConfigMap")["data"].items():
            with self.subTest(name):
                self.assertTrue(name.endswith((".yaml", ".yml")), "run would not read it")
                result = validate(text, name, "--strict")
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_daemon_has_its_options(self):
        command, *arguments = self.container["args"]
        self.assertEqual(command, "run")
        known = {name for names in options("run") for name in names}
        for argument in arguments:
            if argument.startswith("-"):
                self.assertIn(argument.split("=")[0], known)

    def test_the_daemon_accepts_its_arguments(self):
        arguments = [
            "/nowhere" if a == "/etc/patchbay" else a.replace("$(POD_IP)", "127.0.0.1")
            for a in self.container["args"]
        ]
        result = patchbay(*arguments)
        # The daemon rejects the configuration, so it has accepted the command line.
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere: No such file or directory", result.stderr)

    def test_the_configuration_is_mounted_where_it_is_read(self):
        arguments = self.container["args"]
        config = arguments[arguments.index("--config") + 1]
        mounts = {m["mountPath"]: m["name"] for m in self.container["volumeMounts"]}
        volumes = {v["name"]: v for v in self.pod["volumes"]}
        self.assertEqual(
            volumes[mounts[config]]["configMap"]["name"], one("ConfigMap")["metadata"]["name"]
        )

    def test_every_mount_has_its_volume(self):
        volumes = [v["name"] for v in self.pod["volumes"]]
        self.assertCountEqual([m["name"] for m in self.container["volumeMounts"]], volumes)

    def test_host_paths_are_mounted_at_the_same_place(self):
        mounts = {m["name"]: m for m in self.container["volumeMounts"]}
        for volume in self.pod["volumes"]:
            if "hostPath" in volume:
                mount = mounts[volume["name"]]
                self.assertEqual(mount["mountPath"], volume["hostPath"]["path"])
                writable = mount["mountPath"] == "/var/lib/kubelet/device-plugins"
                self.assertEqual(not mount.get("readOnly", False), writable, mount)

    def test_no_privilege(self):
        context = self.container["securityContext"]
        self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
        self.assertFalse(context["allowPrivilegeEscalation"])
        self.assertTrue(context["readOnlyRootFilesystem"])
        self.assertFalse(context.get("privileged", False))
        self.assertEqual(self.pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            self.assertNotIn(key, self.pod)
        self.assertNotEqual(self.pod.get("hostUsers"), False)
        self.assertIs(self.pod["automountServiceAccountToken"], False)

    def test_the_new_daemon_comes_before_the_old_one_goes(self):
        spec = one("DaemonSet")["spec"]
        rolling = spec["updateStrategy"]["rollingUpdate"]
        self.assertEqual(rolling, {"maxSurge": 1, "maxUnavailable": 0})
        self.assertGreater(spec["minReadySeconds"], 0)
        # Without a hostPort, the old and the new daemon can run on the node at once.
        for port in self.container["ports"]:
            self.assertNotIn("hostPort", port)

    def test_the_probes_ask_where_the_daemon_answers(self):
        ports = [p["containerPort"] for p in self.container["ports"]]
        listen = self.container["args"][self.container["args"].index("--listen") + 1]
        for probe, path in (("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
            get = self.container[probe]["httpGet"]
            self.assertEqual(get["path"], path)
            # The probe has the number of the port, because with hostNetwork no port is declared.
            self.assertIn(get["port"], ports)
            self.assertEqual(listen, f"$(POD_IP):{get['port']}")

    def test_everything_is_in_the_namespace(self):
        namespace = one("Namespace")["metadata"]["name"]
        for thing in [*objects(MANIFEST), *objects(EXAMPLE_CONFIG)]:
            if thing["kind"] != "Namespace":
                self.assertEqual(thing["metadata"]["namespace"], namespace)

    def test_the_daemon_set_selects_its_pods(self):
        spec = one("DaemonSet")["spec"]
        self.assertEqual(
            spec["selector"]["matchLabels"], spec["template"]["metadata"]["labels"]
        )

    def test_the_example_pod_asks_for_what_the_configuration_offers(self):
        pod = objects(ROOT / "deploy" / "example-pod.yaml")[0]
        config = yaml.safe_load("\n".join(one("ConfigMap")["data"].values()))
        domain = config["defaults"]["domain"]
        offered = {f"{domain}/{resource['name']}" for resource in config["resources"]}
        asked = set(pod["spec"]["containers"][0]["resources"]["limits"])
        self.assertTrue(asked & offered)
        self.assertLessEqual({name for name in asked if "/" in name}, offered)


class Examples(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreater(len(EXAMPLES), 3)

    def test_they_are_accepted(self):
        for path in EXAMPLES:
            with self.subTest(path.name):
                result = validate(path.read_text(), path.name, "--strict")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr, "")

    def test_tools_that_write_yaml_anew_change_nothing(self):
        for path in EXAMPLES:
            text = yaml.safe_dump(yaml.safe_load(path.read_text()), sort_keys=True)
            with self.subTest(path.name):
                result = validate(text, path.name)
                self.assertEqual(result.returncode, 0, result.stderr + text)

    def test_envsubst_changes_nothing(self):
        self.assertTrue(shutil.which("envsubst"), "install gettext-base")
        for path in EXAMPLES:
            text = path.read_text()
            with self.subTest(path.name):
                after = subprocess.run(
                    ["envsubst"], input=text, capture_output=True, text=True, check=True
                )
                # The first line is a comment for editors. Its $schema may change.
                self.assertEqual(after.stdout.splitlines()[1:], text.splitlines()[1:])

    def test_they_are_listed(self):
        listed = [target for _, target in Document(ROOT / "examples" / "README.md").links()]
        self.assertCountEqual(listed, ["tests", *(f"configs/{path.name}" for path in EXAMPLES)])

    def test_they_say_what_they_are(self):
        for path in EXAMPLES:
            with self.subTest(path.name):
                lines = path.read_text().splitlines()[1:]
                for line, word in zip(lines, ("Offers", "For", "Try")):
                    self.assertTrue(line.startswith(f"# {word}: "), line)
                self.assertFalse(lines[3].startswith("#"))

    def test_they_tell_editors_of_the_schema(self):
        for path in EXAMPLES:
            with self.subTest(path.name):
                first = path.read_text().splitlines()[0]
                key, _, schema = first.partition("=")
                self.assertEqual(key, "# yaml-language-server: $schema")
                self.assertTrue((path.parent / schema).samefile(SCHEMA))


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in all_documents():
            for line, target in document.links():
                name, _, fragment = target.partition("#")
                path = (document.path.parent / name).resolve() if name else document.path
                where = f"{document.path.relative_to(ROOT)}:{line}: {target}"
                self.assertTrue(path.exists(), where)
                if fragment and path.suffix == ".md":
                    self.assertIn(fragment, Document(path).anchors(), where)

    def test_prose_has_at_most_100_columns(self):
        for document in all_documents():
            for number, line in document.prose:
                with self.subTest(f"{document.path.relative_to(ROOT)}:{number}"):
                    self.assertLessEqual(len(line), 100)

    def test_paths_of_the_repository_exist(self):
        folders = r"(?:src|test|scripts|examples|docs|deploy|schemas|proto|cmake)"
        for document in all_documents():
            for text in document.code():
                for path in re.findall(rf"(?<![\w/.]){folders}/[\w./-]*[\w/]", text):
                    where = f"{document.path.relative_to(ROOT)}: {path}"
                    self.assertTrue((ROOT / path).exists(), where)

    def test_source_files_that_the_architecture_names_exist(self):
        page = Document(ROOT / "docs" / "dev" / "architecture.md")
        named = [text for text in page.code() if re.fullmatch(r"[\w/]+/[\w*]+\.(?:h|cpp|txt|yaml)", text)]
        self.assertGreater(len(named), 30)
        for name in named:
            with self.subTest(name):
                self.assertTrue(list((ROOT / "src").glob(name)), "no such file")

    def test_the_architecture_has_all_folders(self):
        page = Document(ROOT / "docs" / "dev" / "architecture.md")
        folders = {str(f.parent.relative_to(ROOT / "src")) for f in (ROOT / "src").rglob("*.h")}
        table, = [t for t in page.tables if t.head[0] == "Folder"]
        self.assertCountEqual(table.keys(), folders)
        diagram, = [block.text for block in page.blocks if "▶" in block.text]
        for folder in folders:
            with self.subTest(folder):
                self.assertRegex(diagram, rf"\b{folder.removeprefix('rules/')}\b")

    def test_rules_of_the_kubelet_that_comments_name_exist(self):
        anchors = Document(ROOT / "docs" / "dev" / "kubelet.md").anchors()
        cited = 0
        for folder in ("src", "test"):
            for path in [*(ROOT / folder).rglob("*.h"), *(ROOT / folder).rglob("*.cpp")]:
                text = re.sub(r"\n\s*//+ ?", " ", path.read_text())
                for section in re.findall(r"docs/dev/kubelet\.md: ([^)]+)\)", text):
                    cited += 1
                    with self.subTest(f"{path.relative_to(ROOT)}: {section}"):
                        self.assertIn(section.lower().replace(" ", "-"), anchors)
        self.assertGreater(cited, 10)

    def test_tests_that_are_named_exist(self):
        defined = {
            ".".join(names)
            for path in (ROOT / "test").rglob("*_test.cpp")
            for names in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.M)
        }
        named = [
            text
            for row in Document(ROOT / "test" / "claims.md").code()
            for text in re.findall(r"^([A-Z]\w+\.[A-Z]\w+)$", row)
        ]
        self.assertGreater(len(named), 50)
        for name in named:
            with self.subTest(name):
                self.assertTrue(name in defined or name == "Suite.Test", "no such test")

    def test_every_fault_of_the_reliability_page_has_its_tests(self):
        reliability = Document(ROOT / "docs" / "reliability.md")
        faults = [
            row[0] for t in reliability.tables if t.head[1] == "Reaction" for row in t.rows
        ]
        claims = Document(ROOT / "test" / "claims.md")
        tested = [t for t in claims.tables if t.marker == "tests of faults"]
        self.assertEqual(faults, [row[0] for t in tested for row in t.rows])
        for row in (row for t in tested for row in t.rows):
            with self.subTest(row[0]):
                self.assertRegex(row[1], r"`[A-Z]\w+\.[A-Z]\w+`")


if __name__ == "__main__":
    unittest.main()
