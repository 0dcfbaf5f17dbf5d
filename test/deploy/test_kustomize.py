"""The base, the components and the overlays of deploy/kustomize."""

import json
import os
import re
import shutil
import unittest

import yaml

from chart_values import CONFIG
from object_schemas import schemas
from tools import (
    CHART, KUSTOMIZE, MANIFEST, ROOT, by_name, container_of, differences, documents_kustomization,
    kustomize, objects, one, output, patchbay, pod_of, program, with_components,
)

BASE = KUSTOMIZE / "base"
COMPONENTS = sorted(path.name for path in (KUSTOMIZE / "components").iterdir())
# Components that exclude each other, and move what the component dra mounts.
DISTRIBUTIONS = ("k0s", "microk8s")
OVERLAYS = sorted(path.name for path in (KUSTOMIZE / "overlays").iterdir())

# For each component, a line of configuration for which `patchbay validate` prints its patch.
ASKING = {
    "hostnetwork": "health: [{tcp: localhost:80}]",
    "privileged-probes": "preStart: [{usbReset: true}]",
    "cdi": "cdi: write",
    "device-info": "deviceInfo: pci",
}


def daemon_set(things):
    return one(things, "DaemonSet", "patchbay")


def host_paths(things):
    return {v["name"]: v["hostPath"]["path"]
            for v in pod_of(daemon_set(things))["volumes"] if "hostPath" in v}


def app_version():
    return yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]


