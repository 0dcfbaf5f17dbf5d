#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/words.h"
#include "model/check.h"

/// To add a metric:
/// - Add its counter here, and call add() where the event happens, on any thread. No counter is
///   needed if the status has the value.
/// - Add its family to render/metrics.cpp. The number of the family's label values may depend only
///   on the configuration, not on devices, Pods or clients.
/// - Add its row to docs/observing.md.
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
  /// Upper bounds in microseconds. They are suitable for Allocate and for `preStart` steps.
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

  /// The values at one time. While an add() is in progress, one of the two members may already
  /// include its duration and the other not.
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

/// The calls of one kind.
struct CallCounters {
  Counter answered;
  Counter refused;
  Histogram seconds;

  void add(bool ok, std::chrono::nanoseconds time) {
    (ok ? answered : refused).add();
    seconds.add(time);
  }
};

/// The runs of the probes of one kind.
struct ProbeCounters {
  Counter passed;
  Counter failed;
  Counter not_run;
  Histogram seconds;

  /// Whether a probe of that kind has run.
  [[nodiscard]] bool any() const { return passed.value() + failed.value() + not_run.value() > 0; }
};

/// Counts the activity for one resource since the start of the process. Any thread.
struct ResourceCounters {
  Counter registered;      ///< Streams whose first message was written.
  Counter not_registered;  ///< Register calls that the kubelet did not accept.
  Counter streams_ended;
  Counter lists_sent;
  Counter units_lost;       ///< Listed units whose device disappeared or no longer matched.
  Histogram event_to_list;  ///< Time from the receipt of an event to the list that it caused.
  CallCounters allocate;
  CallCounters preferred;
  CallCounters pre_start;

  std::array<ProbeCounters, kWords<Check::Kind>.size()> probes_by_kind{};

  [[nodiscard]] ProbeCounters& probes(Check::Kind kind) {
    return probes_by_kind[static_cast<size_t>(kind)];
  }
};

/// The result of a write of a ResourceSlice. A conflict with another writer counts as failed.
enum class SliceWrite { succeeded, failed, rejected };

/// The counters of the process, and of each resource by its name, since the start of the process. A
/// reload keeps the counters, so that no number decreases. Any thread.
class Counters {
 public:
  [[nodiscard]] std::shared_ptr<ResourceCounters> of(const std::string& resource);
  [[nodiscard]] std::map<std::string, std::shared_ptr<const ResourceCounters>> all() const;

  Counter reloads;
  Counter refused_reloads;
  Histogram scans;         ///< Time from the start of a plan to the end of its first scan.
  Histogram dra_prepares;  ///< Time from a call of NodePrepareResources to its answer.
  std::array<Counter, 3> slice_writes{};  ///< By SliceWrite.

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ResourceCounters>> resources_;  // Guarded by mutex_.
};

}  // namespace patchbay::status

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<status::SliceWrite>{"succeeded", "failed",
                                                                            "rejected"};
}  // namespace patchbay
