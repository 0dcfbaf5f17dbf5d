#pragma once

#include <memory>
#include <string_view>

#include "config/diagnostics.h"

/// Searches the text of a file for mistakes and positions that the YAML parser does not report.
namespace patchbay::config {

/// A position and its byte offset.
struct Location {
  Position at;
  size_t offset = 0;
};

/// Checks the text before it is parsed. Reports the first byte that a configuration cannot contain:
/// invalid UTF-8, UTF-16, a byte order mark or a control character. Also reports a text that is too
/// large, or has so many brackets and commas that the parser would need hundreds of megabytes.
/// Returns true if it reports nothing.
[[nodiscard]] bool check_bytes(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics);

/// The position of the byte at `offset`.
[[nodiscard]] Position position_at(const std::shared_ptr<const Source>& source, size_t offset);

/// The position of the byte at `offset`, which is shortly before `location`. The cost is
/// proportional to the distance.
[[nodiscard]] Position position_before(const Location& location, size_t offset);

/// The `!tag` before a value, and the offset of the value after its `!tag` and `&anchor`.
struct NodeProperties {
  std::string_view tag{};  ///< With its `!`; empty if absent.
  size_t value = 0;        ///< The offset of the value itself.
};
[[nodiscard]] NodeProperties properties_at(std::string_view text, size_t offset);

/// The hint of the error message for a missing closing quote.
inline constexpr std::string_view kClosingQuote =
    R"(write it where the text ends; a quote inside is '' in single quotes and \" in double quotes)";

/// The offset of the closing quote of the text that begins at `offset`, or npos.
[[nodiscard]] size_t closing_quote(std::string_view text, size_t offset);

/// The word at `offset` if the word means null in YAML, such as `~`; else empty. `as_key` is
/// whether the word is a key.
[[nodiscard]] std::string_view null_word_at(std::string_view text, size_t offset, bool as_key);

/// If an empty list item ends before `offset`, returns the offset of its dash. Otherwise returns
/// `offset`.
[[nodiscard]] size_t empty_item_before(std::string_view text, size_t offset);

/// The offset of the first tab in the indentation of the line at `offset`, or npos.
[[nodiscard]] size_t indenting_tab(std::string_view text, size_t offset);

/// The text from the start of the line to `offset`.
[[nodiscard]] std::string_view line_before(std::string_view text, size_t offset);

/// The offset of the first line before `offset` that begins with `%` (a YAML directive), or npos.
[[nodiscard]] size_t directive_before(std::string_view text, size_t offset);

}  // namespace patchbay::config
