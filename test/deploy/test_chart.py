"""The Helm chart: its output for valid values, and its errors for invalid ones."""

import json
import os
import pathlib
import re
import tempfile
import unittest

import yaml

from chart_values import CHANGES, CONFIG, EVERYTHING, PLAIN, POOLS
from object_schemas import schemas
from tools import (
    BASE_VALUES, CHART, DEPLOY, EXAMPLE_CONFIG, MANIFEST, ROOT, Document, by_name, container_of,
    helm_template, objects, one, output, patchbay, pod_of, program, rendered, run, values_file,
)

GOLDENS = ROOT / "test" / "golden" / "deploy"
# Values with keys that the chart defines; any other value is treated as a whole.
GROUPS = ("image", "kubelet", "cdi", "deviceInfo", "dra", "http", "log", "networkPolicy", "podMonitor",
          "prometheusRule", "dashboard")
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
HEADER = "apiVersion: patchbay/v1\nkind: Config\n"


def flat(values):
    out = {}
    for key, value in values.items():
        if key in GROUPS:
            out |= {f"{key}.{inner}": deeper for inner, deeper in value.items()}
        else:
            out[key] = value
    return out


def nested(name, value):
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


def merged(before, after):
    out = {**before}
    for key, value in after.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merged(out[key], value) if both else value
    return out


def without_labels(thing):
    """An object without Helm's common labels, and with the manifest's selector."""
    thing = json.loads(json.dumps(thing))
    name = {"app.kubernetes.io/name": "patchbay"}
    thing["metadata"].pop("labels", None)
    if thing["kind"] == "DaemonSet":
        thing["spec"]["selector"]["matchLabels"] = name
        thing["spec"]["template"]["metadata"]["labels"] = name
    if thing["kind"] == "ConfigMap":
        thing["data"] = sorted(thing["data"].values())
    return thing


