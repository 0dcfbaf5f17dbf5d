// Kills the daemon at random moments of Prepare, steps and Unprepare.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/call_queue.h"
#include "driver/claim_preparer_fixture.h"
#include "driver/pool.h"

namespace patchbay::driver {
namespace {

/// Runs work on the test's loop, until the process is killed.
class KillableWork final : public loop::BlockingWork {
 public:
  explicit KillableWork(fake::ManualLoop& loop) : loop_(loop) {}

  loop::Subscription run(std::string /*name*/, loop::Milliseconds /*timeout*/, loop::Task blocking,
                         Done done) override {
    const auto wanted = std::make_shared<bool>(true);
    loop_.post([this, wanted, blocking = std::move(blocking), done = std::move(done)]() mutable {
      if (!*wanted || left == 0) return;
      --left;
      blocking();
      if (*wanted && left > 0) done(loop::WorkOutcome::done);
    });
    return loop::Subscription([wanted] { *wanted = false; });
  }

  size_t left = 0;  ///< The process is killed after this many pieces of work.

 private:
  fake::ManualLoop& loop_;
};

/// Steps that end when the test wants.
class OpenSteps final : public steps::StepRunner {
 public:
  loop::Subscription run(std::vector<Step> /*steps*/, loop::Milliseconds /*budget*/,
                         Done done) override {
    const size_t number = next_++;
    running_[number] = std::move(done);
    return loop::Subscription([this, number] { running_.erase(number); });
  }
  void end_first(Result<void> result) {
    if (!running_.empty()) running_.extract(running_.begin()).mapped()(std::move(result));
  }
  void clear() { running_.clear(); }
  [[nodiscard]] bool any() const { return !running_.empty(); }

 private:
  size_t next_ = 0;
  std::map<size_t, Done> running_;
};

/// A node, its kubelet, and the API server. A ResourceClaim has the uid, and its device.
class ClaimSimulation {
 public:
  explicit ClaimSimulation(unsigned seed) : random_(seed) {
    auto plan = std::make_shared<rules::Plan>(*inventory::plan_of(kConfiguration));
    auto resource = std::make_shared<rules::ResourcePlan>(*plan->resources.at(0));
    resource->groups[0].release = resource->groups[0].pre_start;
    resource->release_timeout = std::chrono::minutes(5);
    plan->resources = {resource};
    plan_ = plan;
    for (const std::string& unit : kUnits) {
      dir_.write("usb/tty" + unit, "");
      plugged_.insert(unit);
    }
    start();
  }

  /// One random event. Returns a text that names the defect, or "".
  std::string step() {
    switch (below(9)) {
      case 0:
        allocate();
        break;
      case 1:
      case 2:
        call(CallKind::prepare);
        break;
      case 3:
        answer_get();
        break;
      case 4:
        steps_.end_first(below(4) == 0 ? Result<void>(fail("broken")) : Result<void>());
        break;
      case 5:
        call(CallKind::unprepare);
        break;
      case 6:
        replug();
        break;
      case 7:
        // Some more pieces of work are done before the kill.
        work_.left = below(4);
        break;
      default:
        loop_.advance(std::chrono::seconds(below(90)));
    }
    run();
    return defect();
  }

  /// The kubelet repeats its calls until each has succeeded. Returns the defect, or "".
  std::string settle() {
    for (const std::string& unit : kUnits) {
      if (!plugged_.contains(unit)) plug(unit, true);
    }
    for (int round = 0; round < 3; ++round) {
      for (const auto& [uid, claim] : std::map(claims_)) {
        add(uid, claim.ended ? CallKind::unprepare : CallKind::prepare);
        finish();
      }
      loop_.advance(std::chrono::seconds(60));
      finish();
    }
    loop_.advance(Pool::kPeriod);
    run();
    std::set<std::string> live;
    for (const auto& [uid, claim] : claims_) {
      if (!claim.prepared) return uid + " is not prepared: " + errors_.at(uid);
      live.insert(uid);
    }
    if (files_in("claims", ".json") != live) return "the records differ from the ResourceClaims";
    std::set<std::string> specs;
    for (const std::string& uid : live) specs.insert(claim_spec_name(uid));
    if (files_in("cdi", "") != specs) return "the CDI specs differ from the records";
    std::set<std::string> names;
    for (const std::string& unit : kUnits) names.insert(dra_name(unit));
    return names_in(stored_) == names ? "" : "the slices lack a device";
  }

