#pragma once

#include <cstdint>

namespace patchbay::paths {

/// Whether a check or read has answered.
enum class Responsiveness : uint8_t {
  ok,    ///< It has answered.
  slow,  ///< Not yet, but it may only be slow.
  hung,  ///< Not within the timeout: nothing waits for it any more.
};

}  // namespace patchbay::paths