class Files(unittest.TestCase):
    def test_the_version_is_the_programs(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        text = (ROOT / "CMakeLists.txt").read_text()
        version = re.search(r"project\(patchbay VERSION (\S+)", text)[1]
        self.assertEqual((chart["version"], chart["appVersion"]), (version, version))

    def test_helm_finds_no_fault(self):
        for values in (PLAIN, EVERYTHING, POOLS):
            with values_file(values) as file:
                output(program("helm"), "lint", "--strict", "--values", BASE_VALUES,
                       "--values", file, CHART)

    def test_a_package_holds_all(self):
        with tempfile.TemporaryDirectory() as folder:
            output(program("helm"), "package", CHART, "--destination", folder)
            package, = pathlib.Path(folder).iterdir()
            with values_file(EVERYTHING) as file:
                arguments = ("--namespace", "patchbay", "--values", BASE_VALUES, "--values", file)
                of_package = run(program("helm"), "template", "patchbay", package, *arguments)
        self.assertEqual(of_package.stdout, rendered(EVERYTHING))
        self.assertNotIn("symbolic link", of_package.stderr)

    def test_the_table_has_each_value_and_its_default(self):
        table, = [t for t in Document(CHART / "README.md").tables if t.marker == "chart values"]
        told = {row[0].strip("`"): json.loads(row[1].strip("`")) for row in table.rows}
        self.assertEqual(told, flat(VALUES))

    def test_the_schema_has_each_value_and_no_other(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.assertEqual(schema["properties"].keys() - {"global"}, VALUES.keys())
        self.assertIs(schema["additionalProperties"], False)
        for group in GROUPS:
            with self.subTest(group):
                inner = schema["properties"][group]
                self.assertEqual(inner["properties"].keys(), VALUES[group].keys())
                self.assertIs(inner["additionalProperties"], False)


class Output(unittest.TestCase):
    def test_with_a_configuration_alone_it_is_the_manifest(self):
        example = one(objects(EXAMPLE_CONFIG.read_text()), "ConfigMap")
        expected = [one(objects(MANIFEST.read_text()), "DaemonSet"), example]
        made = [t for t in objects(rendered({"config": example["data"]["lab.yaml"]}))
                if t["kind"] != "Pod"]
        self.assertEqual(by_name(map(without_labels, made)), by_name(map(without_labels, expected)))

    def test_outputs_as_a_whole(self):
        for name, values in (("everything", {**EVERYTHING, "dashboard": {"enabled": False}}),
                             ("pools", POOLS)):
            with self.subTest(name):
                golden = GOLDENS / f"chart-{name}.yaml"
                text = rendered(values)
                if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
                    GOLDENS.mkdir(exist_ok=True)
                    golden.write_text(text)
                self.maxDiff = None
                self.assertEqual(text, golden.read_text())

    def test_kubernetes_knows_all_that_it_says(self):
        for values in (PLAIN, EVERYTHING, POOLS):
            output(program("kubeconform"), "-strict", "-schema-location", schemas(),
                   "-skip", "PodMonitor,PrometheusRule", "-", text=rendered(values))

    def test_the_daemon_accepts_the_configurations(self):
        for values, said in ((PLAIN, "1 resource"), (EVERYTHING, "4 resources in 2 configurations"),
                             (POOLS, "3 resources in 3 configurations")):
            done = patchbay("validate", "--strict", "-", text=rendered(values))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines()[0], f"ok: {said}")

    def test_mistakes_are_shown_at_their_lines(self):
        text = rendered({"config": HEADER + "resorces: []\n"})
        line = text.splitlines().index("    resorces: []") + 1
        done = patchbay("validate", "-", text=text)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"<stdin>:{line}:5: error: ", done.stderr)

    def test_the_daemon_accepts_its_arguments(self):
        for values in (PLAIN, EVERYTHING):
            arguments = container_of(one(objects(rendered(values)), "DaemonSet"))["args"]
            arguments = ["/nowhere" if a == "/etc/patchbay" else a.replace("$(POD_IP)", "127.0.0.1")
                         for a in arguments]
            done = patchbay(*arguments)
            self.assertIn("/nowhere: No such file or directory", done.stderr)

    def test_each_value_changes_something(self):
        self.assertEqual(CHANGES.keys(), flat(VALUES).keys())
        for name, (value, *besides) in CHANGES.items():
            with self.subTest(name):
                before = merged(PLAIN, besides[0] if besides else {})
                after = merged(before, nested(name, value))
                if name in ("configs", "existingConfigMap"):
                    del after["config"]
                self.assertNotEqual(rendered(after), rendered(before))

    def test_no_value_changes_the_selector(self):
        selector = one(objects(rendered()), "DaemonSet")["spec"]["selector"]
        every = {}
        for name, (value, *_) in CHANGES.items():
            if name not in ("pools", "existingConfigMap"):
                every = merged(every, nested(name, value))
        self.assertEqual(one(objects(rendered(every)), "DaemonSet")["spec"]["selector"], selector)

    def test_labels_do_not_replace_those_of_the_chart(self):
        own = {f"app.kubernetes.io/{name}": "other"
               for name in ("name", "instance", "component", "version", "managed-by")}
        labels = {**own, "helm.sh/chart": "other"}
        pool = {**POOLS["pools"][0], "podLabels": labels}
        values = {**POOLS, "pools": [pool], "validateBeforeUpgrade": True,
                  "podMonitor": {"enabled": True}}
        more = {"example.com/team": "bench"}

        def found(common, pods):
            for item in objects(rendered({**values, "commonLabels": common, "podLabels": pods})):
                yield item["kind"], item["metadata"].get("labels")
                if item["kind"] == "DaemonSet":
                    pod = item["spec"]["template"]["metadata"]["labels"]
                    # Compares these labels only, because the chart sets no others in a Pod.
                    yield [pod[f"app.kubernetes.io/{name}"] for name in ("name", "instance", "component")]

        self.assertEqual(list(found({**labels, **more}, labels)), list(found(more, {})))

    def test_pods_have_labels_that_the_chart_does_not_set(self):
        own = {"app.kubernetes.io/version": "7", "helm.sh/chart": "lab-7"}
        for name in ("podLabels", "commonLabels"):
            pod = one(objects(rendered({**PLAIN, name: own})), "DaemonSet")["spec"]["template"]
            self.assertEqual(own.items() & pod["metadata"]["labels"].items(), own.items(), name)

    def test_a_probe_and_the_update_strategy_can_be_removed(self):
        values = {**PLAIN, "livenessProbe": None, "readinessProbe": None, "updateStrategy": None}
        before = one(objects(rendered()), "DaemonSet")
        for name in ("livenessProbe", "readinessProbe"):
            del container_of(before)[name]
        del before["spec"]["updateStrategy"]
        self.assertEqual(one(objects(rendered(values)), "DaemonSet"), before)

    def test_monitoring_is_that_of_the_manifests(self):
        names = ("podMonitor", "prometheusRule", "dashboard")
        things = objects(rendered({**PLAIN, **{name: {"enabled": True} for name in names}}))
        folder = DEPLOY / "monitoring"
        for kind, file in (("PodMonitor", "pod-monitor"), ("PrometheusRule", "prometheus-rule")):
            expected = yaml.safe_load((folder / f"{file}.yaml").read_text())
            made = one(things, kind)
            self.assertEqual(made["metadata"]["name"], expected["metadata"]["name"])
            if kind == "PodMonitor":
                del made["spec"]["selector"]["matchLabels"]["app.kubernetes.io/instance"]
            self.assertEqual(made["spec"], expected["spec"])
        dashboard = one(things, "ConfigMap", "patchbay-dashboard")
        self.assertEqual(json.loads(dashboard["data"]["patchbay.json"]),
                         json.loads((folder / "dashboard.json").read_text()))

    def test_alerts_can_have_links(self):
        values = {**PLAIN,
                  "prometheusRule": {"enabled": True, "documentsUrl": "https://x.example/p/"}}
        rules = one(objects(rendered(values)), "PrometheusRule")["spec"]["groups"][0]["rules"]
        for rule in rules:
            self.assertEqual(rule["annotations"]["runbook_url"],
                             f"https://x.example/p/docs/alerts.md#{rule['alert'].lower()}")

    def test_alerts_can_have_other_severities(self):
        chosen = {"PatchbayUnitsLost": "page", "PatchbayEventsLost": "P5"}
        plain = {**PLAIN, "prometheusRule": {"enabled": True}}
        changed = {**PLAIN, "prometheusRule": {"enabled": True, "severities": chosen}}
        before, after = (
            {rule["alert"]: rule["labels"]["severity"] for rule in
             one(objects(rendered(values)), "PrometheusRule")["spec"]["groups"][0]["rules"]}
            for values in (plain, changed))
        self.assertEqual(after, {**before, **chosen})
        self.assertEqual(chosen.keys() - before.keys(), set())


