#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// The class of all devices that a match finds. An empty field: the match names no value, or
/// several.
struct DeviceClass {
  std::string_view subsystem{};
  std::string_view devtype{};
};
[[nodiscard]] DeviceClass device_class(const config::MatchSpec& match);

/// The subject of a condition in a configuration.
struct ComparedValue {
  std::string_view key;          ///< Key of `match`, `when` or a probe: "name", "usb", …
  std::string_view name{};       ///< Attribute, property, file, or key of usb: or pci:.
  std::optional<RuleKind> kind;  ///< Kind of the rule; null if it has none, or is broken.
  DeviceClass device{};          ///< Device with the value.
};

/// A text that a value is compared with, also in a list and in `not`.
struct ComparedText {
  enum class Form {
    glob,
    regex,
  };
  Form form = Form::glob;
  config::Located<std::string> text;
};

/// The role of a text outside of conditions.
enum class TextRole {
  literal,         ///< Text used literally: a description, a key of usb:, …
  static_name,     ///< Item of static:.
  attribute_name,  ///< Name of a compared attribute.
  property_name,   ///< Name of a compared property.
  path_pattern,    ///< Pattern of sysfs: or glob:.
  key,             ///< by:
  id,              ///< id:
  device_path,     ///< hostPath of an item of devices:, or the item itself.
  mount_path,      ///< hostPath of an item of mounts:, or the item itself.
  container_path,  ///< containerPath
  file_path,       ///< Path of file:, in which a wildcard is a mistake.
  host_path,       ///< Any other path of the host.
  value,           ///< Any other text that can contain $(…).
};

struct WrittenText {
  TextRole role = TextRole::literal;
  std::optional<RuleKind> kind;  ///< As in ComparedValue.
  config::Located<std::string> text;
  DeviceClass device{};  ///< Device of variables without a member name.
};

/// Callbacks for the texts of a configuration.
struct TextVisitor {
  std::function<void(const ComparedValue&, const ComparedText&)> compared;
  std::function<void(const WrittenText&)> written;
};

/// Calls the visitor for the texts of one file that have values or roles, in no particular order.
/// Names of resources, members, environment variables and annotations, and numbers are not visited.
void visit_texts(const config::Spec& spec, const TextVisitor& visitor);

}  // namespace patchbay::rules