class Kustomize(unittest.TestCase):
    def setUp(self):
        self.base = kustomize(BASE)

    def test_the_base_has_a_copy_of_the_manifest(self):
        copy = BASE / "patchbay.yaml"
        if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
            shutil.copyfile(MANIFEST, copy)
        self.assertEqual(copy.read_text(), MANIFEST.read_text())

    def test_the_base_is_the_manifest(self):
        self.assertEqual(by_name(self.base), by_name(objects(MANIFEST.read_text())))

    def test_every_component_has_an_overlay(self):
        self.assertEqual(OVERLAYS, COMPONENTS)
        for name in OVERLAYS:
            with self.subTest(name):
                self.assertEqual(by_name(kustomize(KUSTOMIZE / "overlays" / name)),
                                 by_name(with_components(name)))

    def test_kubernetes_knows_all_that_they_say(self):
        for folder in [BASE, *((KUSTOMIZE / "overlays" / name) for name in OVERLAYS)]:
            with self.subTest(folder.name):
                text = output(program("kustomize"), "build", folder)
                output(program("kubeconform"), "-strict", "-schema-location", schemas(), "-",
                       text=text)

    def test_the_check_knows_what_kubernetes_does_not(self):
        text = MANIFEST.read_text().replace("minReadySeconds", "minReadySecond")
        with self.assertRaisesRegex(AssertionError, "minReadySecond"):
            output(program("kubeconform"), "-strict", "-schema-location", schemas(), "-", text=text)

    def test_a_component_is_the_patch_that_validate_prints(self):
        for name, line in ASKING.items():
            with self.subTest(name):
                config = ("apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                          "  - name: lab.example.com/x\n    match: {subsystem: usb}\n    " + line)
                said = patchbay("validate", "-o", "json", "-", text=config)
                patch = json.loads(said.stdout)["patch"]
                patch = {"apiVersion": "apps/v1", "kind": "DaemonSet",
                         "metadata": {"name": "patchbay"}, **patch}
                self.assertEqual(self.component_patch(name), patch)

    @staticmethod
    def component_patch(name):
        text = (KUSTOMIZE / "components" / name / "kustomization.yaml").read_text()
        patch, = yaml.safe_load(text)["patches"]
        return yaml.safe_load(patch["patch"])

    def test_with_the_hosts_network_no_port_is_the_nodes(self):
        things = with_components("hostnetwork")
        self.assertTrue(pod_of(daemon_set(things))["hostNetwork"])
        # Kubernetes would make a declared port a hostPort. Then no second Pod could be scheduled
        # on the node.
        self.assertFalse(container_of(daemon_set(things)).get("ports"))
        rolling = daemon_set(things)["spec"]["updateStrategy"]["rollingUpdate"]
        self.assertEqual(rolling["maxSurge"], 1)

    def test_distributions_differ_in_paths_of_the_host_only(self):
        paths = {
            "k0s": {"pod-resources": "/var/lib/k0s/kubelet/pod-resources"},
            "microk8s": {
                "device-plugins": "/var/snap/microk8s/common/var/lib/kubelet/device-plugins",
                "pod-resources": "/var/snap/microk8s/common/var/lib/kubelet/pod-resources",
            },
        }
        for name, moved in paths.items():
            with self.subTest(name):
                things = with_components(name)
                self.assertEqual(host_paths(things), {**host_paths(self.base), **moved})
                pod = pod_of(daemon_set(things))
                for volume in pod["volumes"]:
                    if volume["name"] in moved:
                        volume["hostPath"]["path"] = host_paths(self.base)[volume["name"]]
                self.assertEqual(by_name(things), by_name(self.base))

    def test_components_go_together(self):
        for left_out in (("dra",), DISTRIBUTIONS):
            names = [name for name in COMPONENTS if name not in left_out]
            together = with_components(*names)
            alone = {}
            for name in names:
                changed = daemon_set(with_components(name))
                alone |= differences(self.named(daemon_set(self.base)), self.named(changed))
            whole = differences(self.named(daemon_set(self.base)), self.named(daemon_set(together)))
            self.assertEqual(whole.keys(), alone.keys())

    @staticmethod
    def named(thing):
        """Converts lists of named items to dictionaries."""
        if isinstance(thing, dict):
            return {key: Kustomize.named(inner) for key, inner in thing.items()}
        if isinstance(thing, list) and thing and all(isinstance(i, dict) for i in thing):
            return {i.get("mountPath") or i.get("name") or str(n): Kustomize.named(i)
                    for n, i in enumerate(thing)}
        return thing

    def test_argo_cd_checks_the_new_configuration_first(self):
        things = documents_kustomization("kustomization: lab", "added to kustomization lab")
        job = one(things, "Job")
        pod = job["spec"]["template"]["spec"]
        volume, = pod["volumes"]
        new = one(things, "ConfigMap", volume["configMap"]["name"])
        self.assertEqual(new["data"], one(things, "ConfigMap", "patchbay-config")["data"])
        for thing in (job, new):
            self.assertEqual(thing["metadata"]["annotations"]["argocd.argoproj.io/hook"], "PreSync")
        self.assertEqual(new["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"], "-1")
        self.assertEqual(pod["containers"][0]["image"], container_of(daemon_set(things))["image"])
        self.assertEqual(pod["containers"][0]["args"], ["validate", "/etc/patchbay"])
        selector = daemon_set(things)["spec"]["selector"]["matchLabels"]
        labels = job["spec"]["template"]["metadata"]["labels"]
        self.assertFalse(selector.items() <= labels.items())

    def test_the_kustomization_of_the_documents(self):
        things = documents_kustomization("kustomization: lab")
        config = one(things, "ConfigMap")
        self.assertEqual(config["metadata"]["name"], "patchbay-config")
        self.assertEqual(config["data"], {"lab.yaml": CONFIG})
        self.assertEqual(container_of(daemon_set(things))["image"],
                         f"registry.lab.example.com/patchbay:{app_version()}")
        self.assertEqual(host_paths(things)["cdi"], "/var/run/cdi")
        self.assertEqual(host_paths(things)["pod-resources"], "/var/lib/k0s/kubelet/pod-resources")

    def test_each_says_how_it_is_used(self):
        for name in OVERLAYS:
            text = (KUSTOMIZE / "overlays" / name / "kustomization.yaml").read_text()
            command = re.match(r"# kubectl apply -k (\S+)\n", text)
            self.assertEqual(ROOT / command[1], KUSTOMIZE / "overlays" / name)


if __name__ == "__main__":
    unittest.main()
