#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Returns the subsystem of all devices that a match finds. Returns an empty text if the match
/// names no subsystem, or several.
[[nodiscard]] std::string_view only_subsystem(const config::MatchSpec& match);

/// A text of a configuration and its role.
struct SpecText {
  enum class Form {
    literal,  ///< A text without variables and wildcards.
    text,     ///< A text in which $(…) is replaced.
    glob,     ///< A pattern, or a text that a value is compared with.
    regex,
  };
  /// For a compared text: the key of the condition, in `match`, `when` or a probe. Otherwise the
  /// role of the text:
  /// - "sysfs", "glob", "file", "by", "id", "devices", "mounts" or "containerPath";
  /// - "attribute-name" or "property-name", also in a variable;
  /// - "hostPath", a path of a probe or a step.
  ///
  /// Empty: any other role.
  std::string_view key{};
  std::string_view name{};  ///< The compared attribute, property, file, or key of usb: or pci:.
  Form form = Form::literal;
  config::Located<std::string> text;
  /// The subsystem of the device whose value is compared or inserted. Empty: not known.
  std::string_view subsystem{};
};

using TextVisitor = std::function<void(const SpecText&)>;

/// Calls the visitor for the texts of one file, in no particular order. Static names, numbers, and
/// the names of resources, members, environment variables and annotations are not visited.
void visit_texts(const config::Spec& spec, const TextVisitor& visitor);

}  // namespace patchbay::rules
