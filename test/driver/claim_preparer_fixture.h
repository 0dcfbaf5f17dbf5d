#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dra/device_name.h"
#include "driver/claim_fixture.h"
#include "driver/claim_preparer.h"
#include "driver/claim_spec.h"
#include "driver/scripted_steps.h"
#include "fake/golden.h"
#include "fake/manual_work.h"
#include "fake/temp_dir.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::driver {

inline constexpr const char* kUart = "a.io/uart";
inline constexpr const char* kLabDriver = "dra.lab.io";

/// Serial adapters with a step and a variable. Adapter S1 is the unit S1.
inline constexpr const char* kConfiguration =
    "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(property.SERIAL)\n"
    "    envs: {UART: $(devnode)}\n"
    "    preStart: [{write: {path: /sys/reset, value: $(devnode)}}]\n";

inline std::string dra_name(const std::string& unit) { return dra::device_name(kUart, unit); }

/// A ResourceClaim lab/NAME with the uid NAME, allocated to devices of the requests r0, r1, ….
inline Json allocated(const std::string& name, const std::vector<std::string>& units,
                      bool admin = false) {
  Json results = Json::array();
  for (const std::string& unit : units) {
    results.push_back({{"request", "r" + std::to_string(results.size())},
                       {"driver", kLabDriver},
                       {"pool", "node-1"},
                       {"device", dra_name(unit)},
                       {"adminAccess", admin}});
  }
  return {{"metadata", {{"name", name}, {"namespace", "lab"}, {"uid", name}}},
          {"status",
           {{"allocation", {{"devices", {{"results", std::move(results)}}}}},
            {"reservedFor",
             Json::array({{{"resource", "pods"}, {"name", "pod"}, {"uid", "pod-uid"}}})}}}};
}

/// A node with serial adapters. Files are real, and the test ends steps and requests.
class ClaimPreparerTest : public testing::Test {
 protected:
  ClaimPreparerTest() {
    plug({{"ttyA", "S1"}, {"ttyB", "S2"}});
    boot("boot-1");
  }

  /// The adapters now: device name and serial number.
  void plug(const std::vector<std::pair<std::string, std::string>>& adapters) {
    inventory::Inventory inventory(plan_);
    for (const auto& [name, serial] : adapters) {
      DeviceFacts facts = inventory::serial(name, serial);
      facts.key = sys_ + name;
      inventory.apply(inventory::shared(facts));
    }
    lists_ = inventory::snapshots(inventory.resolve(inventory::kStart));
  }
  void plug_and_follow(const std::vector<std::pair<std::string, std::string>>& adapters) {
    plug(adapters);
    preparer_->follow(kUart);
    loop_.run_ready();
  }
  /// Starts the daemon, in the boot with this id.
  void boot(const std::string& id) {
    preparer_.emplace(
        loop_, work_, steps_,
        ClaimPreparer::Options{.pool = "node-1",
                               .directory = claims_,
                               .cdi_directory = cdi_,
                               .boot_id = id,
                               .root = {},
                               .clock = [this] { return now_; }},
        ClaimPreparer::Callbacks{
            .find_device = [this](const std::string& /*driver*/,
                                  const std::string& name) { return find(name); },
            .lists = [this] { return lists_; },
            .is_missing = [this](const std::string& /*resource*/) { return is_missing_; },
            .get_claim = [this](const ResourceClaimName& claim,
                                KubeClient::GotClaim got) { gets_[claim.uid] = std::move(got); },
            .changed = [] {}});
    bool is_loaded = false;
    preparer_->load([&](const Result<void>& loaded) { is_loaded = loaded.has_value(); });
    loop_.run_ready();
    ASSERT_TRUE(is_loaded);
    preparer_->set_served({kLabDriver});
  }
  Result<ClaimUnit> find(std::string_view name) {
    for (const auto& list : lists_) {
      for (const inventory::Unit& unit : list->units) {
        if (dra_name(unit.id) == name) return ClaimUnit{list, &unit};
      }
    }
    return fail("device " + std::string(name) + ": unknown");
  }

