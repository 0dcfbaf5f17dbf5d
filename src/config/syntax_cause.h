#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Finds the likely cause of a YAML syntax error in the text, because the parser stops somewhere
/// after the cause.
namespace patchbay::config {

struct SyntaxCause {
  size_t offset = 0;
  std::string message;
  std::string hint;
};

/// The cause for `{{` of a Helm template, at `offset`.
[[nodiscard]] SyntaxCause template_action(size_t offset);

/// The first character outside of quotes that is displayed like a space or a quote but is not one
/// in YAML. `text` is the whole file; the search covers [begin, end).
[[nodiscard]] std::optional<SyntaxCause> find_lookalike(std::string_view text, size_t begin,
                                                        size_t end);

/// The most likely cause if the parser stopped at `offset`.
[[nodiscard]] std::optional<SyntaxCause> find_cause_before(std::string_view text, size_t offset);

/// The opening quote of a text that is not closed.
[[nodiscard]] std::optional<size_t> unclosed_quote(std::string_view text);

}  // namespace patchbay::config
