#pragma once

#include <chrono>
#include <functional>

#include "fake/patience.h"
#include "loop/event_loop.h"
#include "loop/may_block.h"

namespace patchbay::fake {

/// Runs the loop until `done` holds, looking after every turn that could change it; false when
/// `patience` passed first. `done` is asked each millisecond and is the only thing waited for.
inline bool run_until(loop::UvLoop& loop, const std::function<bool()>& done,
                      std::chrono::milliseconds patience = kPatience) {
  const auto end = loop.now() + patience;
  bool held = done();
  if (held) return true;
  const auto look = loop.every(loop::Milliseconds(1), [&] {
    const loop::MayBlock may(true);  // Only the test waits for what it looks at.
    held = done();
    if (held || loop.now() >= end) loop.stop();
  });
  loop.run();
  return held;
}

}  // namespace patchbay::fake
