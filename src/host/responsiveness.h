#pragma once

#include <cstdint>

namespace patchbay::host {

/// Whether a look at something has been answered.
enum class Responsiveness : uint8_t {
  ok,    ///< It has.
  slow,  ///< Not yet; it may only be slow.
  hung,  ///< Not for so long that nobody waits for it.
};

}  // namespace patchbay::host
