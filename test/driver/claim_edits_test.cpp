#include "driver/claim_edits.h"

#include <gmock/gmock.h>

#include "dra/device_name.h"
#include "driver/claim_fixture.h"
#include "driver/preparation.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::driver {
namespace {

using inventory::Strings;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool all_exist(const std::string& /*path*/, bool /*device*/) { return true; }

/// A machine with serial adapters, and a ResourceClaim with some of them.
class ClaimEditsTest : public testing::Test {
 protected:
  /// Makes the resource a.io/uart, with these other keys, of adapters with these names.
  void serve(const std::string& keys, const Strings& names = {"A", "B", "C"},
             const std::string& dra = "") {
    serve_all(
        "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(name)\n    serve: dra\n" +
            keys,
        names, dra);
  }
  void serve_all(const std::string& resources, const Strings& names, const std::string& dra = "") {
    inventory_.emplace(inventory::dra_plan_of(resources, dra));
    for (const std::string& name : names) {
      inventory_->apply(inventory::shared(inventory::serial(name, name)));
    }
    snapshots_ = inventory::snapshots(inventory_->resolve(inventory::kStart));
  }
  /// Adds a device of the ResourceClaim.
  RecordedDevice& want(const std::string& request, const std::string& unit,
                       const std::string& resource = "a.io/uart") {
    RecordedDevice device = disk(request, unit);
    device.resource = resource;
    record_.devices.push_back(device);
    return record_.devices.back();
  }
  /// Finds the units and renders the record. Returns the error; empty: none.
  std::string render(const inventory::PathExists& path_exists = all_exist) {
    const auto units = find_claim_units(record_, snapshots_);
    if (!units) return units.error().message;
    const auto rendered = render_claim(record_, *units, path_exists);
    return rendered ? "" : rendered.error().message;
  }
  /// "HOST CONTAINER" of each node of a device.
  [[nodiscard]] Strings nodes(size_t device) const {
    Strings out;
    for (const auto& node : record_.devices.at(device).nodes) {
      out.push_back(node.host_path + ' ' + node.container_path);
    }
    return out;
  }

