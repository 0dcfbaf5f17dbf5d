#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// The use of a rendered text, which decides its allowed content. The text consists of literals,
/// written by the administrator, and of values of devices, which are not trusted.
enum class TextUse {
  id,               ///< Unit id: [A-Za-z0-9._:-], at most 63 characters.
  path,             ///< Path of the host or the container.
  env_name,         ///< [A-Za-z_][A-Za-z0-9_]*
  annotation_name,  ///< [A-Za-z0-9._/-]; inserted values cannot contain `/`.
  value,            ///< Value of an env or annotation.
  key,              ///< `by`: the text that the devices of a unit have in common; not empty.
  argument,         ///< Argument of a program; `-` at its beginning cannot come from a value.
  address,          ///< HOST:PORT
  cdi_name,         ///< "vendor.com/class=device", see cdi_name_fault().
  quantity,         ///< A number with an optional unit: see parse_bound().
  pattern,          ///< Glob of a condition; wildcards in values have no effect.
  regex,            ///< Regular expression; operators in values have no effect.
  comparand,        ///< Number of a condition.
};

/// Whether a text of this use belongs to a condition. In a condition, a `$` that does not begin a
/// $(…) is literal. `$$(` stands for `$(`, as does `\$(` if has_escapes().
[[nodiscard]] bool is_of_condition(TextUse use);
/// Whether `\` escapes the next character of a text of this use.
[[nodiscard]] bool has_escapes(TextUse use);

/// The longest unit id that is also a valid CDI device name.
inline constexpr size_t kMaxIdLength = 63;
/// The longest id of a shared unit. Each share is listed with "::" and up to five digits after it.
inline constexpr size_t kMaxSharedIdLength = kMaxIdLength - 7;

/// Returns the id if it is short enough, otherwise its beginning and a hash of the whole id.
[[nodiscard]] std::string shorten_id(const std::string& id, size_t most);

/// Returns the fault of a path, such as "does not begin with '/'". Null for an absolute path
/// without `.`, `..`, empty components and control characters, if it is not too long for Linux.
[[nodiscard]] std::optional<std::string> path_fault(std::string_view path);

/// Returns the fault of a qualified CDI device name, by the CDI specification. Null if the name is
/// valid.
[[nodiscard]] std::optional<std::string> cdi_name_fault(std::string_view name);

/// The parts of HOST:PORT, or of [HOST]:PORT for an IPv6 address.
struct Address {
  std::string host;
  uint16_t port = 0;
};
/// Returns null for any text that is not an address.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

/// Returns the fault of a literal in a text of this use. Null if the literal is valid.
[[nodiscard]] std::optional<std::string> literal_fault(std::string_view literal, TextUse use);

/// Returns the fault of a literal in a fallback. In a condition, wildcards and operators of a
/// fallback have no effect, so they are faults. Null if the literal is valid.
[[nodiscard]] std::optional<std::string> fallback_fault(std::string_view literal, TextUse use);

/// Escapes the text for this use, so that wildcards and operators in it have no effect.
[[nodiscard]] std::string escape_literal(std::string_view text, TextUse use);

/// Returns a variable's value as it is inserted into a text of this use. The error says why the
/// value is not allowed. `first`: the value is at the beginning of the text.
[[nodiscard]] Result<std::string> safe_value(const VariableRef& ref, std::string value, TextUse use,
                                             bool first = false);

/// Returns the whole rendered text in its final form. The error says why the text is not usable.
[[nodiscard]] Result<std::string> finish_text(std::string text, TextUse use);

}  // namespace patchbay::rules
