"""Deployments for `serve: dra`: the rights, the policy for the token, and the mounts. The chart and
the component of kustomize must agree."""

import unittest

from chart_values import DRIVER, PLAIN, POOLS
from object_schemas import schemas
from tools import (
    container_of, documents_kustomization, helm_template, in_order, objects, one, output, pod_of,
    program, rendered, with_components,
)

DRA = {**PLAIN, "dra": {"enabled": True, "driver": DRIVER}}
NEW_KINDS = {"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ValidatingAdmissionPolicy",
             "ValidatingAdmissionPolicyBinding"}
# The kubelet's directories of distributions, as values of the chart.
KUBELETS = {
    "k0s": {"rootDirectory": "/var/lib/k0s/kubelet"},
    "microk8s": {
        "rootDirectory": "/var/snap/microk8s/common/var/lib/kubelet",
        "devicePluginsDirectory": "/var/snap/microk8s/common/var/lib/kubelet/device-plugins",
    },
}


def mounts(things):
    """The path in the Pod and the path of the host of each mount of the host."""
    daemons = one(things, "DaemonSet")
    paths = {v["name"]: v["hostPath"]["path"]
             for v in pod_of(daemons)["volumes"] if "hostPath" in v}
    return {m["mountPath"]: paths[m["name"]]
            for m in container_of(daemons)["volumeMounts"] if m["name"] in paths}


def policy_user(things):
    """The user that the policy limits, from its condition."""
    condition, = one(things, "ValidatingAdmissionPolicy")["spec"]["matchConditions"]
    return condition["expression"].removeprefix("request.userInfo.username == ").strip("'")


class Chart(unittest.TestCase):
    def test_without_dra_there_is_no_account_and_no_token(self):
        things = objects(rendered(PLAIN))
        self.assertFalse(NEW_KINDS & {thing["kind"] for thing in things})
        pod = pod_of(one(things, "DaemonSet"))
        self.assertIs(pod["automountServiceAccountToken"], False)
        self.assertNotIn("serviceAccountName", pod)

    def test_kubernetes_knows_all_that_it_says(self):
        output(program("kubeconform"), "-strict", "-schema-location", schemas(), "-",
               text=rendered(DRA))

    def test_the_account_has_only_these_rights(self):
        role = one(objects(rendered(DRA)), "ClusterRole")
        rights = {(resource, verb) for rule in role["rules"]
                  for resource in rule["resources"] for verb in rule["verbs"]}
        slices = {"get", "list", "watch", "create", "update", "delete"}
        self.assertEqual(rights, {("resourceclaims", "get"), ("nodes", "get"),
                                  *(("resourceslices", verb) for verb in slices)})

    def test_the_policy_limits_the_account_of_the_daemons(self):
        for more in ({}, {"serviceAccountName": "lab"}, {"fullnameOverride": "devices"}):
            with self.subTest(more):
                things = objects(rendered({**DRA, **more}, namespace="bench"))
                account = pod_of(one(things, "DaemonSet"))["serviceAccountName"]
                subject, = one(things, "ClusterRoleBinding")["subjects"]
                self.assertEqual((subject["namespace"], subject["name"]), ("bench", account))
                self.assertEqual(policy_user(things), f"system:serviceaccount:bench:{account}")
                made = [t["metadata"]["name"] for t in things if t["kind"] == "ServiceAccount"]
                self.assertEqual(made, [] if "serviceAccountName" in more else [account])

    def test_bindings_name_their_role_and_policy(self):
        things = objects(rendered(DRA))
        self.assertEqual(one(things, "ClusterRoleBinding")["roleRef"]["name"],
                         one(things, "ClusterRole")["metadata"]["name"])
        binding = one(things, "ValidatingAdmissionPolicyBinding")["spec"]
        self.assertEqual(binding, {
            "policyName": one(things, "ValidatingAdmissionPolicy")["metadata"]["name"],
            "validationActions": ["Deny"]})

    def test_releases_of_two_namespaces_share_no_object_of_the_cluster(self):
        def names(namespace):
            return {(t["kind"], t["metadata"]["name"])
                    for t in objects(rendered(DRA, namespace=namespace))
                    if t["kind"] in NEW_KINDS - {"ServiceAccount"}}
        self.assertEqual(len(names("a")), 4)
        self.assertFalse(names("a") & names("b"))

    def test_all_pools_have_the_account(self):
        pods = [pod_of(t) for t in objects(rendered({**POOLS, "dra": DRA["dra"]}))
                if t["kind"] == "DaemonSet"]
        self.assertEqual([(p["serviceAccountName"], p["automountServiceAccountToken"]) for p in pods],
                         [("patchbay", True)] * 4)

    def test_the_pods_that_validate_have_no_token(self):
        things = objects(rendered({**DRA, "validateBeforeUpgrade": True}))
        for pod in (one(things, "Pod")["spec"], one(things, "Job")["spec"]["template"]["spec"]):
            self.assertIs(pod["automountServiceAccountToken"], False)
            self.assertNotIn("serviceAccountName", pod)

    def test_the_kubelets_root_is_mounted_at_its_own_path(self):
        for name, kubelet in KUBELETS.items():
            with self.subTest(name):
                things = objects(rendered({**DRA, "kubelet": kubelet}))
                root = kubelet["rootDirectory"]
                for directory in ("plugins_registry", "plugins/patchbay", "pod-resources"):
                    path = f"{root}/{directory}"
                    self.assertEqual(mounts(things)[path], path)
                arguments = container_of(one(things, "DaemonSet"))["args"]
                self.assertEqual(arguments[arguments.index("--kubelet-root") + 1], root)

    def test_pod_resources_and_cdi_are_included(self):
        values = {**DRA, "podResources": False, "cdi": {"enabled": False}}
        self.assertEqual(rendered(values), rendered({**DRA, "cdi": {"enabled": True}}))

    def test_a_driver_is_required_and_checked(self):
        for driver, words in (("", "dra.driver is not set"), ("Lab.example.com", "/dra/driver"),
                              ("x'||true", "/dra/driver"), ("a" * 64, "/dra/driver")):
            with self.subTest(driver):
                done = helm_template({**PLAIN, "dra": {"enabled": True, "driver": driver}})
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)


