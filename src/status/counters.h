#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "model/check.h"
#include "status/histogram.h"

/// To add a metric:
/// - its counter here, and add() where the event happens, on any thread. If the status has the
///   value, export that instead;
/// - its family in render/metrics.cpp. The configuration limits the number of its labels;
/// - its row in docs/observing.md.
namespace patchbay::status {

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
};

/// Counts the activity for one resource since the process began. Any thread.
class ResourceCounters {
 public:
  ResourceCounters() = default;
  ResourceCounters(const ResourceCounters&) = delete;
  ResourceCounters& operator=(const ResourceCounters&) = delete;
  ~ResourceCounters();

  Counter registered;  ///< Streams with a written first message.
  Counter not_registered;
  Counter streams_ended;
  Counter lists_sent;
  Counter units_lost;       ///< Listed units with a device that disappeared or no longer matched.
  Histogram event_to_list;  ///< From the receipt of an event to the list that it caused.
  CallCounters allocate;
  CallCounters preferred;
  CallCounters pre_start;

  /// Created at the first call: most resources have few kinds.
  [[nodiscard]] ProbeCounters& probes(Check::Kind kind);
  /// Null: no probe of that kind ran.
  [[nodiscard]] const ProbeCounters* probes_if_any(Check::Kind kind) const;

 private:
  static constexpr size_t kKinds = kWords<Check::Kind>.size();
  std::array<std::atomic<ProbeCounters*>, kKinds> probes_{};
};

/// The counters of the process and of all resources since its start, by name. They outlive
/// configurations, so that a number never decreases. Any thread.
class Counters {
 public:
  [[nodiscard]] std::shared_ptr<ResourceCounters> of(const std::string& resource);
  [[nodiscard]] std::map<std::string, std::shared_ptr<const ResourceCounters>> all() const;

  Counter reloads;
  Counter refused_reloads;
  Histogram scans;  ///< From the start of a plan to its complete first scan.

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ResourceCounters>> resources_;  // Guarded by mutex_.
};

}  // namespace patchbay::status
