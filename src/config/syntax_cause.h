#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// What leads to text that is no YAML, or none of ours: found in the text itself, since the parser
/// stops somewhere after it.
namespace patchbay::config {

struct SyntaxCause {
  size_t offset = 0;
  std::string message;
  std::string hint;
};

/// `{{`, as templates of Helm have it, at `offset`.
[[nodiscard]] SyntaxCause template_action(size_t offset);

/// The first character of a text without quotes that looks like a blank or a quote, and is none to
/// YAML. `text` is the whole file, of which [begin, end) is looked at.
[[nodiscard]] std::optional<SyntaxCause> find_lookalike(std::string_view text, size_t begin,
                                                        size_t end);

/// The most likely cause of a parser having stopped at `offset`.
[[nodiscard]] std::optional<SyntaxCause> find_cause_before(std::string_view text, size_t offset);

/// The quote that begins a text and is not closed.
[[nodiscard]] std::optional<size_t> unclosed_quote(std::string_view text);

}  // namespace patchbay::config
