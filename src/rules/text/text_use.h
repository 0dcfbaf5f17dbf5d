#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// The use of a rendered text, which decides its allowed content. Values come from devices and are
/// hostile; literals come from the administrator.
enum class TextUse {
  id,               ///< Unit id: [A-Za-z0-9._:-], at most 63 characters.
  path,             ///< Path of the host or the container.
  env_name,         ///< [A-Za-z_][A-Za-z0-9_]*
  annotation_name,  ///< [A-Za-z0-9._/-]; values cannot contain `/`.
  value,            ///< Value of an env or annotation.
  key,              ///< Text that the devices of a unit have in common; not empty.
  argument,         ///< Argument of a program; a value cannot begin it with `-`.
  address,          ///< HOST:PORT
  cdi_name,         ///< "vendor.com/class=device", see cdi_name_fault().
  quantity,         ///< A number with an optional unit: see parse_bound().
  pattern,          ///< Glob of a condition; values are literal.
  regex,            ///< Regular expression; values are literal.
  comparand,        ///< Number of a condition.
};

/// Whether a text of this use belongs to a condition. In a condition, a `$` that does not begin a
/// $(…) is literal. `$$(` means `$(`, and `\$(` too if `\` is an escape.
[[nodiscard]] bool is_of_condition(TextUse use);
[[nodiscard]] bool has_escapes(TextUse use);

/// The longest unit id that is also a valid CDI device name.
inline constexpr size_t kMaxIdLength = 63;
/// The longest id of a shared unit: it is listed with "::" and up to five digits after it.
inline constexpr size_t kMaxSharedIdLength = kMaxIdLength - 7;

/// The id if it is short enough; otherwise its beginning and a hash of the whole id.
[[nodiscard]] std::string shorten_id(const std::string& id, size_t most);

/// The fault of a path, as in "… is not absolute". Null for an absolute path without `.`, `..`,
/// empty components and control characters, of a length that a file can have.
[[nodiscard]] std::optional<std::string> path_fault(std::string_view path);

/// The fault of a qualified CDI device name (the CDI specification). Null if there is none.
[[nodiscard]] std::optional<std::string> cdi_name_fault(std::string_view name);

/// HOST:PORT, or [HOST]:PORT for an IPv6 address. Null for any other text.
struct Address {
  std::string host;
  uint16_t port = 0;
};
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

/// The fault of a literal in a text of this use. Null if there is none.
[[nodiscard]] std::optional<std::string> literal_fault(std::string_view literal, TextUse use);

/// The fault of a fallback in a condition, where it is used literally. Null if there is none.
[[nodiscard]] std::optional<std::string> fallback_fault(std::string_view literal, TextUse use);

/// The text escaped for this use, so that it is literal.
[[nodiscard]] std::string escape_literal(std::string_view text, TextUse use);

/// A variable's value as inserted into a text of this use. The error says why it is not allowed.
/// `first`: nothing precedes it.
[[nodiscard]] Result<std::string> safe_value(const VariableRef& ref, std::string value, TextUse use,
                                             bool first = false);

/// The whole rendered text as used. The error says why it is not usable.
[[nodiscard]] Result<std::string> finish_text(std::string text, TextUse use);

}  // namespace patchbay::rules
