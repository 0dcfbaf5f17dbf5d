#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loop/executor.h"

namespace patchbay::paths {

/// Whether a check or read has answered.
enum class Responsiveness : uint8_t {
  ok,            ///< It has answered.
  slow,          ///< It has not answered yet, but may only be slow.
  unresponsive,  ///< It has not answered within the timeout: nothing waits for it.
};

/// Whether so many jobs hang on a mount that nothing more may be read there. `mount_of()` returns
/// that mount. `mount_of()` is called only if some mount may have reached the limit, because the
/// mount table may be long. `jobs`: a map whose values have the members `responsiveness` and
/// `mount`. Jobs without a mount do not count.
template <typename Jobs, typename MountOf>
[[nodiscard]] bool is_mount_full(const Jobs& jobs, const MountOf& mount_of) {
  constexpr auto kMost = static_cast<std::ptrdiff_t>(loop::kMaxHungPerMount);
  const auto hangs = [](const auto& job) {
    return job.second.responsiveness != Responsiveness::ok && !job.second.mount.empty();
  };
  if (std::ranges::count_if(jobs, hangs) < kMost) return false;
  const auto mount = mount_of();
  return std::ranges::count_if(jobs, [&](const auto& job) {
           return hangs(job) && job.second.mount == mount;
         }) >= kMost;
}

}  // namespace patchbay::paths
