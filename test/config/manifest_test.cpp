#include "config/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

constexpr const char* kConfig = "apiVersion: patchbay/v1\nkind: Config\nresources: []\n";

class ManifestTest : public testing::Test {
 protected:
  /// Each configuration in the manifest as "name: text" with bars instead of newlines, then the
  /// diagnostics.
  static std::string read(const std::string& text) {
    const auto source = std::make_shared<const Source>(Source{"all.yaml", text});
    Diagnostics diagnostics;
    std::string out;
    for (const auto& found : extract_configurations(source, diagnostics)) {
      out += found->name + ": " + found->text;
    }
    for (char& c : out) c = c == '\n' ? '|' : c;
    if (!out.empty()) out += '\n';
    return out + render(diagnostics);
  }
};

TEST_F(ManifestTest, ReturnsPlainConfigurationUnchanged) {
  EXPECT_FALSE(contains_manifests(kConfig));
  EXPECT_FALSE(
      contains_manifests(std::string("# ours\n---\n") + kConfig + "---\nkind: ConfigMap\n"));
  EXPECT_FALSE(contains_manifests(""));
  EXPECT_FALSE(contains_manifests("apiVersion: v1\nkind: Pod\n"));
  EXPECT_FALSE(contains_manifests("apiVersion: v1\nkind: Config\n---\nkind: ConfigMap\n"));
  EXPECT_FALSE(contains_manifests("resources: []\n---\nkind: ConfigMap\n"));
  EXPECT_EQ(read("a: 1\n"), "all.yaml: a: 1|\n");
}

TEST_F(ManifestTest, LiteralTextKeepsLinesAndColumns) {
  EXPECT_EQ(read(R"yaml(---
# Source: chart/templates/namespace.yaml
apiVersion: v1
kind: Namespace
---
apiVersion: v1
kind: ConfigMap
metadata: {name: lab}
data:
  lab.yaml: |
    apiVersion: patchbay/v1

    kind: Config
  more.yml: |-
      ---
      apiVersion: patchbay/v1
  notes.txt: none of ours
---
apiVersion: apps/v1
kind: DaemonSet
)yaml"),
            "all.yaml: ||||||||||    apiVersion: patchbay/v1||    kind: Config|"
            "all.yaml: |||||||||||||||      apiVersion: patchbay/v1|\n");
}

TEST_F(ManifestTest, QuotedOrIndentedTextsAreNamedByConfigMapAndKey) {
  EXPECT_EQ(read("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: lab\ndata:\n"
                 "  lab.yaml: \"apiVersion: patchbay/v1\\nkind: Config\\n\"\n"),
            "all.yaml (ConfigMap lab, lab.yaml): apiVersion: patchbay/v1|kind: Config|\n");
  // The text is read without its indentation in the manifest. An indented `---` would not separate
  // documents.
  EXPECT_EQ(read("kind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: patchbay/v1\n    ---\n"),
            "all.yaml (ConfigMap , a.yaml): apiVersion: patchbay/v1|---|\n");
}

TEST_F(ManifestTest, ReadsListsAndJson) {
  EXPECT_EQ(
      read("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  data:\n"
           "    a.yaml: |\n      apiVersion: patchbay/v1\n"
           "- kind: Secret\n  data: {b.yaml: \"apiVersion: patchbay/v1\"}\n"),
      "all.yaml: |||||||      apiVersion: patchbay/v1|\n");
  EXPECT_EQ(read(R"({"apiVersion": "v1", "items": [{"data": {"a.yaml":
  "{\"apiVersion\": \"patchbay/v1\"}"}, "metadata": {"name": "m"}}], "kind": "ConfigMapList"})"),
            "all.yaml (ConfigMap m, a.yaml): {\"apiVersion\": \"patchbay/v1\"}\n");
}

TEST_F(ManifestTest, ReadsAllKeysOfConfigMapWithConfiguration) {
  // The daemon sees this ConfigMap as a directory with two files.
  EXPECT_EQ(read("kind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: patchbay/v1\n"
                 "  b.yaml: |\n    kund: Config\n"),
            "all.yaml: |||    apiVersion: patchbay/v1|all.yaml: |||||    kund: Config|\n");
  EXPECT_EQ(read("kind: ConfigMap\ndata:\n  config: |\n    apiVersion: patchbay/v1\n"),
            "all.yaml: |||    apiVersion: patchbay/v1|\n"
            "all.yaml:3:3: warning: the key 'config' does not end in .yaml or .yml\n"
            "      config: |\n"
            "      ^\n"
            "  hint: Patchbay reads only files with these endings from a mounted ConfigMap; rename "
            "the key\n");
}

TEST_F(ManifestTest, ReportsManifestsWithoutConfiguration) {
  const auto none = [](const std::string& line) {
    return "all.yaml:1:1: error: no ConfigMap in these Kubernetes manifests contains a "
           "configuration\n"
           "    " +
           line +
           "\n    ^\n"
           "  hint: write it under a key of 'data' that ends in .yaml, as text that begins with "
           "apiVersion: patchbay/v1\n";
  };
  EXPECT_EQ(read("apiVersion: v1\nkind: ConfigMap\ndata: {a.yaml: \"x: 1\"}\n"),
            none("apiVersion: v1"));
  EXPECT_EQ(read("kind: Pod\n---\napiVersion: v1\nkind: Service\n"), none("kind: Pod"));
  EXPECT_EQ(read("kind: ConfigMap\ndata: nothing\n"), none("kind: ConfigMap"));
  EXPECT_EQ(read("kind: List\nitems: {a: b}\n"), none("kind: List"));
  const std::string json = R"({"kind": "List", "items": []})";
  EXPECT_EQ(read(json), none(json));
}

