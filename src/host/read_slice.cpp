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
  Slice(HostQueryPtr query, HostRoot root, std::shared_ptr<PathGlance> glance,
        std::shared_ptr<ReadNote> note)
      : glance_(std::move(glance)),
        note_(std::move(note)),
        reader_(std::move(query), std::move(root), "/sys", note_.get()) {}

  std::optional<Reading> read(const Target& target) {
    const auto now = Clock::now();
    if (end_ && now > *end_) return std::nullopt;
    if (!end_) end_ = now + kLongJob;
    Reading reading = reader_.read(target);
    reading.heard = target.heard;
    const bool could_tell = reader_.may_glance(target) && !reading.is_link && reading.files.empty();
    if (target.glanced && could_tell && reading.facts) {
      glance_->learn(target.key);
    }
    return reading;
  }

 private:
  std::shared_ptr<PathGlance> glance_;
  std::shared_ptr<ReadNote> note_;
  FactReader reader_;
  std::optional<Clock::time_point> end_;
};

}  // namespace

Refresher::ReadOne read_slice(HostQueryPtr query, HostRoot root, std::shared_ptr<PathGlance> glance,
                              std::shared_ptr<ReadNote> note) {
  const auto slice = std::make_shared<Slice>(std::move(query), std::move(root), std::move(glance),
                                             std::move(note));
  return [slice](const Target& target) { return slice->read(target); };
}

}  // namespace patchbay::host
