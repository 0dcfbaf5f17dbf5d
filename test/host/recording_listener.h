#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host/host_listener.h"
#include "model/facts.h"

namespace patchbay::host {

/// A `HostQuery::wanted` by which every device is relevant and only the cheap facts are read.
inline WantedFacts cheap_facts(const DeviceFacts& /*cheap*/) {
  WantedFacts wanted;
  wanted.relevant = true;
  return wanted;
}

/// Records the devices and other reports of the host.
class RecordingListener final : public HostListener {
 public:
  void device_seen(DeviceFactsPtr facts, std::optional<loop::Time> /*event_time*/) override {
    ++seen_count[facts->key];
    log.push_back("seen " + facts->key);
    devices[facts->key] = std::move(facts);
  }
  void device_event(const std::string& key) override { ++event_count[key]; }
  void device_gone(const std::string& key, std::optional<loop::Time> /*event_time*/) override {
    log.push_back("gone " + key);
    devices.erase(key);
  }
  void pattern_truncated(const std::string& pattern, const std::string& why) override {
    truncations[pattern] = why;
  }
  void unresponsive(const std::vector<Unresponsive>& all) override {
    unresponsive_keys.clear();
    slow.clear();
    for (const Unresponsive& one : all) {
      unresponsive_keys.emplace(
          one.what, one.key.empty() && !one.patterns.empty() ? one.patterns.front() : one.key);
      if (one.slow) slow.push_back(one.what);
    }
  }
  void first_scan_done() override {
    log.emplace_back("first scan done");
    ++first_scans;
  }

  [[nodiscard]] bool has(const std::string& key) const { return devices.contains(key); }

  /// Whether `what` was reported as unresponsive and not as slow.
  [[nodiscard]] bool hangs(const std::string& what) const {
    return unresponsive_keys.contains(what) && std::ranges::find(slow, what) == slow.end();
  }
  [[nodiscard]] bool none_waits() const { return slow.empty(); }

  /// The first device with that name; null if there is none.
  [[nodiscard]] DeviceFactsPtr named(const std::string& name) const {
    const auto it = std::ranges::find_if(
        devices, [&](const auto& entry) { return entry.second->name == name; });
    return it == devices.end() ? nullptr : it->second;
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, facts] : devices) all.push_back(key);
    return all;
  }

  std::map<std::string, DeviceFactsPtr> devices;
  std::map<std::string, int> seen_count;
  std::map<std::string, int> event_count;
  std::map<std::string, std::string> truncations;             ///< By pattern.
  std::multimap<std::string, std::string> unresponsive_keys;  ///< Unresponsive sources, each with
                                                              ///< an affected device or pattern.
  std::vector<std::string> slow;                              ///< The slow ones among them.
  std::vector<std::string> log;
  int first_scans = 0;
};

}  // namespace patchbay::host
