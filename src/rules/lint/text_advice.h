#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rules/lint/spec_texts.h"
#include "rules/text/variable.h"

/// Advice for single texts of a configuration that are valid, but have no effect.
///
/// To add a warning, with a reason as CONTRIBUTING.md asks for:
/// - For a name or format of the kernel or udev, add a row to rules/text/kernel_names.cpp,
///   value_shape.cpp or value_name.cpp. For one text, add a function that returns Advice in a file
///   of its own, and call it in ineffective_texts.cpp. For several keys, see shared_path.cpp.
/// - The text says what happens. The hint says what to write, also to keep an intended rule
///   without the warning.
/// - Add a case in `warns.cases` and a similar, correct one in `quiet.cases` of test/rules/cases.
///   No example may warn.
/// - Add its line under Warnings in docs/configuration.md.
namespace patchbay::rules {

/// A warning about a valid text that does not do what its author meant, with a hint.
struct Advice {
  size_t offset = 0;  ///< Offset in the text.
  std::string message;
  std::string hint;
  bool mistake = false;  ///< An error: all values of the key have another form.
};

/// Syntax that a position allows besides plain text.
enum class PlaceholderSyntax {
  none,       ///< No replacement.
  condition,  ///< $(…); a single `$` is a character.
  text,       ///< $(…); `${` is a mistake reported elsewhere.
};

/// Advice for a `${X}` or a substitution of udev, such as %k: Patchbay does not replace it.
[[nodiscard]] std::optional<Advice> foreign_placeholder(std::string_view text,
                                                        PlaceholderSyntax here);

/// Advice for a glob in the syntax of a shell, of udev or of a regular expression. It has braces,
/// `|` or `\d`, which match literally.
[[nodiscard]] std::optional<Advice> foreign_pattern(std::string_view glob);

/// Whether $(text) names a variable that a rule of this kind has. Null: a rule of any kind.
[[nodiscard]] bool names_variable(std::string_view text, std::optional<RuleKind> kind);

/// Advice for an `id` or `by` that is the name of a variable without $(): all devices get the same
/// text.
[[nodiscard]] std::optional<Advice> bare_variable(std::string_view key, std::string_view text,
                                                  std::optional<RuleKind> kind);

/// Advice for a regular expression that is written as a file pattern, or as a name without its
/// number. Null for any other.
[[nodiscard]] std::optional<Advice> regex_as_glob(const ComparedValue& value,
                                                  const ComparedText& text);

/// Advice for a regular expression with `^` or `$` at one end only, and without any-text at the
/// other end. The author left the other end open, but whole values are matched.
[[nodiscard]] std::optional<Advice> half_anchored(std::string_view regex);

/// Advice for a text that differs from the form in which the kernel writes such values. Examples: a
/// path in place of a name, a MAC address with capitals.
[[nodiscard]] std::optional<Advice> unlikely_form(const ComparedValue& value,
                                                  const ComparedText& text);

/// Advice for a text without wildcards that its value never equals, because the kernel or udev
/// writes the value in another form. Examples: true for 1, 3b:00.0 for 0000:3b:00.0, ranges and
/// operators.
[[nodiscard]] std::optional<Advice> value_shape_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// Advice for a text that is compared with the kernel name of a subsystem, a device, a driver or a
/// DEVTYPE. Null unless no device has this name, or no device that the match finds.
[[nodiscard]] std::optional<Advice> kernel_name_advice(const ComparedValue& value,
                                                       const ComparedText& text);

/// Advice for the name of an attribute that no device of that class has. It says where the value
/// is: in the USB device or PCI function above, in another directory, or in a property of udev.
[[nodiscard]] std::optional<Advice> attribute_name_advice(std::string_view name,
                                                          const DeviceClass& device);

/// The same for a property.
[[nodiscard]] std::optional<Advice> property_name_advice(std::string_view name);

/// Advice for the first such name in the $(attribute.…) and $(property.…) of a text.
[[nodiscard]] std::optional<Advice> variable_name_advice(std::string_view text,
                                                         const DeviceClass& device);

/// Advice for a path that is written as a pattern, or that is no device node. `role` is one of the
/// roles of paths.
[[nodiscard]] std::optional<Advice> unlikely_path(std::string_view path, TextRole role);

/// Advice for a path below /dev in `mounts`: the container sees device nodes that it cannot open.
/// Null for other paths, and for paths there that are not devices, such as /dev/shm.
[[nodiscard]] std::optional<Advice> mounted_nodes(std::string_view path);

}  // namespace patchbay::rules
