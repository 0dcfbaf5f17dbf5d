#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// What a match says of all devices that it finds. Empty: it names none, or several.
struct DeviceClass {
  std::string_view subsystem{};
  std::string_view devtype{};
};
[[nodiscard]] DeviceClass device_class(const config::MatchSpec& match);

/// What a condition of a configuration is about.
struct ComparedValue {
  std::string_view key;          ///< Of `match`, `when` or a probe: "name", "usb", "attribute", …
  std::string_view name{};       ///< The attribute, property or file, or the key of usb: or pci:.
  std::optional<RuleKind> kind;  ///< Of the rule; null if it has none, or a broken one.
  DeviceClass device{};          ///< The device that has the value.
};

/// One text that a value is compared with, also in a list and in `not`.
struct ComparedText {
  enum class Form {
    glob,
    exact,  ///< is:
    regex,
  };
  Form form = Form::glob;
  config::Located<std::string> text;
};

/// What a text that is no condition stands for.
enum class TextRole {
  literal,         ///< Taken as it stands: a description, a key of usb:, …
  static_name,     ///< An item of static:.
  attribute_name,  ///< The name of an attribute that is compared,
  property_name,   ///< and of a property.
  path_pattern,    ///< Of sysfs: or glob:.
  key,             ///< by:
  id,              ///< id:
  device_path,     ///< hostPath of an item of devices:, or the item itself
  mount_path,      ///< The same of mounts:.
  container_path,  ///< containerPath
  file_path,       ///< Of file:, in which a wildcard is a mistake.
  host_path,       ///< Any other path of the host.
  argument,        ///< Of exec:, the program included.
  value,           ///< Anything else that may hold $(…).
};

struct WrittenText {
  TextRole role = TextRole::literal;
  std::optional<RuleKind> kind;  ///< As in ComparedValue.
  config::Located<std::string> text;
  DeviceClass device{};  ///< That a variable without a member's name has its value of.
};

/// What is called for each text of a configuration.
struct TextVisitor {
  std::function<void(const ComparedValue&, const ComparedText&)> compared;
  /// Each condition as a whole, its parts as well.
  std::function<void(const ComparedValue&, const config::ConditionSpec&)> condition;
  std::function<void(const WrittenText&)> written;
};

/// Calls it for every text of one file that is looked at later, in no particular order: not for
/// names of resources, of members, of environment variables and of annotations, and numbers.
void visit_texts(const config::Spec& spec, const TextVisitor& visitor);

}  // namespace patchbay::rules
