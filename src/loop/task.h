#pragma once

#include <chrono>
#include <functional>

namespace patchbay::loop {

using Time = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;
using Task = std::move_only_function<void()>;

}  // namespace patchbay::loop