class Reload(unittest.TestCase):
    @staticmethod
    def template(values):
        return one(objects(rendered(values)), "DaemonSet")["spec"]["template"]

    def test_an_edit_is_no_roll_out(self):
        self.assertEqual(self.template({"config": HEADER}), self.template({"config": "# else\n"}))

    def test_without_reload_an_edit_is_one(self):
        def said(text):
            return self.template({"reload": False, "config": text})
        self.assertNotEqual(said(HEADER), said("# else\n"))
        self.assertEqual(said(HEADER), said(HEADER))
        self.assertIn("--no-reload", said(HEADER)["spec"]["containers"][0]["args"])


class Text(unittest.TestCase):
    """Texts that YAML could read as another type stay unchanged."""

    TEXT = (HEADER + "# 0403 0x10 yes 1e3 12345678901234567890 ~\n"
            "resources:\n- name: lab.example.com/x\n  match:\n"
            "    usb: {vendor: 0403, product: 0x10}   \n"
            "    attribute: {a: yes, b: 1e3, c: 12345678901234567890, d: ~, e: $(f), g: '{{ h }}'}\n"
            "    # ä\t|\n\n  id: $(name)\n")

    def config(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return one(objects(done.stdout), "ConfigMap")["data"]

    def test_as_a_block(self):
        values = "config: |\n" + "".join(f"  {line}\n" for line in self.TEXT.splitlines())
        self.assertEqual(self.config(helm_template(values)), {"config.yaml": self.TEXT})

    def test_as_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(self.TEXT)
            file.flush()
            done = helm_template({}, "--set-file", f"config={file.name}")
            self.assertEqual(self.config(done), {"config.yaml": self.TEXT})
            done = helm_template({}, "--set-file", rf"configs.my\.yaml={file.name}")
            self.assertEqual(self.config(done), {"my.yaml": self.TEXT})

    def test_rewritten_by_a_tool(self):
        values = yaml.safe_dump({"configs": {"a.yaml": self.TEXT, "b.yml": HEADER}})
        self.assertEqual(self.config(helm_template(values)),
                         {"a.yaml": self.TEXT, "b.yml": HEADER})

    def test_odd_texts(self):
        for text in ("  a: 1\n  b: 2\n", "\n\n  a: 1\n", "a: |\n  b\n\n\nc: 1\n", "a: 1", "# x\n"):
            with self.subTest(repr(text)):
                data = self.config(helm_template({"config": text}))
                self.assertEqual(data["config.yaml"].rstrip("\n"), text.rstrip("\n"))

    def test_of_windows(self):
        data = self.config(helm_template({"config": "a: 1\r\nb: 2\r\n"}))
        self.assertEqual(data, {"config.yaml": "a: 1\nb: 2\n"})

    def test_names_stay_text(self):
        values = {"fullnameOverride": "0x10", "serviceAccountName": "1e3", "priorityClassName": "no",
                  "existingConfigMap": "0403", "log": {"level": "debug"}}
        made = one(objects(rendered(values, name="123", namespace="0403")), "DaemonSet")
        self.assertEqual((made["metadata"]["name"], made["metadata"]["namespace"]),
                         ("0x10", "0403"))
        self.assertEqual(made["spec"]["selector"]["matchLabels"]["app.kubernetes.io/instance"], "123")
        pod = pod_of(made)
        self.assertEqual((pod["serviceAccountName"], pod["priorityClassName"]), ("1e3", "no"))
        config, = [v for v in pod["volumes"] if v["name"] == "config"]
        self.assertEqual(config["configMap"]["name"], "0403")

    def test_yaml_is_refused_with_the_reason(self):
        pool = "pools: [{name: a, nodeSelector: {b: c}, config: {resources: []}}]"
        for values, name in (
            ("config: {resources: []}", "config"),
            ("config: [1]", "config"),
            ("config: 5", "config"),
            ("configs: {lab.yaml: {resources: []}}", r"configs.lab\.yaml"),
            (pool, "pools[0].config"),
        ):
            with self.subTest(values):
                done = helm_template(values)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"{name} must be text but is YAML", done.stderr)
                self.assertIn("0403 would become 259", done.stderr)
                self.assertIn(f"--set-file '{name}=lab.yaml'", done.stderr)


