// Tests the values and steps of each unit for the start of a container.
#include "inventory/assemble.h"
#include "inventory/inventory_fixture.h"
#include "inventory/unit_checks.h"

namespace patchbay::inventory {
namespace {

std::string text_of(const Edit& edit) {
  struct Visitor {
    std::string operator()(const AllocatedDevice& device) const { return device.container_path; }
    std::string operator()(const AllocatedMount& mount) const { return mount.container_path; }
    std::string operator()(const NamedValue& value) const { return value.name + "=" + value.value; }
    std::string operator()(const CdiName& cdi) const { return cdi.name; }
  };
  return edit.unit->id + ": " + std::visit(Visitor{}, edit.what) +
         (edit.cdi_device.empty() ? "" : " by " + edit.cdi_device);
}

/// For a resource with the adapters A and B.
class ContainerStartTest : public testing::Test {
 protected:
  const Snapshot& resolve(const std::string& keys) {
    inventory_.emplace(
        plan_of("  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(name)\n" + keys));
    for (const std::string name : {"A", "B"}) inventory_->apply(shared(serial(name, name)));
    return *inventory_->resolve(kStart).resources.at(0).snapshot;
  }
  static Strings edits(const Snapshot& snapshot, Injection injection = Injection::answer) {
    std::vector<Grant> grants;
    for (const Unit& unit : snapshot.units) grants.push_back({&unit, {}});
    const auto edits = assemble(
        *snapshot.resource, grants, [](const std::string&, bool) { return true; }, injection);
    if (!edits) return {edits.error().message};
    Strings texts;
    for (const Edit& edit : *edits) texts.push_back(text_of(edit));
    return texts;
  }
  static Strings steps(const Snapshot& snapshot, const Strings& ids) {
    const auto steps = steps_of(snapshot, ids);
    if (!steps) return {steps.error().message};
    Strings texts;
    for (const auto& [unit, of_unit] : *steps) {
      for (const Step& step : of_unit) {
        texts.push_back(unit.first + " " + unit.second + ": " + step.path);
      }
    }
    return texts;
  }

  std::optional<Inventory> inventory_;
};

TEST_F(ContainerStartTest, EachEditHasItsUnit) {
  const Snapshot& snapshot = resolve(
      "    devices: [$(devnode)]\n    mounts: [{hostPath: /opt/lab}]\n    cdi: [v.io/x=$(name)]\n"
      "    envs: {UART: $(name), LAB: one, \"U_$(slot)\": $(id)}\n"
      "    annotations: {a.io/unit: $(id)}\n");
  EXPECT_EQ(edits(snapshot),
            (Strings{"A: /dev/A", "B: /dev/B", "A: /opt/lab", "A: LAB=one", "A: UART=A",
                     "B: UART=B", "A: U_0=A", "B: U_1=B", "A: a.io/unit=A", "B: a.io/unit=B",
                     "A: v.io/x=A", "B: v.io/x=B"}));
}

TEST_F(ContainerStartTest, EditsInCdiSpecNameCdiDeviceOfTheirUnit) {
  const Snapshot& snapshot = resolve(
      "    cdi: write\n    devices: [$(devnode), {hostPath: /dev/x, optional: true}]\n"
      "    envs: {UART: $(name)}\n");
  EXPECT_EQ(edits(snapshot), (Strings{"A: /dev/A by a.io/uart=A", "B: /dev/B by a.io/uart=B",
                                      "A: /dev/x", "A: UART=A", "B: UART=B"}));
  EXPECT_EQ(edits(snapshot, Injection::spec), (Strings{"A: /dev/A", "B: /dev/B"}));
}

TEST_F(ContainerStartTest, EachUnitHasItsStepsOnce) {
  const Snapshot& snapshot = resolve(
      "    share: {count: 2}\n    preStart: [{wait: {path: /x/$(id)}}, {wait: {path: /y}}]\n");
  EXPECT_EQ(
      steps(snapshot, {"B::1", "A::0", "A::1", "none"}),
      (Strings{"a.io/uart A: /x/A", "a.io/uart A: /y", "a.io/uart B: /x/B", "a.io/uart B: /y"}));
}

/// The steps at the end of a ResourceClaim are no steps of a start.
TEST_F(ContainerStartTest, ReleaseIsAListOfItsOwn) {
  inventory_.emplace(dra_plan_of(
      "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(name)\n    serve: dra\n"
      "    release: [{wait: {path: /x/$(id)}}, {exec: [/hooks/off, $(property.SERIAL)]}]\n"));
  inventory_->apply(shared(serial("A", "S1")));
  inventory_->apply(shared(serial("B", "")));
  const Resolution resolution = inventory_->resolve(kStart);
  const Snapshot& snapshot = *resolution.resources.at(0).snapshot;
  ASSERT_EQ(snapshot.units.size(), 1U);
  EXPECT_EQ(steps(snapshot, {"A"}), Strings{});
  const auto release =
      steps_of(*snapshot.resource, snapshot.units.front(), &rules::GroupPlan::release);
  ASSERT_TRUE(release) << release.error().message;
  ASSERT_EQ(release->size(), 2U);
  EXPECT_EQ(release->at(0).path, "/x/A");
  EXPECT_EQ(release->at(1).arguments, (Strings{"/hooks/off", "S1"}));
  EXPECT_EQ(refusals(resolution),
            (Strings{"0 /sys/devices/usb/B [B]: release: '$(property.SERIAL)' needs "
                     "$(property.SERIAL), which the device does not have"}));
}

TEST_F(ContainerStartTest, UnitsWithoutStepsAreOmitted) {
  const auto steps = steps_of(resolve(""), Strings{"A"});
  ASSERT_TRUE(steps) << steps.error().message;
  EXPECT_TRUE(steps->empty());
}

}  // namespace
}  // namespace patchbay::inventory
