#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// What a rendered text is for, which decides what it may hold. Values come from devices and are
/// hostile; literals are the administrator's.
enum class TextUse {
  id,               ///< Of a unit: [A-Za-z0-9._:-], at most 63.
  path,             ///< Of the host or the container.
  env_name,         ///< [A-Za-z_][A-Za-z0-9_]*
  annotation_name,  ///< [A-Za-z0-9._/-]; values bring no `/`.
  value,            ///< Of an env or annotation.
  key,              ///< What the devices of a unit have in common; not empty.
  argument,         ///< Of a program: what a device says must not begin it with `-`.
  address,          ///< HOST:PORT
  cdi_name,         ///< "vendor.com/class=device", see cdi_name_fault().
  quantity,         ///< A number, with a unit if need be: see parse_bound().
  pattern,          ///< A glob of a condition: a value stands there literally,
  regex,            ///< and so in a regular expression,
  comparand,        ///< and in any other text or number of a condition.
};

/// Whether a text of that use is of a condition. There a `$` that begins no $(…) is itself; `$$(`
/// stands for `$(`, and where `\` takes the next character literally, so does `\$(`.
[[nodiscard]] bool is_of_condition(TextUse use);
[[nodiscard]] bool has_escapes(TextUse use);

/// The longest unit id that is also a valid CDI device name.
inline constexpr size_t kMaxIdLength = 63;
/// The same of a unit that is shared: its id is listed with "::" and up to five digits after it.
inline constexpr size_t kMaxSharedIdLength = kMaxIdLength - 7;

/// The id, if it is short enough; else its beginning and a hash of all of it.
[[nodiscard]] std::string shorten_id(const std::string& id, size_t most);

/// What is wrong with a path, as in "… is not absolute"; null for an absolute path without `.`,
/// `..`, empty parts and control characters, that a file can have.
[[nodiscard]] std::optional<std::string> path_fault(std::string_view path);

/// What is wrong with a qualified CDI device name (the CDI specification); null if nothing is.
[[nodiscard]] std::optional<std::string> cdi_name_fault(std::string_view name);

/// HOST:PORT, or [HOST]:PORT of an IPv6 address; null for anything else.
struct Address {
  std::string host;
  uint16_t port = 0;
};
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

/// What is wrong with a literal part of such a text; null if nothing is.
[[nodiscard]] std::optional<std::string> literal_fault(std::string_view literal, TextUse use);

/// What is wrong with what stands for an absent value in a condition, where it is taken literally;
/// null if nothing is.
[[nodiscard]] std::optional<std::string> fallback_fault(std::string_view literal, TextUse use);

/// The text as it goes into one of that use so that it stands for itself.
[[nodiscard]] std::string escape_literal(std::string_view text, TextUse use);

/// A variable's value as it goes into such a text, or why it must not.
/// `first`: nothing stands before it.
[[nodiscard]] Result<std::string> safe_value(const VariableRef& ref, std::string value, TextUse use,
                                             bool first = false);

/// The whole rendered text as it is used, or why it cannot be.
[[nodiscard]] Result<std::string> finish_text(std::string text, TextUse use);

}  // namespace patchbay::rules
