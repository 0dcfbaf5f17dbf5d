#pragma once

#include <cstddef>
#include <string>

namespace patchbay::rules {

/// What a text that can be read does not do, though its author meant it to, and the way out.
struct Advice {
  size_t offset = 0;  ///< In the text.
  std::string message;
  std::string hint;
};

}  // namespace patchbay::rules