 private:
  struct Claim {
    std::string unit;
    bool prepared = false;  ///< The kubelet has the answer.
    bool ended = false;     ///< Its Pod was deleted.
  };
  static inline const std::vector<std::string> kUnits{"A", "B", "C"};

  void start() {
    loop_.run_ready();
    queue_.reset();
    pool_.reset();
    preparer_.reset();
    steps_.clear();
    gets_.clear();
    work_.left = 1'000'000;
    preparer_.emplace(
        loop_, work_, steps_,
        ClaimPreparer::Options{.pool = "node-1",
                               .directory = dir_ / "claims",
                               .cdi_directory = dir_ / "cdi",
                               .boot_id = "boot-1",
                               .root = {},
                               .clock =
                                   [this] {
                                     return std::chrono::system_clock::time_point(
                                         std::chrono::hours(1) + loop_.now().time_since_epoch());
                                   }},
        ClaimPreparer::Callbacks{
            .find_device = [this](const std::string&,
                                  const std::string& name) -> Result<ClaimUnit> {
              if (auto unit = pool_->find(name)) return *std::move(unit);
              return fail("no device " + name);
            },
            .lists = [this] { return std::vector{list_}; },
            .is_missing = [](const std::string&) { return false; },
            .get_claim = [this](const ResourceClaimName& claim,
                                KubeClient::GotClaim got) { gets_[claim.uid] = std::move(got); },
            .changed =
                [this] {
                  if (pool_) pool_->claims_changed();
                }});
    preparer_->load([](const Result<void>& /*loaded*/) {});
    loop_.run_ready();
    preparer_->set_served({kLabDriver});
    pool_.emplace(loop_,
                  Pool::Callbacks{.publish =
                                      [this](PoolSlices slices) {
                                        stored_ = std::move(slices);
                                        return ++number_;
                                      },
                                  .acknowledged = [] {},
                                  .prepared = [this] { return preparer_->devices(kLabDriver); }});
    pool_->set_plan(plan_);
    queue_.emplace(*preparer_, [](const std::string&) {});
    list();
  }

  /// Runs all that is ready, and starts the daemon again if it was killed.
  void run() {
    loop_.run_ready();
    if (work_.left == 0) start();
  }
  /// Ends all that runs, with success.
  void finish() {
    run();
    while (!gets_.empty() || steps_.any()) {
      if (!gets_.empty()) answer_get();
      steps_.end_first({});
      run();
    }
  }

  void list() {
    inventory::Inventory inventory(plan_);
    for (const std::string& unit : plugged_) {
      DeviceFacts facts = inventory::serial("tty" + unit, unit);
      facts.key = dir_ / ("usb/tty" + unit);
      inventory.apply(inventory::shared(facts));
    }
    list_ = inventory::snapshots(inventory.resolve(inventory::kStart)).at(0);
    pool_->set(list_);
    preparer_->follow(kUart);
  }
  void plug(const std::string& unit, bool on) {
    const std::string path = dir_ / ("usb/tty" + unit);
    if (on) {
      plugged_.insert(unit);
      dir_.write("usb/tty" + unit, "");
    } else {
      plugged_.erase(unit);
      std::filesystem::remove(path);
    }
    list();
  }
  void replug() {
    const std::string& unit = kUnits[below(kUnits.size())];
    plug(unit, !plugged_.contains(unit));
  }

