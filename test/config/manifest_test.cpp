#include "config/manifest.h"

#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

constexpr const char* kConfig = "apiVersion: patchbay/v1\nkind: Config\nresources: []\n";

class ManifestTest : public testing::Test {
 protected:
  /// Each configuration as "name: text" with bars between its lines, then the errors.
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

TEST_F(ManifestTest, OtherTextsAreNamedByConfigMapAndKey) {
  EXPECT_EQ(read("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: lab\ndata:\n"
                 "  lab.yaml: \"apiVersion: patchbay/v1\\nkind: Config\\n\"\n"),
            "all.yaml (ConfigMap lab, lab.yaml): apiVersion: patchbay/v1|kind: Config|\n");
  // An indented second mark would be a text.
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

TEST_F(ManifestTest, ReadsOtherKeysOfConfigMap) {
  // As the daemon sees it: a directory with two files.
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

}  // namespace
}  // namespace patchbay::config
