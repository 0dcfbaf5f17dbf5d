#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"

/// Checks of invariants. A violation ends the process, so that the fuzzer keeps the input.
namespace patchbay::fuzz {

inline void must(bool condition, std::string_view requirement, std::string_view shown = {}) {
  if (condition) return;
  const std::string text = printable(shown, 2000);
  std::fprintf(stderr, "must be: %.*s\n  %s\n", static_cast<int>(requirement.size()),
               requirement.data(), text.c_str());
  std::abort();
}

/// Checks that output for users or other programs is UTF-8 without control characters.
inline void must_be_plain(std::string_view text, std::string_view requirement) {
  must(is_utf8(text), requirement, text);
  must(!has_control_character(text), requirement, text);
}

}  // namespace patchbay::fuzz
