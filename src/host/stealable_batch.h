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
template <typename Query, typename Result>
class StealableBatch {
 public:
  struct Answer {
    Query query;
    Result result;
  };

  explicit StealableBatch(std::vector<Query> query)
      : queries_(std::move(query)), end_(queries_.size()) {}

  /// In the job: `find` of one after the other. None: it and the rest is left to others.
  template <typename Find>
  void run(const Find& find) {
    while (const Query* query = next()) {
      std::optional<Result> result = find(*query);
      const std::lock_guard lock(mutex_);
      if (!result) {
        end_ = --begun_;
      } else {
        results_.push_back(*std::move(result));
      }
    }
  }

  /// What was found since it was last taken. Loop thread, as all below.
  [[nodiscard]] std::vector<Answer> take_results() {
    std::vector<Answer> answers;
    const std::lock_guard lock(mutex_);
    for (Result& result : results_) {
      answers.push_back({std::move(queries_[taken_++]), std::move(result)});
    }
    results_.clear();
    return answers;
  }
  /// What was not begun: it is the caller's, and the job begins none of it. Empty the next time.
  [[nodiscard]] std::vector<Query> steal_rest() {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, begun_);
    const size_t stolen_from = std::exchange(stolen_from_, end_);
    if (stolen_from != kNotStolen) return {};
    return {queries_.begin() + static_cast<std::ptrdiff_t>(end_), queries_.end()};
  }
  /// What was begun and had not been found when it was last taken.
  [[nodiscard]] std::optional<Query> current() {
    const std::lock_guard lock(mutex_);
    return taken_ < begun_ ? std::optional(queries_[taken_]) : std::nullopt;
  }

 private:
  static constexpr size_t kNotStolen = static_cast<size_t>(-1);

  const Query* next() {
    const std::lock_guard lock(mutex_);
    return begun_ == end_ ? nullptr : &queries_[begun_++];
  }

  /// What was taken is moved from; what is begun is the job's to read, all else is guarded.
  std::vector<Query> queries_;
  std::mutex mutex_;
  std::vector<Result> results_;  // Guarded by mutex_, as all below. Not taken yet.
  size_t begun_ = 0;
  size_t end_;
  size_t taken_ = 0;
  size_t stolen_from_ = kNotStolen;
};

}  // namespace patchbay::host
