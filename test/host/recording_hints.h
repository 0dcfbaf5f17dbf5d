#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/hints.h"

namespace patchbay::host {

/// Records the hints of an event source.
class RecordingHints final : public Hints {
 public:
  void refresh(const std::string& key) override { refreshed.push_back(key); }
  void refresh_from_event(const DeviceFacts& facts) override { refreshed.push_back(facts.key); }
  void refresh_if_known(const std::string& key) override { refreshed.push_back(key); }
  void refresh_around(const std::string& /*syspath*/) override {}
  void gone(const std::string& /*key*/) override {}
  void scan(std::vector<std::string> keys, ReadReason reason) override {
    scans.emplace_back(reason, std::move(keys));
  }
  [[nodiscard]] std::vector<std::string> reported_below(const std::string& /*dir*/) const override {
    return {};
  }
  void when_caught_up(loop::Task task) override { task(); }

  std::vector<std::string> refreshed;  ///< By key.
  std::vector<std::pair<ReadReason, std::vector<std::string>>> scans;
};

/// Records why an event source requests a rescan.
class RecordingRescans final : public RescanRequests {
 public:
  void events_lost(const std::string& source) override { requests.push_back(source); }
  void rescan(const std::string& reason) override { requests.push_back(reason); }

  std::vector<std::string> requests;
};

}  // namespace patchbay::host
