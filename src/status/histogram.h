#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace patchbay::status {

/// A number that only increases. Any thread.
class Counter {
 public:
  void add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

/// Counts durations in the buckets of the Prometheus text format. Any thread.
class Histogram {
 public:
  /// Upper bounds in microseconds. They cover Allocate as well as the steps before a container
  /// starts.
  static constexpr std::array<uint64_t, 18> kBounds{
      50,     100,     200,     500,     1000,     2000,     5000,     10'000,     20'000,
      50'000, 100'000, 200'000, 500'000, 1000'000, 2000'000, 5000'000, 10'000'000, 30'000'000};

  void add(std::chrono::nanoseconds time) {
    const auto us = static_cast<uint64_t>(
        std::max<int64_t>(std::chrono::ceil<std::chrono::microseconds>(time).count(), 0));
    size_t bucket = 0;
    while (bucket < kBounds.size() && us > kBounds[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    microseconds_.fetch_add(us, std::memory_order_relaxed);
  }

  /// A consistent reading, except for values that are being added.
  struct Values {
    std::array<uint64_t, kBounds.size() + 1> up_to{};  ///< Cumulative; the last one is the total.
    double seconds = 0;                                ///< Sum of all durations.
  };
  [[nodiscard]] Values values() const {
    Values values;
    uint64_t sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      sum += counts_[i].load(std::memory_order_relaxed);
      values.up_to[i] = sum;
    }
    values.seconds = static_cast<double>(microseconds_.load(std::memory_order_relaxed)) / 1e6;
    return values;
  }

 private:
  std::array<std::atomic<uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<uint64_t> microseconds_ = 0;
};

}  // namespace patchbay::status
