#pragma once

#include <cstdint>

namespace patchbay::host {

/// Whether a look at something has been answered.
enum class Silence : uint8_t {
  none,   ///< It has.
  waits,  ///< Not yet; it may only be slow.
  hangs,  ///< Not for so long that nobody waits for it.
};

}  // namespace patchbay::host
