#pragma once

#include <chrono>
#include <functional>

#include "fake/patience.h"
#include "loop/event_loop.h"
#include "loop/may_block.h"

namespace patchbay::fake {

/// Runs the loop until `done` returns true; calls `done` every millisecond. Returns false if
/// `patience` passes first.
inline bool run_until(loop::UvLoop& loop, const std::function<bool()>& done,
                      std::chrono::milliseconds patience = kPatience) {
  const auto end = loop.now() + patience;
  bool held = done();
  if (held) return true;
  const auto look = loop.every(loop::Milliseconds(1), [&] {
    const loop::MayBlock may(true);  // If `done` blocks, it blocks only the test.
    held = done();
    if (held || loop.now() >= end) loop.stop();
  });
  loop.run();
  return held;
}

}  // namespace patchbay::fake
