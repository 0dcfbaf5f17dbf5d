// Tests devices that are allocated to Pods while edits and events change their resource or id.
#include "daemon/former_units.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/log.h"
#include "inventory/inventory_fixture.h"
#include "rules/plan/plan.h"

namespace patchbay::daemon {
namespace {

using inventory::minutes;
using inventory::seconds;
using inventory::serial;
using inventory::shared;
using inventory::Strings;

/// A resource with all serial adapters and the further keys `more`.
std::string adapters(const std::string& name, const std::string& more) {
  return "  - {name: a.io/" + name + ", linger: 5m, match: {subsystem: tty}, " + more + "}\n";
}
const std::string kByName = "id: $(name)";
const std::string kBySerial = "id: $(property.SERIAL)";

std::string key(const std::string& name) { return serial(name, "").key; }

class FormerUnitsTest : public testing::Test {
 protected:
  FormerUnitsTest() {
    plug(serial("tty0", "A"));
    plug(serial("tty1", "B"));
  }

  void plug(const DeviceFacts& facts) {
    devices_[facts.key] = shared(facts);
    if (inventory_) inventory_->apply(devices_[facts.key]);
  }
  void unplug(const std::string& name) {
    devices_.erase(key(name));
    inventory_->remove(key(name));
  }
  /// Makes the configuration active.
  void edit(const std::string& resources) {
    auto plan = inventory::plan_of(resources);
    if (inventory_) plan = rules::reuse_unchanged(plan, *inventory_->plan());
    auto next = std::make_unique<inventory::Inventory>(plan, inventory_.get());
    for (const auto& [name, facts] : devices_) next->apply(facts);
    if (inventory_) next->inherit(*inventory_);
    inventory_ = std::move(next);
  }

  void allocate(const std::string& resource, const std::string& id) {
    assignments_["a.io/" + resource][id].allocated = now_;
  }
  void start(const std::string& resource, const std::string& id, const std::string& pod) {
    assignments_["a.io/" + resource][id].assignments.push_back(
        {.container = std::make_shared<const status::Container>(
             status::Container{.pod_namespace = "lab", .pod = pod, .name = "c"}),
         .since = now_});
  }
  void end(const std::string& resource, const std::string& id) {
    assignments_["a.io/" + resource].erase(id);
  }

  /// The units of all resources as "resource id"; if unhealthy, "resource id: reason".
  Strings units() {
    former_.update(inventory_->plan(), inventory_->offer(), known_ ? &assignments_ : nullptr, now_);
    inventory::Healths healths(inventory_->plan()->resources.size());
    former_.withhold(healths);
    inventory_->set_held(former_.held());
    const auto& resolution = inventory_->make_snapshots(now_, healths);
    Strings all;
    for (size_t i = 0; i < resolution.resources.size(); ++i) {
      const std::string resource = resolution.resources[i].name().substr(5);
      for (const std::string& unit : inventory::units(resolution, i)) {
        all.push_back(resource + " " + unit);
      }
    }
    return all;
  }

