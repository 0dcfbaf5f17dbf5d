#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"

/// What must hold of every input; what does not ends the process, so that the fuzzer keeps it.
namespace patchbay::fuzz {

inline void must(bool holds, std::string_view what, std::string_view shown = {}) {
  if (holds) return;
  const std::string text = printable(shown, 2000);
  std::fprintf(stderr, "must be: %.*s\n  %s\n", static_cast<int>(what.size()), what.data(),
               text.c_str());
  std::abort();
}

/// What people or other programs are told holds nothing that a terminal obeys.
inline void must_be_plain(std::string_view text, std::string_view what) {
  must(is_utf8(text), what, text);
  must(!has_control_character(text), what, text);
}

}  // namespace patchbay::fuzz
