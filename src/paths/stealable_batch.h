#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace patchbay::paths {

/// The items of one job, which it processes in order. While the job waits long for one item, other
/// jobs can take the rest. Shared by the job and the loop's thread.
template <typename Query, typename Result>
class StealableBatch {
 public:
  struct Answer {
    Query query;
    Result result;
  };

  explicit StealableBatch(std::vector<Query> query)
      : queries_(std::move(query)), end_(queries_.size()) {}

  /// Number of all items. Any thread.
  [[nodiscard]] size_t size() const { return queries_.size(); }

  /// The job calls `find` for each item in order. If `find` returns null, other jobs get this item
  /// and the rest.
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

  /// Takes the results since the last call. Loop thread, as all functions below.
  [[nodiscard]] std::vector<Answer> take_results() {
    std::vector<Answer> answers;
    const std::lock_guard lock(mutex_);
    for (Result& result : results_) {
      answers.push_back({std::move(queries_[taken_++]), std::move(result)});
    }
    results_.clear();
    return answers;
  }
  /// Takes the items that the job has not begun; the job skips them. Later calls return nothing.
  [[nodiscard]] std::vector<Query> steal_rest() {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, begun_);
    const size_t stolen_from = std::exchange(stolen_from_, end_);
    if (stolen_from != kNotStolen) return {};
    return {queries_.begin() + static_cast<std::ptrdiff_t>(end_), queries_.end()};
  }
  /// The item that the job has begun, and whose result take_results() has not returned.
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

  /// Taken items are moved from. The job reads the current item without the lock; everything else
  /// is guarded.
  std::vector<Query> queries_;
  std::mutex mutex_;
  std::vector<Result> results_;  // Guarded by mutex_, as all below. Not taken yet.
  size_t begun_ = 0;
  size_t end_;
  size_t taken_ = 0;
  size_t stolen_from_ = kNotStolen;
};

}  // namespace patchbay::paths
