#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace patchbay::host {

/// What one job works through, in order, and what others may take from it while it waits at one
/// thing. The job and the loop's thread share it.
template <typename Asked, typename Found>
class CutList {
 public:
  struct Answer {
    Asked asked;
    Found found;
  };

  explicit CutList(std::vector<Asked> asked) : asked_(std::move(asked)), end_(asked_.size()) {}

  /// In the job: `find` of one after the other. None: it and the rest is left to others.
  template <typename Find>
  void go_on(const Find& find) {
    while (const Asked* asked = next()) {
      std::optional<Found> found = find(*asked);
      const std::lock_guard lock(mutex_);
      if (!found) {
        end_ = --begun_;
      } else {
        found_.push_back(*std::move(found));
      }
    }
  }

  /// What was found since it was last taken. Loop thread, as all below.
  [[nodiscard]] std::vector<Answer> take() {
    std::vector<Answer> answers;
    const std::lock_guard lock(mutex_);
    for (Found& found : found_) {
      answers.push_back({std::move(asked_[taken_++]), std::move(found)});
    }
    found_.clear();
    return answers;
  }
  /// What was not begun: it is the caller's, and the job begins none of it. Empty the next time.
  [[nodiscard]] std::vector<Asked> take_rest() {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, begun_);
    const size_t given = std::exchange(given_, end_);
    if (given != kNotGiven) return {};
    return {asked_.begin() + static_cast<std::ptrdiff_t>(end_), asked_.end()};
  }
  /// What was begun and had not been found when it was last taken.
  [[nodiscard]] std::optional<Asked> waited_for() {
    const std::lock_guard lock(mutex_);
    return taken_ < begun_ ? std::optional(asked_[taken_]) : std::nullopt;
  }

 private:
  static constexpr size_t kNotGiven = static_cast<size_t>(-1);

  const Asked* next() {
    const std::lock_guard lock(mutex_);
    return begun_ == end_ ? nullptr : &asked_[begun_++];
  }

  /// What was taken is moved from; what is begun is the job's to read, all else is guarded.
  std::vector<Asked> asked_;
  std::mutex mutex_;
  std::vector<Found> found_;  // Guarded by mutex_, as all below. Not taken yet.
  size_t begun_ = 0;
  size_t end_;
  size_t taken_ = 0;
  size_t given_ = kNotGiven;
};

}  // namespace patchbay::host
