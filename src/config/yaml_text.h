#pragma once

#include <memory>
#include <string_view>

#include "config/diagnostics.h"

/// Checks of the text of a file that the YAML parser does not do or report.
namespace patchbay::config {

/// A position and its byte offset.
struct Location {
  Position at;
  size_t offset = 0;
};

/// Reports the first byte that a configuration cannot contain: bad UTF-8, UTF-16, a byte order
/// mark, control characters. Also reports a text that is too large, or has far more lists than the
/// limits allow. The parser would use hundreds of megabytes for it. Returns true if there is none.
[[nodiscard]] bool check_bytes(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics);

/// The position of the byte at `offset`.
[[nodiscard]] Position position_at(const std::shared_ptr<const Source>& source, size_t offset);

/// The same for a byte shortly before `place`. The cost is proportional to the distance.
[[nodiscard]] Position position_before(const Location& location, size_t offset);

/// The `&anchor` and `!tag` before a value, in any order.
struct NodeProperties {
  std::string_view tag{};  ///< With its `!`; empty if absent.
  size_t value = 0;        ///< The offset of the value itself.
};
[[nodiscard]] NodeProperties properties_at(std::string_view text, size_t offset);

/// The hint for a quote that is not closed.
inline constexpr std::string_view kClosingQuote =
    R"(write it where the text ends; a quote inside is '' in single quotes and \" in double quotes)";

/// The offset of the closing quote of the text that begins at `offset`, or npos.
[[nodiscard]] size_t closing_quote(std::string_view text, size_t offset);

/// The word for null at `offset`, as a key or as a value; empty for other words.
[[nodiscard]] std::string_view null_word_at(std::string_view text, size_t offset, bool as_key);

/// The dash of the empty list item that ends before `offset`; `offset` itself if there is none.
[[nodiscard]] size_t empty_item_before(std::string_view text, size_t offset);

/// The tab in the indentation of the line of `offset`, or npos.
[[nodiscard]] size_t indenting_tab(std::string_view text, size_t offset);

/// The part of the line before `offset`.
[[nodiscard]] std::string_view line_before(std::string_view text, size_t offset);

/// The `%` of a directive in the lines before `offset`, or npos.
[[nodiscard]] size_t directive_before(std::string_view text, size_t offset);

}  // namespace patchbay::config