  std::optional<inventory::Inventory> inventory_;
  std::vector<inventory::SnapshotPtr> snapshots_;
  ClaimRecord record_ = prepared({});
};

TEST_F(ClaimEditsTest, EachDeviceHasItsNodesAndEachRequestItsVariables) {
  serve(
      "    devices: [{hostPath: $(devnode), permissions: r, optional: true}]\n"
      "    mounts: [{hostPath: /srv/$(id), containerPath: /srv, readOnly: false}]\n"
      "    envs: {UART: $(devnode)}\n"
      "    preStart: [{write: {path: /sys/x/$(name), value: 1}}]\n"
      "    release: [{write: {path: /sys/x/$(name), value: 0}}, {exec: [/hooks/wipe, "
      "$(devnode)]}]\n"
      "    cdi: [v.io/x=$(name)]\n");
  want("one", "B");
  record_.phase = ClaimPhase::preparing;
  ASSERT_EQ(render(), "");
  RecordedDevice expected = disk("one", "B");
  expected.resource = "a.io/uart";
  expected.published = {
      {"name", dra::device_name("a.io/uart", "B")},
      {"attributes", {{"id", {{"string", "B"}}}, {"resource", {{"string", "a.io/uart"}}}}}};
  expected.keys = {"/sys/devices/usb/B"};
  expected.nodes = {{.host_path = "/dev/B", .container_path = "/dev/B", .permissions = "r"}};
  expected.mounts = {{.host_path = "/srv/B", .container_path = "/srv", .read_only = false}};
  expected.cdi_names = {"v.io/x=B"};
  expected.steps = {{.kind = Step::Kind::write, .path = "/sys/x/B", .value = "1"}};
  expected.release = {{.kind = Step::Kind::write, .path = "/sys/x/B", .value = "0"},
                      {.kind = Step::Kind::exec, .arguments = {"/hooks/wipe", "/dev/B"}}};
  ClaimRecord whole = prepared({expected});
  whole.phase = ClaimPhase::preparing;
  whole.release_timeout = std::chrono::minutes(5);
  whole.envs = {{"one", {{"UART", "/dev/B"}}}};
  EXPECT_EQ(record_, whole);
}

/// A container can have several requests: their paths must differ.
TEST_F(ClaimEditsTest, SlotsCountOverAllRequests) {
  serve(
      "    devices: [{hostPath: $(devnode), containerPath: /dev/uart$(slot)}]\n"
      "    envs: {UART: $(devnode)}\n");
  want("y", "C");
  want("x", "B");
  want("y", "A");
  ASSERT_EQ(render(), "");
  EXPECT_EQ(nodes(0), Strings{"/dev/C /dev/uart1"});
  EXPECT_EQ(nodes(1), Strings{"/dev/B /dev/uart2"});
  EXPECT_EQ(nodes(2), Strings{"/dev/A /dev/uart0"});
  EXPECT_EQ(record_.envs,
            (EnvsByRequest{{"x", {{"UART", "/dev/B"}}}, {"y", {{"UART", "/dev/A,/dev/C"}}}}));
}

/// Containers can have one request each.
TEST_F(ClaimEditsTest, EachRequestHasTheEntriesThatAreNotPerUnit) {
  serve(
      "    devices: [$(devnode), /dev/fuse]\n    mounts: [{hostPath: /opt}]\n"
      "    envs: {LAB: berlin}\n    cdi: [v.io/x=all]\n");
  want("x", "A");
  want("x", "B");
  want("y", "C");
  ASSERT_EQ(render(), "");
  EXPECT_EQ(nodes(0), (Strings{"/dev/A /dev/A", "/dev/fuse /dev/fuse"}));
  EXPECT_EQ(nodes(1), Strings{"/dev/B /dev/B"});
  EXPECT_EQ(nodes(2), (Strings{"/dev/C /dev/C", "/dev/fuse /dev/fuse"}));
  EXPECT_EQ(record_.devices[0].mounts.size(), 1U);
  EXPECT_EQ(record_.devices[2].mounts.size(), 1U);
  EXPECT_THAT(record_.devices[2].cdi_names, ElementsAre("v.io/x=all"));
  EXPECT_EQ(record_.envs, (EnvsByRequest{{"x", {{"LAB", "berlin"}}}, {"y", {{"LAB", "berlin"}}}}));
}

TEST_F(ClaimEditsTest, SlotsOfResourcesAreIndependent) {
  serve_all(
      "  - name: a.io/a\n    match: {subsystem: tty, name: A}\n    id: $(name)\n"
      "    devices: [{hostPath: $(devnode), containerPath: /dev/a$(slot)}]\n"
      "    envs: {TTY: $(name)}\n"
      "  - name: a.io/b\n    match: {subsystem: tty}\n    id: $(name)\n"
      "    devices: [{hostPath: $(devnode), containerPath: /dev/b$(slot)}]\n"
      "    envs: {TTY: $(name)}\n",
      {"A", "B"});
  want("x", "B", "a.io/b");
  want("x", "A", "a.io/a");
  ASSERT_EQ(render(), "");
  EXPECT_EQ(nodes(0), Strings{"/dev/B /dev/b0"});
  EXPECT_EQ(nodes(1), Strings{"/dev/A /dev/a0"});
  EXPECT_EQ(record_.envs, (EnvsByRequest{{"x", {{"TTY", "A,B"}}}}));
}

/// A step could reset a device that another Pod uses.
TEST_F(ClaimEditsTest, AdministrativeAccessHasNoStepsAndNoKeys) {
  serve(
      "    preStart: [{write: {path: /sys/x, value: 1}}]\n"
      "    release: [{write: {path: /sys/x, value: 1}}]\n"
      "    devices: [{hostPath: $(devnode), containerPath: /dev/uart$(slot)}]\n");
  want("x", "A");
  want("y", "A").admin_access = true;
  ASSERT_EQ(render(), "");
  const Step write{.kind = Step::Kind::write, .path = "/sys/x", .value = "1"};
  EXPECT_THAT(record_.devices[0].steps, ElementsAre(write));
  EXPECT_THAT(record_.devices[0].release, ElementsAre(write));
  EXPECT_THAT(record_.devices[1].steps, IsEmpty());
  EXPECT_THAT(record_.devices[1].release, IsEmpty());
  EXPECT_THAT(record_.devices[1].keys, IsEmpty());
  EXPECT_EQ(nodes(0), Strings{"/dev/A /dev/uart0"});
  EXPECT_EQ(nodes(1), Strings{"/dev/A /dev/uart1"});
}

/// The author of the Pod chooses these names.
TEST_F(ClaimEditsTest, PathsAndVariablesHaveTheNamesOfResourceClaimAndRequest) {
  serve(
      "    devices: [{hostPath: $(devnode), containerPath: /dev/$(claim)/$(request)$(slot)}]\n"
      "    envs: {UART_$(claim)_$(request): $(devnode)}\n");
  record_.claim = "gps-1";
  want("x", "A");
  want("my-y", "B");
  ASSERT_EQ(render(), "");
  EXPECT_EQ(nodes(0), Strings{"/dev/A /dev/gps-1/x0"});
  EXPECT_EQ(nodes(1), Strings{"/dev/B /dev/gps-1/my-y1"});
  EXPECT_EQ(record_.envs, (EnvsByRequest{{"x", {{"UART_gps_1_x", "/dev/A"}}},
                                         {"my-y", {{"UART_gps_1_my_y", "/dev/B"}}}}));
}

/// The release of a prepared ResourceClaim is that of its preparation, after any edit.
TEST_F(ClaimEditsTest, EditsChangeNoRelease) {
  const auto release = [](const std::string& value) {
    return "    release: [{write: {path: /sys/$(name), value: " + value + "}}]\n";
  };
  serve(release("1"), {"A"}, ", releaseTimeout: 1m");
  want("x", "A");
  record_.phase = ClaimPhase::preparing;
  ASSERT_EQ(render(), "");
  record_.phase = ClaimPhase::prepared;
  const ClaimRecord before = record_;
  const Step old_step{.kind = Step::Kind::write, .path = "/sys/A", .value = "1"};
  EXPECT_THAT(before.devices[0].release, ElementsAre(old_step));
  EXPECT_EQ(before.release_timeout, std::chrono::minutes(1));
  serve(release("2"), {"A"});
  ASSERT_EQ(render(), "");
  EXPECT_EQ(record_, before);
  serve("", {"A"});
  ASSERT_EQ(render(), "");
  EXPECT_EQ(record_, before);
  // After a reboot it is prepared again.
  serve(release("2"), {"A"});
  record_.phase = ClaimPhase::preparing;
  ASSERT_EQ(render(), "");
  const Step new_step{.kind = Step::Kind::write, .path = "/sys/A", .value = "2"};
  EXPECT_THAT(record_.devices[0].release, ElementsAre(new_step));
  EXPECT_EQ(record_.release_timeout, std::chrono::minutes(5));
}

TEST_F(ClaimEditsTest, AfterAReplugReleaseHasTheCurrentNode) {
  const std::string resource =
      "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: one\n    serve: dra\n"
      "    release: [{exec: [/hooks/wipe, $(devnode)]}]\n";
  serve_all(resource, {"A"});
  want("x", "one");
  ASSERT_EQ(render(), "");
  serve_all(resource, {"B"});
  ASSERT_EQ(render(), "");
  const Step wipe{.kind = Step::Kind::exec, .arguments = {"/hooks/wipe", "/dev/B"}};
  EXPECT_THAT(record_.devices[0].release, ElementsAre(wipe));
}

TEST_F(ClaimEditsTest, MissingOptionalPathsAreOmitted) {
  serve("    devices: [$(devnode), {hostPath: /dev/maybe, optional: true}]\n");
  want("x", "A");
  ASSERT_EQ(render([](const std::string& path, bool) { return path != "/dev/maybe"; }), "");
  EXPECT_EQ(nodes(0), Strings{"/dev/A /dev/A"});
}

/// After a reboot a unit can have another device node.
TEST_F(ClaimEditsTest, ReplacesAllThatWasRendered) {
  serve("    envs: {UART: $(devnode)}\n    preStart: [{write: {path: /sys/x, value: 1}}]\n");
  record_ = full_record();
  record_.devices[0].resource = "a.io/uart";
  record_.devices[0].unit = "A";
  record_.devices[0].unknown["later"] = 1;
  const ClaimRecord before = record_;
  ASSERT_EQ(render(), "");
  const ClaimRecord once = record_;
  EXPECT_EQ(nodes(0), Strings{"/dev/A /dev/A"});
  EXPECT_THAT(once.devices[0].mounts, IsEmpty());
  EXPECT_THAT(once.devices[0].cdi_names, IsEmpty());
  EXPECT_EQ(once.devices[0].steps.size(), 1U);
  EXPECT_EQ(once.devices[0].unknown, before.devices[0].unknown);
  EXPECT_EQ(once.envs, (EnvsByRequest{{"fast", {{"UART", "/dev/A"}}}}));
  ASSERT_EQ(render(), "");
  EXPECT_EQ(record_, once);
}

TEST_F(ClaimEditsTest, ClashingEntries_AreAnError) {
  serve("    devices: [{hostPath: $(devnode), containerPath: /dev/uart}]\n");
  want("x", "A");
  ASSERT_EQ(render(), "");
  want("x", "B");
  const ClaimRecord before = record_;
  EXPECT_EQ(render(),
            "request x: unit 'B': two entries at the container path /dev/uart: device /dev/A (rw) "
            "and device /dev/B (rw)");
  EXPECT_EQ(record_, before);
}

TEST_F(ClaimEditsTest, UnitsThatCannotBeUsed_AreAnError) {
  serve("");
  want("x", "D");
  EXPECT_EQ(render(),
            "device zram-D-1a2b3c4d: gone (the resource 'a.io/uart' has no unit 'D'); plug it in, "
            "or delete the Pod");
  record_.devices[0].resource = "a.io/former";
  EXPECT_EQ(render(),
            "device zram-D-1a2b3c4d: the configuration has no resource 'a.io/former' now; add it "
            "again, or delete the Pod");
  record_ = prepared({});
  want("x", "A");
  inventory_->remove("/sys/devices/usb/A");
  snapshots_ = inventory::snapshots(inventory_->resolve(inventory::kStart));
  ASSERT_NE(snapshots_.at(0)->find("A"), nullptr) << "a lost unit stays listed";
  EXPECT_THAT(render(), HasSubstr("device zram-A-1a2b3c4d: unhealthy ("));
  record_.devices[0].admin_access = true;
  EXPECT_EQ(render(), "");
}

/// Two disks swap their kernel names at a reboot. Their ids do not change.
TEST_F(ClaimEditsTest, UnitsAreFoundAgainAfterAReboot) {
  const std::string keys =
      "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(property.SERIAL)\n";
  StoredClaims stored;
  ClaimRecords& records = stored.records;
  const auto prepare = [&](const std::string& uid, const std::string& unit) {
    record_ = records.contains(uid) ? records[uid] : prepared({}, uid);
    if (record_.devices.empty()) want("x", unit);
    EXPECT_EQ(render(), "");
    const auto free = check_unoccupied(record_, stored);
    EXPECT_TRUE(free) << free.error().message;
    records[uid] = record_;
  };
  const auto boot = [&](const std::string& first, const std::string& second) {
    inventory_.emplace(inventory::plan_of(keys));
    inventory_->apply(inventory::shared(inventory::serial("ttyUSB0", first)));
    inventory_->apply(inventory::shared(inventory::serial("ttyUSB1", second)));
    snapshots_ = inventory::snapshots(inventory_->resolve(inventory::kStart));
  };
  boot("S0", "S1");
  prepare("a", "S0");
  prepare("b", "S1");
  boot("S1", "S0");
  for (const char* uid : {"a", "b"}) {
    records[uid].boot_id = "boot-2";
    prepare(uid, "");
  }
  EXPECT_EQ(records["a"].devices[0].nodes.at(0).host_path, "/dev/ttyUSB1");
  EXPECT_EQ(records["b"].devices[0].nodes.at(0).host_path, "/dev/ttyUSB0");
}

}  // namespace
}  // namespace patchbay::driver
