#include "loop/run_aside.h"

#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signals_held.h"

namespace patchbay::loop {

bool run_aside(Task blocking, Milliseconds within) {
  std::promise<void> promise;
  const auto done = promise.get_future();
  const SignalsHeld held;
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
