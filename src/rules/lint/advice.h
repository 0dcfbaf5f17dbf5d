#pragma once

#include <cstddef>
#include <string>

namespace patchbay::rules {

/// A warning about a valid text that does not do what its author meant, with a hint.
struct Advice {
  size_t offset = 0;  ///< Offset in the text.
  std::string message;
  std::string hint;
};

}  // namespace patchbay::rules
