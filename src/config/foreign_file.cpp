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

/// Recognises a mapping without our apiVersion by its keys.
struct ByKeys {
  std::string_view key;
  std::string_view second;  ///< Another key, or empty.
  std::string_view what;
};

constexpr std::array kByKeys{
    ByKeys{"resourceList", "", "a configuration of the SR-IOV network device plugin"},
    ByKeys{"devices", "", "a configuration of the generic device plugin"},
    ByKeys{"version", "sharing", "a configuration of NVIDIA's device plugin"},
    ByKeys{"version", "flags", "a configuration of NVIDIA's device plugin"},
};

/// Recognises a Kubernetes object by its apiVersion and kind. ConfigMaps and misspelt headers of
/// ours have other messages.
std::optional<ForeignFile> as_object(const YamlNode& root) {
  const std::string version = text_of(root, "apiVersion");
  const std::string kind = text_of(root, "kind");
  if (version.empty() || kind.empty() || kind == "ConfigMap") {
    return std::nullopt;
  }
  if (version.contains("akri.sh")) {
    return ForeignFile{fmt::format("an object of Akri (kind {})", printable(kind, kMaxShown)),
                       std::string(kReadOn)};
  }
  return ForeignFile{fmt::format("an object of Kubernetes (kind {})", printable(kind, kMaxShown)),
                     "put the configuration into the data of a ConfigMap, as text that begins with "
                     "apiVersion: patchbay/v1: see docs/first-device.md"};
}

}  // namespace

std::optional<ForeignFile> recognise_file(const YamlNode& root) {
  if (root.kind == Kind::scalar && root.text.contains("==\"")) {
    return ForeignFile{"a udev rule file", "udev rules use other keys: see docs/coming-from.md"};
  }
  if (root.kind != Kind::mapping || text_of(root, "apiVersion").starts_with("patchbay") ||
      text_of(root, "kind") == "Config") {
    return std::nullopt;
  }
  const auto has = [&](std::string_view key) {
    return key.empty() || value_of(root, key) != nullptr;
  };
  const auto* const file = std::ranges::find_if(
      kByKeys, [&](const ByKeys& known) { return has(known.key) && has(known.second); });
  if (file != kByKeys.end()) return ForeignFile{std::string(file->what), std::string(kReadOn)};
  return as_object(root);
}

}  // namespace patchbay::config
