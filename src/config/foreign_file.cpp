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
  std::string_view keys;   ///< All must exist, separated by spaces.
  std::string_view inner;  ///< If not empty: one must exist inside the first of `keys`.
  std::string_view what;
};

constexpr std::array kByKeys{
    ByKeys{"resourceList", "", "a configuration of the SR-IOV network device plugin"},
    ByKeys{"devices", "groups", "a configuration of the generic device plugin"},
    ByKeys{"groups name", "paths usb", "a device of the generic device plugin"},
    ByKeys{"version sharing", "", "a configuration of NVIDIA's device plugin"},
    ByKeys{"version flags", "", "a configuration of NVIDIA's device plugin"},
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
  if (root.kind != Kind::mapping || text_of(root, "apiVersion").starts_with("patchbay")) {
    return std::nullopt;
  }
  const auto* const file =
      std::ranges::find_if(kByKeys, [&](const ByKeys& known) { return is(known, root); });
  if (file != kByKeys.end()) return ForeignFile{std::string(file->what), std::string(kReadOn)};
  return as_object(root);
}

}  // namespace patchbay::config
