#pragma once

#include <algorithm>
#include <cstddef>

#include "loop/executor.h"
#include "paths/responsiveness.h"

namespace patchbay::paths {

/// Whether so many jobs hang on one mount that nothing more may be read there. `jobs`: a map whose
/// values have the members `responsiveness` and `mount`; a job without a mount hangs alone.
/// `mount_of()` returns the mount in question. It is called only if some mount may have reached the
/// limit, because the mount table may be long.
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
