#include "host/read_slice.h"

#include <chrono>
#include <optional>
#include <utility>

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

Refresher::ReadOne read_slice(HostQueryPtr query, paths::HostRoot root,
                              std::shared_ptr<paths::NonblockingStat> stat,
                              std::shared_ptr<ReadProgress> progress) {
  const auto slice = std::make_shared<Slice>(std::move(query), std::move(root), std::move(stat),
                                             std::move(progress));
  return [slice](const Target& target) { return slice->read(target); };
}

}  // namespace patchbay::host
