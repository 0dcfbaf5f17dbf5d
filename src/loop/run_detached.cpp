#include "loop/run_detached.h"

#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "base/scoped_signal_block.h"

namespace patchbay::loop {

bool run_detached(Task blocking, Milliseconds within) {
  std::promise<void> promise;
  const auto done = promise.get_future();
  const ScopedSignalBlock signal_block;
  try {
    std::thread([blocking = std::move(blocking), promise = std::move(promise)]() mutable {
      blocking();
      promise.set_value();
    }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return done.wait_for(within) == std::future_status::ready;
}

}  // namespace patchbay::loop
