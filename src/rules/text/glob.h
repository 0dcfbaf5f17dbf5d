#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// A parsed glob: `*` matches any bytes, `?` one character, `[a-z]` and `[!a-z]` a class of
/// characters; `\` escapes the next character.
struct Glob {
  enum class Form {
    literal,  ///< No wildcards; `text` is the value.
    prefix,   ///< One `*` at the end; `text` is the beginning of the value.
    pattern,  ///< Any other glob; `text` is an RE2 regex for the whole value (UTF-8, dot matches
              ///< newline).
  };
  Form form = Form::literal;
  std::string text;
};

struct GlobError {
  std::string message;
  size_t offset = 0;  ///< Offset in the glob.
};

[[nodiscard]] std::expected<Glob, GlobError> parse_glob(std::string_view text);

}  // namespace patchbay::rules
