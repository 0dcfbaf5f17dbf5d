#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// A glob, taken apart: `*` any bytes, `?` one character, `[a-z]`, `[!a-z]`, `\` takes the next
/// character literally.
struct Glob {
  enum class Form {
    literal,  ///< No wildcards: `text` is the value.
    prefix,   ///< One `*`, at the end: `text` is what stands before it.
    pattern,  ///< Anything else: `text` is an RE2 (UTF-8, dot matches newline) for the whole value.
  };
  Form form = Form::literal;
  std::string text;
};

struct GlobError {
  std::string message;
  size_t offset = 0;  ///< In the glob.
};

[[nodiscard]] std::expected<Glob, GlobError> parse_glob(std::string_view text);

}  // namespace patchbay::rules
