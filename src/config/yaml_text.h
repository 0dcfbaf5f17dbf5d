#pragma once

#include <memory>
#include <string_view>

#include "config/diagnostics.h"

/// What the YAML parser does not tell or check, found in the text itself.
namespace patchbay::config {

/// A position, and how many bytes stand before it.
struct Location {
  Position at;
  size_t offset = 0;
};

/// Reports the first byte that a configuration cannot hold: bad UTF-8, UTF-16, a byte order mark,
/// control characters; and a text too large or with far more lists than the bounds allow, which the
/// parser would turn into hundreds of megabytes. True if there is none.
[[nodiscard]] bool check_bytes(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics);

/// The place of the byte at `offset`.
[[nodiscard]] Position position_at(const std::shared_ptr<const Source>& source, size_t offset);

/// The same for a byte not far before `place`, at the cost of that distance.
[[nodiscard]] Position position_before(const Location& location, size_t offset);

/// What stands before a value: `&anchor` and `!tag`, in any order.
struct NodeProperties {
  std::string_view tag{};  ///< With its `!`; empty: none.
  size_t value = 0;        ///< Where the value itself begins.
};
[[nodiscard]] NodeProperties properties_at(std::string_view text, size_t offset);

/// How a quote that is not closed is mended.
inline constexpr std::string_view kClosingQuote =
    R"(write it where the text ends; a quote inside is '' in single quotes and \" in double quotes)";

/// Where the quoted text that begins at `offset` ends: its closing quote, or npos.
[[nodiscard]] size_t closing_quote(std::string_view text, size_t offset);

/// The word for null that stands at `offset`, as a key or as a value; or nothing.
[[nodiscard]] std::string_view null_word_at(std::string_view text, size_t offset, bool as_key);

/// The dash of the empty list item that ends before `offset`; `offset` itself if there is none.
[[nodiscard]] size_t empty_item_before(std::string_view text, size_t offset);

/// The tab among the blanks that begin the line of the byte at `offset`, or npos.
[[nodiscard]] size_t indenting_tab(std::string_view text, size_t offset);

/// What stands before the byte at `offset` in its line.
[[nodiscard]] std::string_view line_before(std::string_view text, size_t offset);

/// The `%` of a directive in the lines before `offset`, or npos.
[[nodiscard]] size_t directive_before(std::string_view text, size_t offset);

}  // namespace patchbay::config