  using Answer = std::shared_ptr<std::string>;  ///< "" until the call is done.
  static ClaimPreparer::Done to(const Answer& answer) {
    return [answer](const ClaimOutcome& outcome) {
      EXPECT_EQ(*answer, "") << "answered twice";
      *answer = outcome ? "ok" : outcome.error().message;
      if (!outcome) return;
      for (const PreparedDevice& prepared : *outcome) {
        *answer += ' ' + prepared.requests.at(0) + ':' + prepared.pool + '/' + prepared.device;
        for (const std::string& id : prepared.cdi_ids) *answer += ' ' + id;
      }
    };
  }
  static ResourceClaimName named(const std::string& uid) {
    return {.driver = kLabDriver, .uid = uid, .namespace_name = "lab", .name = uid};
  }
  /// Begins a Prepare. Without a record it asks for the ResourceClaim.
  Answer begin(const std::string& uid) {
    const auto answer = std::make_shared<std::string>();
    preparer_->prepare(named(uid), to(answer));
    loop_.run_ready();
    return answer;
  }
  /// Answers the request of a ResourceClaim.
  void got(const std::string& uid, Result<Json> claim) {
    const auto get = gets_.extract(uid);
    ASSERT_TRUE(get) << "no request";
    get.mapped()(std::move(claim));
    loop_.run_ready();
  }
  void end_steps(Result<void> result = {}) {
    steps_.end(std::move(result));
    loop_.run_ready();
  }
  /// Prepares a new ResourceClaim with these units up to its steps.
  Answer begin_steps(const std::string& uid, const std::vector<std::string>& units) {
    auto answer = begin(uid);
    got(uid, allocated(uid, units));
    EXPECT_TRUE(steps_.running()) << *answer;
    return answer;
  }
  void prepare(const std::string& uid, const std::vector<std::string>& units) {
    const auto answer = begin_steps(uid, units);
    end_steps();
    EXPECT_TRUE(answer->starts_with("ok ")) << *answer;
    EXPECT_FALSE(steps_.take_started().empty());
  }
  Answer begin_unprepare(const std::string& uid) {
    auto answer = std::make_shared<std::string>();
    preparer_->unprepare(named(uid), to(answer));
    loop_.run_ready();
    return answer;
  }
  std::string unprepare(const std::string& uid) { return *begin_unprepare(uid); }

  [[nodiscard]] std::string record_path(const std::string& uid) const {
    return claims_ + '/' + uid + ".json";
  }
  [[nodiscard]] std::string spec_path(const std::string& uid) const {
    return cdi_ + '/' + claim_spec_name(uid);
  }
  /// The record on the disk: "PHASE BOOT NODE UART", or "none".
  [[nodiscard]] std::string record(const std::string& uid) const {
    if (!std::filesystem::exists(record_path(uid))) return "none";
    const auto read = read_claim_record(fake::read_text(record_path(uid)));
    if (!read) return read.error().message;
    return std::string(word_of(read->phase)) + ' ' + read->boot_id + ' ' +
           read->devices.at(0).nodes.at(0).host_path + ' ' + read->envs.at("r0").at("UART");
  }
  /// The CDI spec on the disk: "NODE ENV", or "none".
  [[nodiscard]] std::string spec(const std::string& uid) const {
    if (!std::filesystem::exists(spec_path(uid))) return "none";
    const Json devices = Json::parse(fake::read_text(spec_path(uid))).at("devices");
    const Json& node = devices.at(0).at("containerEdits").at("deviceNodes").at(0);
    return node.at("path").get<std::string>() + ' ' +
           devices.at(1).at("containerEdits").at("env").at(0).get<std::string>();
  }
  /// The names of the devices of all ResourceClaims.
  [[nodiscard]] std::vector<std::string> devices() const {
    std::vector<std::string> names;
    for (const RecordedDevice* device : preparer_->devices(kLabDriver)) {
      names.push_back(device->published.at("name").get<std::string>());
    }
    return names;
  }

  fake::TempDir dir_;
  const std::string claims_ = dir_ / "claims";
  const std::string cdi_ = dir_ / "cdi";
  fake::ManualLoop loop_;
  fake::ManualWork work_{loop_};
  ScriptedSteps steps_;
  rules::PlanPtr plan_ = inventory::plan_of(kConfiguration);
  std::vector<inventory::SnapshotPtr> lists_;
  std::map<std::string, KubeClient::GotClaim> gets_;
  std::string sys_ = "/sys/devices/usb/";  ///< The devices are here.
  bool is_missing_ = false;                ///< The lists are not known yet.
  std::chrono::system_clock::time_point now_{std::chrono::hours(1)};
  std::optional<ClaimPreparer> preparer_;
};

}  // namespace patchbay::driver