  /// The scheduler. Sometimes a Pod is deleted by force, so that its device seems to be free.
  void allocate() {
    const std::string& unit = kUnits[below(kUnits.size())];
    for (const auto& [uid, claim] : claims_) {
      if (claim.unit == unit && (!claim.ended || below(4) != 0)) return;
    }
    claims_["c" + std::to_string(++last_)] = {.unit = unit};
  }

  void call(CallKind kind) {
    if (claims_.empty()) return;
    auto at = claims_.begin();
    std::advance(at, below(claims_.size()));
    if (kind == CallKind::unprepare) at->second.ended = true;
    add(at->first, at->second.ended ? CallKind::unprepare : kind);
  }
  void add(const std::string& uid, CallKind kind) {
    const ResourceClaimName name{
        .driver = kLabDriver, .uid = uid, .namespace_name = "lab", .name = uid};
    queue_->add(kind, {name}, [this, uid, kind](const ClaimOutcomes& outcomes) {
      errors_[uid] = outcomes.at(uid) ? "" : outcomes.at(uid).error().message;
      if (!outcomes.at(uid)) return;
      if (kind == CallKind::unprepare) {
        claims_.erase(uid);
      } else if (claims_.contains(uid)) {
        claims_.at(uid).prepared = true;
      }
    });
  }
  void answer_get() {
    if (gets_.empty()) return;
    const auto get = gets_.extract(gets_.begin());
    const auto claim = claims_.find(get.key());
    if (claim == claims_.end() || claim->second.ended) return get.mapped()(fail("not found"));
    get.mapped()(allocated(get.key(), {claim->second.unit}));
  }

  /// Two ResourceClaims of which containers may use one device.
  [[nodiscard]] std::string defect() const {
    std::map<std::string, std::string> users;
    for (const auto& [uid, claim] : claims_) {
      if (!claim.prepared) continue;
      const auto [other, is_new] = users.emplace(claim.unit, uid);
      if (!is_new) return uid + " and " + other->second + " have the device " + claim.unit;
    }
    return {};
  }

  [[nodiscard]] std::set<std::string> files_in(const std::string& directory,
                                               const std::string& suffix) const {
    std::set<std::string> names;
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(dir_ / directory, missing)) {
      const std::string name = file.path().filename();
      names.insert(name.substr(0, name.size() - suffix.size()));
    }
    return names;
  }
  static std::set<std::string> names_in(const PoolSlices& slices) {
    std::set<std::string> names;
    for (const Json& slice : slices) {
      for (const Json& device : slice) names.insert(device.at("name").get<std::string>());
    }
    return names;
  }
  size_t below(size_t limit) { return random_() % limit; }

  std::minstd_rand random_;
  fake::TempDir dir_;
  fake::ManualLoop loop_;
  KillableWork work_{loop_};
  OpenSteps steps_;
  rules::PlanPtr plan_;
  std::set<std::string> plugged_;
  inventory::SnapshotPtr list_;
  PoolSlices stored_;
  int64_t number_ = 0;
  std::map<std::string, KubeClient::GotClaim> gets_;
  std::map<std::string, Claim> claims_;        ///< By uid.
  std::map<std::string, std::string> errors_;  ///< The last answers.
  int last_ = 0;
  std::optional<ClaimPreparer> preparer_;
  std::optional<Pool> pool_;
  std::optional<CallQueue> queue_;
};

TEST(ClaimsProperty, AfterAnyKillsRecordsSpecsAndSlicesMatchTheResourceClaims) {
  // With all seeds, it takes half a minute.
  const char* const seeds = std::getenv("PATCHBAY_CLAIM_SEEDS");
  const int last = seeds == nullptr ? 50 : std::atoi(seeds);
  for (int seed = 1; seed <= last; ++seed) {
    ClaimSimulation simulation(static_cast<unsigned>(seed));
    std::string defect;
    for (int step = 0; step < 60 && defect.empty(); ++step) defect = simulation.step();
    if (defect.empty()) defect = simulation.settle();
    ASSERT_EQ(defect, "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace patchbay::driver
