"""Compares the needs that `patchbay validate` reports beyond the manifest with the manifest."""

import copy
import json
import re
import unittest

import yaml

from binary import language, validate
from documents import ROOT

MANIFEST = ROOT / "deploy" / "patchbay.yaml"
EXAMPLE_CONFIG = ROOT / "deploy" / "example-config.yaml"

EVERYTHING = """apiVersion: patchbay/v1
kind: Config
defaults: {domain: lab.example.com}
resources:
  - name: files
    when: {env: {POOL: a}, file: {/proc/device-tree/model: "A*", /host/sys/firmware/a: "1"}}
    match: {glob: ["/run/lab/*", "/run/lab/sub/*", /run/lab-sub/x, "/srv/true: x/*", /opt/LAB/a]}
    health:
      - tcp: localhost:80
      - exec: [/probes/a.sh]
      - exec: [/usr/sbin/ethtool]
      - file: {/proc/1/mounts: "*"}
  - name: nic
    match: {subsystem: net}
    cdi: write
    deviceInfo: pci
    preStart:
      - write: {path: $(syspath)/mtu, value: "9000"}
"""


def daemon_set(text):
    return next(o for o in yaml.safe_load_all(text) if o and o["kind"] == "DaemonSet")


def pod_of(daemons):
    return daemons["spec"]["template"]["spec"]


def merged(value, patch, key=None):
    """Merges a patch as Kubernetes does: mappings by their keys, lists by a key of the items."""
    keys = {"containers": "name", "volumes": "name", "volumeMounts": "mountPath", "env": "name",
            "ports": "containerPort"}
    if isinstance(patch, dict):
        out = dict(value or {})
        for name, inner in patch.items():
            out[name] = merged(out.get(name), inner, name)
        return out
    if isinstance(patch, list) and key in keys:
        by = keys[key]
        out = {item[by]: item for item in value or []}
        for item in patch:
            if item.get("$patch") == "delete":
                out.pop(item[by])
            else:
                out[item[by]] = merged(out.get(item[by]), item)
        return list(out.values())
    return patch


def answer(text):
    result = validate(text, "config.yaml", "--output", "json")
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


class Needs(unittest.TestCase):
    def setUp(self):
        self.daemons = daemon_set(MANIFEST.read_text())
        self.pod = pod_of(self.daemons)
        self.container = self.pod["containers"][0]

    def test_what_is_taken_for_given_is_what_the_manifest_gives(self):
        mounts = {m["mountPath"]: not m.get("readOnly", False)
                  for m in self.container["volumeMounts"]}
        told = {e["mount"]: e["writable"] for e in language() if "mount" in e}
        self.assertEqual(told, mounts)
        variables = {e["environment"] for e in language() if "environment" in e}
        self.assertEqual(variables, {e["name"] for e in self.container["env"]})

    def test_the_example_needs_nothing_beyond_the_manifest(self):
        result = validate(EXAMPLE_CONFIG.read_text())
        self.assertEqual(result.stdout, "ok: 3 resources\n")
        self.assertEqual(answer(EXAMPLE_CONFIG.read_text())["patch"], None)

    def test_the_patch_fits_the_manifest(self):
        said = answer(EVERYTHING)
        before = copy.deepcopy(self.daemons)
        pod = pod_of(merged(self.daemons, said["patch"]))
        self.assertEqual(before, self.daemons)
        container, = pod["containers"]
        self.assertEqual(container["name"], self.container["name"])
        self.assertEqual(container["image"], self.container["image"])

        paths = {v["name"]: v["hostPath"]["path"] for v in pod["volumes"] if "hostPath" in v}
        self.assertEqual(len(pod["volumes"]), len({v["name"] for v in pod["volumes"]}))
        mounts = {m["mountPath"]: (paths.get(m["name"]), not m.get("readOnly", False))
                  for m in container["volumeMounts"]}
        self.assertEqual(len(mounts), len(container["volumeMounts"]))
        for mount in self.container["volumeMounts"]:
            self.assertIn(mount, container["volumeMounts"])
            del mounts[mount["mountPath"]]
        self.assertEqual(mounts, {
            "/host/sys/firmware": ("/sys/firmware", False),
            "/opt/LAB": ("/opt/LAB", False),
            "/probes": ("/probes", False),
            "/run/lab": ("/run/lab", False),
            "/run/lab-sub": ("/run/lab-sub", False),
            "/srv/true: x": ("/srv/true: x", False),
            "/sys/devices": ("/sys/devices", True),
            "/var/run/cdi": ("/var/run/cdi", True),
            "/var/run/k8s.cni.cncf.io/devinfo/dp": ("/var/run/k8s.cni.cncf.io/devinfo/dp", True),
        })
        for name in paths:
            self.assertRegex(name, r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")
        self.assertTrue(pod["hostNetwork"] and pod["hostPID"])
        # With the host's network, a declared port is one of the node, which Pods cannot share.
        self.assertEqual(container["ports"], [])
        self.assertEqual(container["securityContext"]["capabilities"],
                         {"drop": ["ALL"], "add": ["NET_ADMIN"]})
        self.assertFalse(container["securityContext"]["allowPrivilegeEscalation"])
        self.assertEqual({e["name"] for e in container["env"]}, {"NODE_NAME", "POD_IP", "POD_NAME", "POD_NAMESPACE", "POOL"})

    def test_a_privileged_container_is_one_that_the_api_takes(self):
        said = answer(EVERYTHING + "      - usbReset: true\n")
        pod = pod_of(merged(self.daemons, said["patch"]))
        context = pod["containers"][0]["securityContext"]
        # Kubernetes rejects a privileged container without allowPrivilegeEscalation.
        self.assertTrue(context["privileged"] and context["allowPrivilegeEscalation"])

    def test_people_get_the_same_patch(self):
        shown = validate(EVERYTHING).stdout
        self.assertEqual(yaml.safe_load(shown[shown.index("\nspec:\n"):]),
                         answer(EVERYTHING)["patch"])

    def test_every_need_is_told_of_both(self):
        shown = validate(EVERYTHING).stdout
        needs = answer(EVERYTHING)["needs"]
        self.assertEqual(len({need["kind"] for need in needs}), 8)
        for need in needs:
            line = f"  {need['file']}:{need['line']}:{need['column']}: {need['value']}\n"
            self.assertIn(line, shown)
            if need["hint"]:
                self.assertIn(line + f"    {need['hint']}\n", shown)

    def test_what_stands_in_comments_of_the_manifest_is_what_the_patch_says(self):
        text = re.sub(r"^( *)# (?=- name: |  )", r"\1", MANIFEST.read_text(), flags=re.M)
        whole = daemon_set(text)
        files = "  - name: nic\n    match: {subsystem: net}\n    cdi: write\n    deviceInfo: pci\n"
        patch = answer("apiVersion: patchbay/v1\nkind: Config\n"
                       "defaults: {domain: a.b}\nresources:\n" + files)["patch"]
        self.assertEqual(merged(self.daemons, patch), whole)


if __name__ == "__main__":
    unittest.main()
