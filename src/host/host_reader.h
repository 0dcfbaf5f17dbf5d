#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/facts/fact_reader.h"
#include "host/facts/nonblocking_sysfs.h"
#include "host/refresher.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/facts.h"
#include "paths/host_root.h"
#include "paths/mounts.h"
#include "paths/nonblocking_stat.h"

namespace patchbay::host {

/// Returns a function for one job. Each call reads one entity, and records in `progress` what it
/// reads. A call more than 0.1 s after the first one returns null, and other jobs read the
/// remaining entities. So one slow device delays few others. The function blocks, and may hang.
///
/// A nonblocking read fails on a file system that `stat` does not know. After such a failure the
/// function adds the file system to `stat`.
[[nodiscard]] std::function<std::optional<Reading>(const Target&)> read_slice(
    HostQueryPtr query, paths::HostRoot root, std::shared_ptr<paths::NonblockingStat> stat,
    std::shared_ptr<ReadProgress> progress);

/// Reads entities with FactReader, either without blocking, or in jobs of its own queue. Loop
/// thread.
class HostReader final : public EntityReader {
 public:
  HostReader(loop::EventLoop& loop, HostQueryPtr query, paths::HostRoot root,
             paths::MountOf mount_of);

  std::optional<Reading> try_read_cached(const Target& target) override {
    return inline_reader_.try_read_cached(target, *stat_);
  }
  std::optional<Reading> try_read_from_event(const Target& target,
                                             const DeviceFacts& event_facts) override {
    return inline_reader_.try_read_from_event(target, event_facts, *sysfs_);
  }
  loop::Subscription start(std::shared_ptr<Batch> batch, std::shared_ptr<ReadProgress> progress,
                           loop::WorkQueue::Callbacks callbacks) override;
  std::string mount_of(const std::string& key) override;

  /// The files that try_read_from_event() can read. DeviceSource updates this object.
  [[nodiscard]] const std::shared_ptr<NonblockingSysfs>& sysfs() const { return sysfs_; }

 private:
  HostQueryPtr query_;
  paths::HostRoot root_;
  paths::MountOf mount_of_;
  FactReader inline_reader_;
  std::shared_ptr<paths::NonblockingStat> stat_;
  std::shared_ptr<NonblockingSysfs> sysfs_ = std::make_shared<NonblockingSysfs>();
  loop::WorkQueue queue_;
};

}  // namespace patchbay::host