  std::map<std::string, DeviceFactsPtr> devices_;
  status::AssignmentsByResource assignments_;
  bool known_ = true;  ///< The kubelet has reported assignments_.
  std::unique_ptr<inventory::Inventory> inventory_;
  FormerUnits former_;
  FormerUnits::Time now_ = inventory::kStart;
};

TEST_F(FormerUnitsTest, RenamedResourceWithholdsTheDeviceUntilThePodEnds) {
  edit(adapters("old", kByName));
  EXPECT_EQ(units(), (Strings{"old tty0", "old tty1"}));
  start("old", "tty0", "p");
  edit(adapters("new", kByName));
  const Strings withheld{"new tty0: allocated to Pod lab/p as 'tty0' of a.io/old", "new tty1"};
  EXPECT_EQ(units(), withheld);
  now_ += minutes(60);
  EXPECT_EQ(units(), withheld) << "longer than linger";
  end("old", "tty0");
  EXPECT_EQ(units(), (Strings{"new tty0", "new tty1"}));
  EXPECT_TRUE(former_.held().empty());
}

TEST_F(FormerUnitsTest, DeviceStaysWithheldOverSeveralEdits) {
  edit(adapters("old", kByName));
  units();
  start("old", "tty0", "p");
  edit("  - {name: a.io/none, match: {subsystem: net}}\n");
  EXPECT_EQ(units(), Strings{});
  edit(adapters("new", kByName));
  EXPECT_EQ(units(),
            (Strings{"new tty0: allocated to Pod lab/p as 'tty0' of a.io/old", "new tty1"}));
  edit(adapters("old", kByName));
  EXPECT_EQ(units(), (Strings{"old tty0", "old tty1"})) << "the kubelet knows that tty0 is in use";
}

TEST_F(FormerUnitsTest, ChangedIdWithholdsDeviceAndKeepsOldIdListed) {
  edit(adapters("x", kByName));
  units();
  start("x", "tty0", "p");
  edit(adapters("x", kBySerial));
  const std::string held = "x A: allocated to Pod lab/p as 'tty0' of a.io/x";
  const std::string old = ": the device belongs to another unit now";
  EXPECT_EQ(units(), (Strings{held, "x B", "x tty0" + old, "x tty1" + old}));
  now_ += minutes(6);
  EXPECT_EQ(units(), (Strings{held, "x B", "x tty0" + old}));
  EXPECT_EQ(inventory_->last().next_change, std::nullopt);
  end("x", "tty0");
  EXPECT_EQ(units(), (Strings{"x A", "x B"}));
}

TEST_F(FormerUnitsTest, WithholdsDeviceOfPodAfterEditSwapsIds) {
  plug(serial("tty0", "tty1"));
  plug(serial("tty1", "tty0"));
  edit(adapters("x", kByName));
  units();
  start("x", "tty0", "p");
  edit(adapters("x", kBySerial));
  EXPECT_EQ(units(), (Strings{"x tty0", "x tty1: allocated to Pod lab/p as 'tty0' of a.io/x"}));
}

TEST_F(FormerUnitsTest, DeviceThatMovesToAnotherResourceByAnEventIsWithheld) {
  const std::string resources =
      "  - {name: a.io/a, match: {subsystem: tty, property: {SERIAL: A*}}, id: $(name)}\n" +
      adapters("rest", kByName);
  edit(resources);
  EXPECT_EQ(units(), (Strings{"a tty0", "rest tty1"}));
  start("a", "tty0", "p");
  plug(serial("tty0", "C"));
  EXPECT_EQ(units(),
            (Strings{"rest tty0: allocated to Pod lab/p as 'tty0' of a.io/a", "rest tty1"}));
}

TEST_F(FormerUnitsTest, NewDeviceAtOldNumberOfRepluggedUnitIsWithheld) {
  edit(adapters("x", kBySerial));
  units();
  start("x", "A", "p");
  unplug("tty0");
  EXPECT_EQ(units(), (Strings{"x A: the device is gone", "x B"}));
  plug(serial("tty7", "A"));
  EXPECT_EQ(units(), (Strings{"x A", "x B"}));
  plug(serial("tty0", "C"));
  const std::string withheld = "x C: allocated to Pod lab/p as 'A' of a.io/x";
  EXPECT_EQ(units(), (Strings{"x A", "x B", withheld})) << "the container can open the node";
  unplug("tty7");
  plug(serial("tty8", "A"));
  plug(serial("tty7", "D"));
  EXPECT_EQ(units(),
            (Strings{"x A", "x B", withheld, "x D: allocated to Pod lab/p as 'A' of a.io/x"}))
      << "two former devices of one name";
  end("x", "A");
  EXPECT_EQ(units(), (Strings{"x A", "x B", "x C", "x D"}));
}

TEST_F(FormerUnitsTest, ReplugWithSameDeviceNumberWithholdsNothing) {
  edit(adapters("x", kBySerial));
  units();
  start("x", "A", "p");
  unplug("tty0");
  units();
  EXPECT_FALSE(former_.held().empty());
  plug(serial("tty0", "A"));
  EXPECT_EQ(units(), (Strings{"x A", "x B"}));
  EXPECT_TRUE(former_.empty());
}

TEST_F(FormerUnitsTest, DeviceIsReleasedWhenOnlyLaterPodUsesUnit) {
  edit(adapters("x", kBySerial));
  units();
  start("x", "A", "p");
  unplug("tty0");
  units();
  plug(serial("tty7", "A"));
  plug(serial("tty0", "C"));
  const Strings withheld{"x A", "x B", "x C: allocated to Pod lab/p as 'A' of a.io/x"};
  EXPECT_EQ(units(), withheld);
  now_ += FormerUnits::kForgetTime + seconds(1);
  start("x", "A", "q");
  EXPECT_EQ(units(), withheld);
  end("x", "A");
  start("x", "A", "q");
  EXPECT_EQ(units(), (Strings{"x A", "x B", "x C"}));
}

TEST_F(FormerUnitsTest, UnpluggedUnitStaysListedUntilPodEnds) {
  edit(adapters("x", kBySerial));
  units();
  start("x", "A", "p");
  unplug("tty0");
  unplug("tty1");
  EXPECT_EQ(units(), (Strings{"x A: the device is gone", "x B: the device is gone"}));
  now_ += minutes(5);
  EXPECT_EQ(units(), Strings{"x A: the device is gone"});
  // The new device gets the number of the old node, so the container can open it.
  plug(serial("tty0", "C"));
  EXPECT_EQ(units(), (Strings{"x A: the device belongs to another unit now",
                              "x C: allocated to Pod lab/p as 'A' of a.io/x"}));
  end("x", "A");
  EXPECT_EQ(units(), Strings{"x C"});
}

TEST_F(FormerUnitsTest, DevicesOfSharedClaimsAreNotWithheld) {
  const std::string shared_claims = ", claim: shared";
  edit(adapters("old", kByName + shared_claims));
  units();
  start("old", "tty0", "p");
  edit(adapters("new", kByName));
  EXPECT_EQ(units(), (Strings{"new tty0", "new tty1"}));
  start("new", "tty1", "q");
  edit(adapters("newer", kByName + shared_claims));
  EXPECT_EQ(units(), (Strings{"newer tty0", "newer tty1"}));
}

TEST_F(FormerUnitsTest, AllocatedShareWithholdsWholeUnit) {
  edit(adapters("old", kByName + ", share: {count: 2}"));
  units();
  start("old", "tty0::1", "p");
  edit(adapters("new", kByName + ", share: {count: 2}"));
  EXPECT_EQ(units(),
            (Strings{"new tty0: allocated to Pod lab/p as 'tty0' of a.io/old", "new tty1"}));
}

TEST_F(FormerUnitsTest, UnitIsWithheldWhenEditRemovesIdInUse) {
  const auto share = [](int count) {
    return kByName + (count > 0 ? fmt::format(", share: {{count: {}}}", count) : "");
  };
  struct Case {
    int before;
    std::string in_use;
    int after;
    bool withheld;
  };
  for (const auto& [before, in_use, after, withheld] :
       {Case{2, "tty0::1", 0, true}, Case{0, "tty0", 2, true}, Case{4, "tty0::3", 2, true},
        Case{4, "tty0::1", 2, false}, Case{2, "tty0::1", 4, false}, Case{2, "tty0::1", 2, false}}) {
    edit(adapters("x", share(before)));
    units();
    start("x", in_use, "p");
    edit(adapters("x", share(after)));
    const std::string reason =
        withheld ? ": allocated to Pod lab/p as 'tty0' of a.io/x" : std::string();
    EXPECT_THAT(units(), testing::IsSupersetOf({"x tty0" + reason, std::string("x tty1")}))
        << before << " to " << after;
    end("x", in_use);
    EXPECT_THAT(units(), testing::IsSupersetOf({"x tty0", "x tty1"})) << before << " to " << after;
  }
}

TEST_F(FormerUnitsTest, KeepsFormerUnitsWhileAssignmentsAreUnknown) {
  edit(adapters("old", kByName));
  units();
  edit(adapters("new", kByName));
  known_ = false;
  units();
  now_ += minutes(60);
  EXPECT_EQ(units(), (Strings{"new tty0", "new tty1"}));
  EXPECT_EQ(former_.resources(), (std::set<std::string, std::less<>>{"a.io/old"}));
  known_ = true;
  start("old", "tty0", "p");
  EXPECT_EQ(units(),
            (Strings{"new tty0: allocated to Pod lab/p as 'tty0' of a.io/old", "new tty1"}));
}

TEST_F(FormerUnitsTest, LogsNewlyWithheldUnitsOfResourceOnce) {
  edit(adapters("old", kByName));
  for (const char* name : {"tty2", "tty3"}) plug(serial(name, name));
  units();
  for (const char* name : {"tty0", "tty1", "tty2", "tty3"}) start("old", name, "p");
  edit(adapters("new", kByName));
  log::configure(log::Level::info, log::Format::text);
  const auto take_log = [this] {
    testing::internal::CaptureStderr();
    units();
    const std::string line = testing::internal::GetCapturedStderr();
    return line.substr(std::min(line.find("unit is"), line.size()));
  };
  EXPECT_EQ(take_log(),
            "unit is withheld: a Pod or ResourceClaim has its device resource=a.io/new "
            "unit=tty0,tty1,tty2 units=4\n");
  EXPECT_EQ(take_log(), "") << "they are known";
  log::configure(log::Level::warning, log::Format::text);
}

TEST_F(FormerUnitsTest, AllocateFromOldListWithholdsDevice) {
  edit(adapters("old", kByName));
  units();
  edit(adapters("new", kByName));
  EXPECT_EQ(units(), (Strings{"new tty0", "new tty1"}));
  now_ += seconds(60);
  allocate("old", "tty1");
  EXPECT_EQ(units(), (Strings{"new tty0", "new tty1: allocated to a Pod as 'tty1' of a.io/old"}));
}

TEST_F(FormerUnitsTest, ForgetsFormerUnitsThatNoPodUses) {
  edit(adapters("old", kByName));
  units();
  edit(adapters("new", kByName));
  units();
  EXPECT_FALSE(former_.empty());
  now_ += FormerUnits::kForgetTime + seconds(1);
  units();
  EXPECT_TRUE(former_.empty());
}

}  // namespace
}  // namespace patchbay::daemon
