#include "host/host_reader.h"

#include <chrono>
#include <utility>

#include "loop/executor.h"

namespace patchbay::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongJob{100};

class Slice {
 public:
  Slice(HostQueryPtr query, paths::HostRoot root, std::shared_ptr<paths::NonblockingStat> stat,
        std::shared_ptr<ReadProgress> progress)
      : nonblocking_stat_(std::move(stat)),
        progress_(std::move(progress)),
        reader_(std::move(query), std::move(root), "/sys", progress_.get()) {}

  std::optional<Reading> read(const Target& target) {
    const auto now = Clock::now();
    if (end_ && now > *end_) return std::nullopt;
    if (!end_) end_ = now + kLongJob;
    Reading reading = reader_.read(target);
    reading.event_time = target.event_time;
    const bool could_read_cached =
        reader_.can_try_cached(target) && !reading.is_link && reading.files.empty();
    if (target.cached_read_failed && could_read_cached && reading.facts) {
      nonblocking_stat_->learn(target.key);
    }
    return reading;
  }

 private:
  std::shared_ptr<paths::NonblockingStat> nonblocking_stat_;
  std::shared_ptr<ReadProgress> progress_;
  FactReader reader_;
  std::optional<Clock::time_point> end_;
};

}  // namespace

std::function<std::optional<Reading>(const Target&)> read_slice(
    HostQueryPtr query, paths::HostRoot root, std::shared_ptr<paths::NonblockingStat> stat,
    std::shared_ptr<ReadProgress> progress) {
  const auto slice = std::make_shared<Slice>(std::move(query), std::move(root), std::move(stat),
                                             std::move(progress));
  return [slice](const Target& target) { return slice->read(target); };
}

HostReader::HostReader(loop::EventLoop& loop, HostQueryPtr query, paths::HostRoot root,
                       paths::MountOf mount_of)
    : query_(std::move(query)),
      root_(std::move(root)),
      mount_of_(std::move(mount_of)),
      inline_reader_(query_, root_),
      stat_(std::make_shared<paths::NonblockingStat>(root_)),
      queue_(loop) {}

loop::Subscription HostReader::start(std::shared_ptr<Batch> batch,
                                     std::shared_ptr<ReadProgress> progress,
                                     loop::WorkQueue::Callbacks callbacks) {
  auto read = read_slice(query_, root_, stat_, std::move(progress));
  return queue_.run(
      "", loop::kHungAfter,
      [batch = std::move(batch), read = std::move(read)] { batch->run(read); },
      std::move(callbacks));
}

/// Drivers behind /sys do not hang together.
std::string HostReader::mount_of(const std::string& key) {
  return key.starts_with('/') && !key.starts_with("/sys/") ? mount_of_(key) : "";
}

}  // namespace patchbay::host