class Component(unittest.TestCase):
    """The component of kustomize has what the chart has."""

    def test_rights_and_policy_are_those_of_the_chart(self):
        chart = objects(rendered({**PLAIN, "dra": {"enabled": True,
                                                   "driver": "patchbay.example.com"}}))
        component = with_components("dra")
        self.assertEqual(one(component, "ClusterRole")["rules"], one(chart, "ClusterRole")["rules"])
        self.assertEqual(one(component, "ValidatingAdmissionPolicy")["spec"],
                         one(chart, "ValidatingAdmissionPolicy")["spec"])
        for things in (chart, component):
            self.assertIs(one(things, "ServiceAccount")["automountServiceAccountToken"], False)

    def test_the_daemons_are_those_of_the_chart(self):
        for name in (None, *KUBELETS):
            with self.subTest(name):
                values = {**DRA, **({"kubelet": KUBELETS[name]} if name else {})}
                chart = pod_of(one(objects(rendered(values)), "DaemonSet"))
                component = pod_of(one(with_components("dra", *filter(None, [name])), "DaemonSet"))
                for pod in (chart, component):
                    # Both lists have the same options in another order.
                    pod["containers"][0]["args"].sort()
                self.assertEqual(in_order(component), in_order(chart))

    def test_rights_and_policy_are_for_one_user(self):
        # kustomize does not rename a user. So a renamed account has no rights, instead of rights
        # without the policy.
        things = with_components("dra")
        subject, = one(things, "ClusterRoleBinding")["subjects"]
        account = one(things, "ServiceAccount")["metadata"]
        self.assertEqual(pod_of(one(things, "DaemonSet"))["serviceAccountName"], account["name"])
        user = f"system:serviceaccount:{account['namespace']}:{account['name']}"
        self.assertEqual((subject["kind"], subject["name"], policy_user(things)),
                         ("User", user, user))

    def test_the_kustomization_of_the_documents_sets_the_driver(self):
        things = documents_kustomization("kustomization: dra")
        variables = one(things, "ValidatingAdmissionPolicy")["spec"]["variables"]
        self.assertEqual(variables[0], {"name": "driver", "expression": f"'{DRIVER}'"})
        self.assertIn("/var/lib/k0s/kubelet/plugins_registry", mounts(things))


if __name__ == "__main__":
    unittest.main()