class Refused(unittest.TestCase):
    def refused(self, values, *words):
        done = helm_template(values)
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_what_is_misspelt(self):
        for name in flat(VALUES):
            wrong = name + "x"
            with self.subTest(wrong):
                self.refused(nested(wrong, "a"), wrong.split(".")[-1], "not allowed")

    def test_what_cannot_be(self):
        pool = {"name": "a", "nodeSelector": {"b": "c"}, "config": HEADER}
        self.refused({"http": {"port": "9405"}}, "/http/port")
        self.refused({"image": {"digest": "latest"}}, "/image/digest")
        self.refused({"pools": [{"name": "a", "config": HEADER}]}, "nodeSelector")
        self.refused({"pools": [{**pool, "nodeSelector": {}}]}, "nodeSelector")
        self.refused({"pools": [{**pool, "reload": False}]}, "reload")
        self.refused({"pools": [{"name": "a", "nodeSelector": {"b": "c"}}]},
                     "the pool a has no configuration")
        self.refused({"pools": [pool, pool]}, "two pools have the name a")
        self.refused({"configs": {"lab": HEADER}}, "'lab' is not a file name that ends in .yaml")
        self.refused({"config": HEADER, "existingConfigMap": "x"}, "remove one or the other")
        self.refused({"config": HEADER, "configs": {"config.yaml": HEADER}}, "config.yaml")

    def test_a_severity_of_no_alert(self):
        self.refused({**PLAIN, "prometheusRule": {"enabled": True, "severities": {"Lost": "page"}}},
                     "there is no alert 'Lost'")

    def test_no_image(self):
        self.refused({**PLAIN, "image": {"repository": ""}}, "image.repository is not set",
                     "--set image.repository=", "docs/images.md")

    def test_no_configuration(self):
        # `helm upgrade --set` without earlier values gives these. All resources would be withdrawn.
        self.refused({"http": {"page": True}}, "the values have no configuration",
                     "--set-file config=lab.yaml", "--reset-then-reuse-values")