TEST_F(ManifestTest, IgnoresErrorsInForeignDocuments) {
  const std::string broken = "apiVersion: v1\nkind: ConfigMap\ndata: {a: !!binary x, a: [}\n---\n";
  const std::string ours = "kind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: patchbay/v1\n";
  EXPECT_EQ(read(broken + ours), "all.yaml: |||||||    apiVersion: patchbay/v1|\n");
  const std::string printed = read("kind: Pod\n---\n" + ours + "  b.yaml: [\n");
  EXPECT_EQ(printed.find("all.yaml:7:11: error: this '[' is not closed"), 0U) << printed;
}

TEST_F(ManifestTest, ReportsConfigurationAmongManifests) {
  EXPECT_EQ(read(std::string("apiVersion: v1\nkind: Pod\n---\n") + kConfig),
            "all.yaml:3:1: error: a configuration cannot be a document among Kubernetes manifests\n"
            "    ---\n"
            "    ^\n"
            "  hint: put it under a key of a ConfigMap's data, or into a separate file\n");
}

constexpr const char* kDaemons = R"yaml(apiVersion: apps/v1
kind: DaemonSet
metadata: {name: lab, namespace: devices}
spec:
  template:
    spec:
      hostNetwork: true
      containers:
        - {name: proxy, image: proxy, args: [run, --verbose]}
        - name: daemon
          image: registry.example.com:5000/lab/patchbay:1.2@sha256:00
          args: [run, --config, /etc/patchbay, --cdi-dir=/etc/cdi/, --page, --log-level, debug]
          env: [{name: POOL, value: a}]
          securityContext: {privileged: true, capabilities: {drop: [ALL], add: [NET_ADMIN]}}
          volumeMounts:
            - {name: config, mountPath: /etc/patchbay, readOnly: true}
            - {name: cdi, mountPath: /etc//cdi/}
      volumes:
        - {name: config, configMap: {name: lab-config}}
        - {name: cdi, hostPath: {path: /var/run/cdi/}}
)yaml";

TEST_F(ManifestTest, ReadsMountsAndPrivilegesOfDaemonSet) {
  EXPECT_TRUE(contains_manifests(kDaemons));
  Diagnostics diagnostics;
  const auto found =
      read_manifests(std::make_shared<const Source>(Source{"all.yaml", kDaemons}), diagnostics);
  ASSERT_EQ(found.daemon_sets.size(), 1U);
  const DaemonSet& daemons = found.daemon_sets.front();
  EXPECT_EQ(daemons.name, "lab");
  EXPECT_EQ(daemons.name_space, "devices");
  EXPECT_EQ(daemons.container, "daemon");
  EXPECT_THAT(daemons.config_maps, testing::Contains("lab-config"));
  ASSERT_EQ(daemons.mounts.size(), 2U);
  EXPECT_EQ(daemons.mounts[0].path, "/etc/patchbay");
  EXPECT_EQ(daemons.mounts[0].host_path, "");
  EXPECT_FALSE(daemons.mounts[0].writable);
  EXPECT_EQ(daemons.mounts[1].path, "/etc/cdi");
  EXPECT_EQ(daemons.mounts[1].host_path, "/var/run/cdi");
  EXPECT_TRUE(daemons.mounts[1].writable);
  EXPECT_THAT(daemons.variables, testing::ElementsAre("POOL"));
  EXPECT_THAT(daemons.capabilities, testing::ElementsAre("NET_ADMIN"));
  EXPECT_EQ(daemons.arguments.at("--cdi-dir"), "/etc/cdi");
  EXPECT_EQ(daemons.arguments.at("--log-level"), "debug");
  EXPECT_TRUE(daemons.privileged);
  EXPECT_TRUE(daemons.host_network);
  EXPECT_FALSE(daemons.host_pid);
}

/// The number of Patchbay's DaemonSets in a manifest whose container has these fields.
size_t daemon_sets_with(const std::string& container) {
  Diagnostics diagnostics;
  const std::string text =
      "kind: DaemonSet\nspec: {template: {spec: {containers: [{" + container + "}]}}}\n";
  const auto source = std::make_shared<const Source>(Source{"all.yaml", text});
  return read_manifests(source, diagnostics).daemon_sets.size();
}

TEST_F(ManifestTest, RecognizesDaemonSetByProgramOrKubeletDirectory) {
  EXPECT_EQ(daemon_sets_with("image: lab/patchbay, args: [run]"), 1U);
  EXPECT_EQ(daemon_sets_with("image: lab/own, command: [/usr/local/bin/patchbay, run, --page]"),
            1U);
  EXPECT_EQ(daemon_sets_with("image: lab/own, command: [patchbay], args: [run]"), 1U);
  const std::string mount =
      "volumeMounts: [{name: k, mountPath: /var/lib/kubelet/device-plugins/}]";
  EXPECT_EQ(daemon_sets_with("image: lab/own, args: [run], " + mount), 1U);
}

TEST_F(ManifestTest, IgnoresDaemonSetsOfOtherPrograms) {
  EXPECT_EQ(daemon_sets_with("image: lab/patchbay, args: [go]"), 0U);
  EXPECT_EQ(daemon_sets_with("image: lab/patchbay, args: [validate, run]"), 0U);
  EXPECT_EQ(daemon_sets_with("image: lab/patchbay"), 0U);
  EXPECT_EQ(daemon_sets_with("image: lab/own, args: [run]"), 0U);
  EXPECT_EQ(daemon_sets_with("image: lab/patchbay, command: [/bin/other], args: [run]"), 0U);
}

}  // namespace
}  // namespace patchbay::config
