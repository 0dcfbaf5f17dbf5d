#include "config/foreign_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::config {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kReadOn = "see docs/coming-from.md for the equivalent keys";
constexpr std::string_view kBegin =
    "a configuration begins with apiVersion: patchbay/v1 and kind: Config: see "
    "docs/first-device.md";
constexpr std::string_view kRender =
    "render the chart and pass the output: helm template … | patchbay validate -";

/// Recognises a mapping without our apiVersion by its keys.
struct ByKeys {
  std::string_view keys;   ///< All must exist, separated by spaces.
  std::string_view inner;  ///< If not empty: one must exist inside the first of `keys`.
  std::string_view what;
  std::string_view hint;
};

constexpr std::array kByKeys{
    ByKeys{"resourceList", "", "a configuration of the SR-IOV network device plugin", kReadOn},
    ByKeys{"configList", "", "a configuration of the RDMA shared device plugin", kReadOn},
    ByKeys{"devices", "groups", "a configuration of the generic device plugin", kReadOn},
    ByKeys{"groups name", "paths usb", "a device of the generic device plugin", kReadOn},
    ByKeys{"genericDevicePlugin", "", "a configuration of MicroShift", kReadOn},
    ByKeys{"version sharing", "", "a configuration of NVIDIA's device plugin", kReadOn},
    ByKeys{"version flags", "", "a configuration of NVIDIA's device plugin", kReadOn},
    ByKeys{"permittedHostDevices", "", "a section of a KubeVirt object", kReadOn},
    ByKeys{"sources", "pci usb custom cpu kernel local",
           "a configuration of Node Feature Discovery", kReadOn},
    ByKeys{"cdiVersion", "", "a CDI spec",
           "container runtimes read it from its directory; name its devices in a resource: cdi: "
           "[vendor.example/class=name]"},
    ByKeys{"services", "image build devices", "a docker compose file", kReadOn},
    ByKeys{"image replicaCount", "", "the values file of a Helm chart", kRender},
    ByKeys{"image nodeSelector", "", "the values file of a Helm chart", kRender},
    ByKeys{"image tolerations", "", "the values file of a Helm chart", kRender},
    ByKeys{"image serviceAccount", "", "the values file of a Helm chart", kRender},
    ByKeys{"config image", "", "the values file of a Helm chart", kRender},
    ByKeys{"config configs", "", "the values file of a Helm chart", kRender},
    ByKeys{"apiVersion name version", "", "the Chart.yaml of a Helm chart", kRender},
    ByKeys{"configMapGenerator", "", "a kustomize file",
           "build it and pass the output: kustomize build … | patchbay validate -"},
    ByKeys{"groups", "rules", "a Prometheus rule file", kBegin},
};

/// Recognises a Kubernetes object by its apiVersion.
struct ByGroup {
  std::string_view group;  ///< A text that the apiVersion contains.
  std::string_view owner;  ///< The project of the object.
  std::string_view hint;
};

constexpr std::array kByGroup{
    ByGroup{"nfd.", "Node Feature Discovery", kReadOn},
    ByGroup{"akri.sh", "Akri", kReadOn},
    ByGroup{"kubevirt.io", "KubeVirt", kReadOn},
    ByGroup{"sriovnetwork.", "the SR-IOV operator", kReadOn},
    ByGroup{"mellanox.com", "NVIDIA's network operator", kReadOn},
    ByGroup{"deviceplugin.intel.com", "Intel's device plugins", kReadOn},
    ByGroup{"resource.k8s.io", "Kubernetes' dynamic resource allocation",
            "Patchbay serves device plugins: a Pod asks for a unit in resources: limits:; see "
            "docs/first-device.md"},
    ByGroup{"kustomize", "kustomize",
            "build it and pass the output: kustomize build … | patchbay validate -"},
    ByGroup{"", "Kubernetes",
            "put the configuration into the data of a ConfigMap, as text that begins with "
            "apiVersion: patchbay/v1: see docs/first-device.md"},
};

bool has_key(const YamlNode& node, std::string_view key) {
  if (value_of(node, key) != nullptr) return true;
  // A key without a value contains no keys.
  return std::ranges::any_of(node.entries,
                             [&](const YamlEntry& entry) { return entry.key.value == key; });
}

/// Whether one of the keys is in the node or in its direct children.
bool has_inside(const YamlNode& node, std::string_view keys, int depth = 1) {
  for (const std::string_view key : split(keys, ' ')) {
    if (has_key(node, key)) return true;
  }
  if (depth == 0) return false;
  const auto inside = [&](const YamlNode& inner) { return has_inside(inner, keys, depth - 1); };
  return std::ranges::any_of(node.items, inside) ||
         std::ranges::any_of(node.entries,
                             [&](const YamlEntry& entry) { return inside(entry.value); });
}

bool is(const ByKeys& file, const YamlNode& root) {
  const auto keys = split(file.keys, ' ');
  const auto has = [&](std::string_view key) { return has_key(root, key); };
  if (!std::ranges::all_of(keys, has)) return false;
  const YamlNode* const first = value_of(root, keys.front());
  return file.inner.empty() || (first != nullptr && has_inside(*first, file.inner));
}

/// Recognises a Kubernetes object by its apiVersion and kind. ConfigMaps and misspelt headers of
/// ours have other messages.
std::optional<ForeignFile> as_object(const YamlNode& root) {
  const std::string version = text_of(root, "apiVersion");
  const std::string kind = text_of(root, "kind");
  if (version.empty() || kind.empty() || kind == "Config" || kind == "ConfigMap") {
    return std::nullopt;
  }
  const auto* const group = std::ranges::find_if(
      kByGroup, [&](const ByGroup& known) { return version.contains(known.group); });
  return ForeignFile{
      fmt::format("an object of {} (kind {})", group->owner, printable(kind, kMaxShown)),
      std::string(group->hint)};
}

}  // namespace

std::optional<ForeignFile> recognise_file(const YamlNode& root) {
  if (root.kind == Kind::scalar && root.text.contains("==\"")) {
    return ForeignFile{"a udev rule file", "udev rules use other keys: see docs/coming-from.md"};
  }
  if (root.kind == Kind::sequence && !root.items.empty() &&
      has_key(root.items.front(), "devicematch")) {
    return ForeignFile{"a configuration of the smarter device manager", std::string(kReadOn)};
  }
  if (root.kind != Kind::mapping || text_of(root, "apiVersion").starts_with("patchbay")) {
    return std::nullopt;
  }
  const auto* const file =
      std::ranges::find_if(kByKeys, [&](const ByKeys& known) { return is(known, root); });
  if (file != kByKeys.end()) return ForeignFile{std::string(file->what), std::string(file->hint)};
  return as_object(root);
}

}  // namespace patchbay::config
