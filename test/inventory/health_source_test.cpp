#include "inventory/health_source.h"

#include <map>

#include "inventory/bench.h"

namespace patchbay::inventory {
namespace {

const std::string kSerials =
    "  - name: a.io/serial\n    linger: 5m\n    match: {subsystem: tty}\n"
    "    id: $(property.SERIAL)\n";

/// Says what it is told to say.
class ScriptedHealth final : public HealthSource {
 public:
  Healths rate(const rules::PlanPtr& /*plan*/, const std::vector<MadeUnitsPtr>& offered,
               Inventory::Time /*now*/) override {
    rated.clear();
    Healths healths(1);
    for (const MadeUnitPtr& unit : *offered.at(0)) {
      rated.push_back(unit->id);
      const auto bad = reasons.find(unit->id);
      healths[0].push_back(bad == reasons.end() ? Health{} : Health{false, bad->second});
    }
    return healths;
  }
  std::map<std::string, std::string> reasons;
  Strings rated;
};

class HealthOfUnits : public testing::Test {
 protected:
  HealthOfUnits() : inventory_(plan_of(kSerials)) {
    inventory_.apply(shared(serial("ttyUSB0", "A")));
    inventory_.apply(shared(serial("ttyUSB1", "B")));
    resolve(kStart);
  }
  const Resolution& resolve(Inventory::Time now) { return inventory_.resolve(now, &health_); }
  const Unit& unit(const std::string& id) { return *inventory_.last().snapshots.at(0)->find(id); }

  ScriptedHealth health_;
  Inventory inventory_;
};

TEST_F(HealthOfUnits, IsWhatTheSourceSays) {
  health_.reasons["B"] = "no answer";
  EXPECT_EQ(units(resolve(kStart + seconds(1))), (Strings{"A", "B: no answer"}));
  EXPECT_EQ(unit("A").since, kStart);
  EXPECT_EQ(unit("B").since, kStart + seconds(1));
  const auto before = inventory_.last().snapshots.at(0);
  EXPECT_EQ(resolve(kStart + seconds(2)).snapshots.at(0), before);
  health_.reasons.clear();
  EXPECT_EQ(units(resolve(kStart + seconds(3))), (Strings{"A", "B"}));
  EXPECT_EQ(unit("B").since, kStart + seconds(3));
  EXPECT_EQ(unit("B").last_reason, "no answer");
  EXPECT_EQ(unit("A").last_reason, "");
}

TEST_F(HealthOfUnits, CountsFromTheChangeNotFromTheReason) {
  health_.reasons["A"] = "no answer";
  resolve(kStart + seconds(1));
  health_.reasons["A"] = "no such path";
  EXPECT_EQ(units(resolve(kStart + seconds(2))), (Strings{"A: no such path", "B"}));
  EXPECT_EQ(unit("A").since, kStart + seconds(1));
}

TEST_F(HealthOfUnits, IsNotAskedOfThoseThatAreLost) {
  health_.reasons["A"] = "no answer";
  resolve(kStart + seconds(1));
  inventory_.remove("/sys/devices/usb/ttyUSB0");
  EXPECT_EQ(units(resolve(kStart + seconds(2))), (Strings{"A: the device is gone", "B"}));
  EXPECT_EQ(health_.rated, Strings{"B"});
  EXPECT_EQ(unit("A").since, kStart + seconds(1));
  health_.reasons.clear();
  inventory_.apply(shared(serial("ttyUSB7", "A")));
  resolve(kStart + seconds(3));
  EXPECT_EQ(unit("A").last_reason, "the device is gone");
}

TEST_F(HealthOfUnits, IsRememberedByTheNextInventory) {
  health_.reasons["A"] = "no answer";
  resolve(kStart + seconds(1));
  health_.reasons.clear();
  resolve(kStart + seconds(2));
  Inventory next(plan_of(kSerials), inventory_);
  next.apply(shared(serial("ttyUSB0", "A")));
  const Unit after = *next.resolve(kStart + seconds(9), &health_).snapshots.at(0)->find("A");
  EXPECT_EQ(after.since, kStart + seconds(2));
  EXPECT_EQ(after.last_reason, "no answer");
}

}  // namespace
}  // namespace patchbay::inventory
