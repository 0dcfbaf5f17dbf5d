#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/hints.h"

namespace patchbay::host {

/// Records the requests of an event source.
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
  void pattern_truncated(const std::string& /*pattern*/, const std::string& /*why*/) override {}
  void pattern_responsiveness(const std::string& /*pattern*/, const std::string& /*directory*/,
                              paths::Responsiveness /*responsiveness*/) override {}
  void listing_refused(const std::string& /*directory*/,
                       const std::vector<std::string>& /*patterns*/, int /*error*/,
                       std::function<void()> /*again*/) override {}
  void listed(const std::string& /*directory*/) override {}
  void source_refused(const std::string& /*source*/, int /*error*/,
                      std::function<void()> again) override {
    open_again = std::move(again);
  }
  void source_opened(const std::string& /*source*/) override { ++opened; }
  [[nodiscard]] std::vector<std::string> reported_below(const std::string& /*dir*/) const override {
    return {};
  }
  void tree_changed(bool /*something_left*/) override {}
  void events_lost(const std::string& /*source*/) override {}
  [[nodiscard]] std::string mount_of(const std::string& key) override {
    places.push_back(key);
    return {};
  }
  void rescan(const std::string& /*reason*/) override { ++rescans; }

  std::vector<std::string> refreshed;  ///< By key.
  std::vector<std::pair<ReadReason, std::vector<std::string>>> scans;
  std::function<void()> open_again;
  std::vector<std::string> places;  ///< Requested paths.
  int opened = 0;
  int rescans = 0;
};

}  // namespace patchbay::host