def holds(term, labels):
    """Whether a term of a node affinity matches."""
    def one_of(expression):
        value = labels.get(expression["key"])
        if expression["operator"] == "NotIn":
            return value not in expression["values"]
        assert expression["operator"] == "Exists"
        return value is not None
    return all(map(one_of, term["matchExpressions"]))


def takes(daemon_set, labels):
    """Whether the DaemonSet has a Pod on a node with these labels."""
    pod = pod_of(daemon_set)
    if not pod["nodeSelector"].items() <= labels.items():
        return False
    affinity = pod.get("affinity", {}).get("nodeAffinity")
    if not affinity:
        return True
    terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return any(holds(term, labels) for term in terms)


class Pools(unittest.TestCase):
    def setUp(self):
        self.pools = [
            {"name": "gpu", "nodeSelector": {"pool": "gpu", "rack": "1"}, "config": HEADER},
            {"name": "line", "nodeSelector": {"pool": "line"}},
            {"name": "rack", "nodeSelector": {"rack": "1"}},
        ]

    def where(self, values, **labels):
        """The DaemonSets that have a Pod on a node with these labels."""
        labels["kubernetes.io/os"] = "linux"
        return [t["metadata"]["name"] for t in objects(rendered(values))
                if t["kind"] == "DaemonSet" and takes(t, labels)]

    def test_a_node_belongs_to_the_first_that_it_fits(self):
        values = {"config": HEADER, "pools": self.pools}
        self.assertEqual(self.where(values), ["patchbay"])
        self.assertEqual(self.where(values, pool="gpu"), ["patchbay"])
        self.assertEqual(self.where(values, pool="gpu", rack="1"), ["patchbay-gpu"])
        self.assertEqual(self.where(values, pool="line"), ["patchbay-line"])
        self.assertEqual(self.where(values, pool="line", rack="1"), ["patchbay-line"])
        self.assertEqual(self.where(values, rack="1"), ["patchbay-rack"])
        self.assertEqual(self.where(values, rack="2"), ["patchbay"])

    def test_an_affinity_holds_besides(self):
        term = {"matchExpressions": [{"key": "bench", "operator": "Exists"}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        values = {"config": HEADER, "pools": self.pools, "affinity": {"nodeAffinity": required}}
        self.assertEqual(self.where(values, rack="2"), [])
        self.assertEqual(self.where(values, rack="2", bench=""), ["patchbay"])
        self.assertEqual(self.where(values, rack="1"), [])
        self.assertEqual(self.where(values, rack="1", bench=""), ["patchbay-rack"])

    def test_without_a_configuration_of_its_own_it_has_that_of_all(self):
        values = {"config": HEADER + "# all\n", "pools": self.pools}
        things = objects(rendered(values))
        self.assertEqual(one(things, "ConfigMap", "patchbay-gpu-config")["data"],
                         {"config.yaml": HEADER})
        self.assertEqual(one(things, "ConfigMap", "patchbay-line-config")["data"],
                         {"config.yaml": HEADER + "# all\n"})

    def test_without_one_for_all_other_nodes_have_no_daemon(self):
        values = {"pools": self.pools[:1]}
        self.assertEqual(self.where(values, rack="2"), [])
        self.assertEqual(self.where(values, pool="gpu", rack="1"), ["patchbay-gpu"])

    def test_each_selects_its_own_pods(self):
        sets = [t for t in objects(rendered({"config": HEADER, "pools": self.pools}))
                if t["kind"] == "DaemonSet"]
        self.assertEqual(len(sets), 4)
        for selecting in sets:
            selector = selecting["spec"]["selector"]["matchLabels"].items()
            selected = [t["metadata"]["name"] for t in sets
                        if selector <= t["spec"]["template"]["metadata"]["labels"].items()]
            self.assertEqual(selected, [selecting["metadata"]["name"]])


class Validation(unittest.TestCase):
    """Checks of the configuration with the image: `helm test`, and a Job before an upgrade."""

    def test_each_configuration_has_a_test(self):
        things = objects(rendered(POOLS))
        pods = [t for t in things if t["kind"] == "Pod"]
        self.assertEqual(sorted(self.mounted(t["spec"]) for t in pods),
                         ["kept", "patchbay-bench-config", "patchbay-config", "patchbay-gpu-config"])
        for pod in pods:
            self.assertEqual(pod["metadata"]["annotations"]["helm.sh/hook"], "test")
            self.assertEqual(pod["spec"]["containers"][0]["args"],
                             ["validate", "--strict", "/etc/patchbay", "/pod/daemonset.yaml"])

    def test_a_job_checks_the_new_configuration_before_anything_changes(self):
        values = {**POOLS, "validateBeforeUpgrade": True}
        things = [t for t in objects(rendered(values))
                  if "pre-upgrade" in t["metadata"].get("annotations", {}).get("helm.sh/hook", "")]
        jobs = [t for t in things if t["kind"] == "Job"]
        self.assertEqual(len(jobs), 4)
        new = {t["metadata"]["name"]: t for t in things if t["kind"] == "ConfigMap"}
        self.assertEqual(sorted(self.mounted(t["spec"]["template"]["spec"]) for t in jobs),
                         sorted([*new, "kept"]))
        later = objects(rendered(POOLS))
        for name, thing in new.items():
            # The object has the data of the release's ConfigMap and another name. It is created
            # before the Job.
            brought = one(later, "ConfigMap", name.replace("-new-config", "-config"))
            self.assertEqual(thing["data"], brought["data"])
            self.assertEqual(thing["metadata"]["annotations"]["helm.sh/hook-weight"], "-1")
            # With this hook, `helm uninstall` deletes what a failed upgrade left.
            self.assertIn("post-delete", thing["metadata"]["annotations"]["helm.sh/hook"])
            self.assertIn("before-hook-creation,hook-succeeded",
                          thing["metadata"]["annotations"]["helm.sh/hook-delete-policy"])
        for job in jobs:
            self.assertEqual(job["spec"]["backoffLimit"], 0)
            self.assertEqual(job["spec"]["ttlSecondsAfterFinished"], 3600)
            self.assertEqual(job["spec"]["template"]["spec"]["restartPolicy"], "Never")

    def test_they_compare_the_configuration_with_the_mounts_of_its_daemons(self):
        needing = HEADER + ("resources:\n  - {name: example.com/a, match: {static: [a]}, "
                            "mounts: [{hostPath: /opt/lab-tools}]}\n")
        values = {"config": needing, "validateBeforeUpgrade": True,
                  "pools": [{"name": "gpu", "nodeSelector": {"pool": "gpu"},
                             "hostPaths": [{"path": "/opt/lab-tools"}]}]}
        things = objects(rendered(values))
        checks = {t["metadata"]["name"]: t["metadata"] for t in things if t["kind"] == "Pod"}
        checks |= {t["metadata"]["name"]: t["spec"]["template"]["metadata"]
                   for t in things if t["kind"] == "Job"}
        self.assertEqual(len(checks), 4)
        for name, metadata in checks.items():
            daemons = json.loads(metadata["annotations"]["patchbay/daemonset"])
            expected = "patchbay-gpu" if "gpu" in name else "patchbay"
            self.assertEqual(daemons, one(things, "DaemonSet", expected))
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "a.yaml").write_text(needing)
                (pathlib.Path(folder) / "daemonset.yaml").write_text(json.dumps(daemons))
                done = patchbay("validate", "--strict", folder)
            self.assertEqual(done.returncode, 0 if "gpu" in name else 1, done.stderr)
            if "gpu" not in name:
                self.assertIn("'/opt/lab-tools' is not mounted in the DaemonSet patchbay\n",
                              done.stderr)
                self.assertIn("hostPaths with {path: /opt/lab-tools}", done.stderr)

    def test_nothing_takes_them_for_daemons(self):
        values = {**PLAIN, "validateBeforeUpgrade": True, "podMonitor": {"enabled": True},
                  "networkPolicy": {"enabled": True}}
        things = objects(rendered(values))
        selectors = [one(things, "DaemonSet")["spec"]["selector"]["matchLabels"],
                     one(things, "PodMonitor")["spec"]["selector"]["matchLabels"],
                     one(things, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"]]
        labels = [one(things, "Pod")["metadata"]["labels"],
                  one(things, "Job")["spec"]["template"]["metadata"]["labels"]]
        for selector in selectors:
            for one_of in labels:
                self.assertFalse(selector.items() <= one_of.items())

    def test_it_needs_no_permission(self):
        things = objects(rendered({**PLAIN, "validateBeforeUpgrade": True}))
        for pod in (one(things, "Pod")["spec"], one(things, "Job")["spec"]["template"]["spec"]):
            self.assertIs(pod["automountServiceAccountToken"], False)
            self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
            self.assertEqual(pod["containers"][0]["securityContext"]["capabilities"],
                             {"drop": ["ALL"]})
            self.assertFalse([v for v in pod["volumes"] if "hostPath" in v])

    @staticmethod
    def mounted(pod):
        volume, = (v for v in pod["volumes"] if "configMap" in v)
        return volume["configMap"]["name"]


class Names(unittest.TestCase):
    def test_a_name_instead_of_the_charts(self):
        def name(release, **values):
            made = objects(rendered({**PLAIN, **values}, name=release))
            return one(made, "DaemonSet")["metadata"]["name"]
        self.assertEqual(name("lab"), "lab-patchbay")
        self.assertEqual(name("lab", nameOverride="devices"), "lab-devices")
        self.assertEqual(name("lab-devices-1", nameOverride="devices"), "lab-devices-1")
        self.assertEqual(name("lab", nameOverride="devices", fullnameOverride="x"), "x")
        long = name("a" * 50, nameOverride="d" * 30)
        self.assertEqual(long, "a" * 9 + "-" + "d" * 30)

    def test_alerts_still_know_the_daemons(self):
        made = one(objects(rendered({**PLAIN, "nameOverride": "devices"})), "DaemonSet")
        labels = made["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(labels["app.kubernetes.io/name"], "patchbay")


class Documents(unittest.TestCase):
    """The commands and values in docs/deploying.md and the chart's README."""

    def setUp(self):
        self.documents = [Document(ROOT / "docs" / "deploying.md"), Document(CHART / "README.md"),
                          Document(ROOT / "docs" / "alerts.md")]

    def test_the_values(self):
        shown = [b for d in self.documents for b in d.blocks
                 if b.marker.startswith("chart values: ")]
        self.assertEqual(len(shown), 3)
        for block in shown:
            with self.subTest(str(block)):
                if "existingConfigMap" in block.text:
                    rendered(block.text)
                    continue
                done = patchbay("validate", "--strict", "-", text=rendered(block.text))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_commands_of_helm(self):
        commands = [line for d in self.documents for b in d.blocks if b.language == "sh"
                    for line in b.text.splitlines() if line.startswith("helm ")]
        self.assertEqual(len(commands), 7)
        for line in commands:
            with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "lab.yaml").write_text(CONFIG)
                (pathlib.Path(folder) / "lab-values.yaml").write_text(yaml.safe_dump(POOLS))
                words = line.replace("deploy/chart", str(DEPLOY / "chart")).split(" | ")[0].split()
                if words[1] in ("test", "uninstall"):
                    continue
                # The objects that would be installed, without a cluster.
                words[1] = "template"
                if "--reset-then-reuse-values" in words:
                    words += ["--values", "lab-values.yaml"]
                words += ["--values", str(BASE_VALUES)]
                words = [w for w in words if w not in ("--create-namespace", "--reset-then-reuse-values")]
                done = run(program("helm"), *words[1:], cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                names = [t["metadata"]["name"] for t in objects(done.stdout)]
                self.assertIn("patchbay", names)


if __name__ == "__main__":
    unittest.main()
