#include "specs/cdi_spec.h"

#include <map>

#include <nlohmann/json.hpp>

#include "inventory/inventory_fixture.h"

namespace patchbay::specs {
namespace {

using inventory::serial;

class CdiSpecTest : public testing::Test {
 protected:
  /// The snapshot of a resource with these keys and with adapters of these names.
  inventory::SnapshotPtr snapshot(const std::vector<std::string>& names,
                                  const std::string& keys = "",
                                  const std::string& resource = "a.io/uart") {
    inventory_.emplace(inventory::plan_of("  - name: " + resource +
                                          "\n    match: {subsystem: tty}\n    id: $(name)\n"
                                          "    cdi: write\n" +
                                          keys));
    for (const std::string& name : names) inventory_->apply(inventory::shared(serial(name, "S")));
    return inventory_->resolve(inventory::kStart).resources.at(0).snapshot;
  }
  [[nodiscard]] std::string spec(const inventory::Snapshot& snapshot) const {
    const auto spec = cdi_spec(snapshot, [this](const std::string& path) { return resolve(path); });
    if (!spec) return spec.error().message;
    return spec->value_or("none");
  }
  [[nodiscard]] std::optional<std::string> resolve(const std::string& path) const {
    if (path == "/dev/gone") return std::nullopt;
    const auto link = links_.find(path);
    return link == links_.end() ? path : link->second;
  }
  /// The version of the spec.
  [[nodiscard]] std::string version(const inventory::Snapshot& snapshot) const {
    const std::string text = spec(snapshot);
    const std::string key = R"("cdiVersion": ")";
    return text.substr(text.find(key) + key.size(), 5);
  }

  std::optional<inventory::Inventory> inventory_;
  std::map<std::string, std::string> links_;
};

TEST_F(CdiSpecTest, HasADeviceForEachUnit) {
  links_["/dev/serial/by-id/ttyUSB0"] = "/dev/ttyUSB0";
  EXPECT_EQ(spec(*snapshot({"ttyUSB0"},
                           "    devices:\n"
                           "      - {hostPath: $(link.by-id), containerPath: /dev/uart, "
                           "permissions: r}\n"
                           "      - /dev/fuse\n"
                           "    mounts:\n"
                           "      - {hostPath: /opt/lab}\n"
                           "      - {hostPath: /srv/$(id), containerPath: /srv, readOnly: false}\n"
                           "    envs: {UART: $(name)}\n")),
            R"({
  "cdiVersion": "0.5.0",
  "kind": "a.io/uart",
  "devices": [
    {
      "name": "ttyUSB0",
      "containerEdits": {
        "deviceNodes": [
          {
            "path": "/dev/uart",
            "hostPath": "/dev/ttyUSB0",
            "permissions": "r"
          },
          {
            "path": "/dev/fuse",
            "permissions": "rw"
          }
        ],
        "mounts": [
          {
            "hostPath": "/opt/lab",
            "containerPath": "/opt/lab",
            "options": [
              "rbind",
              "rprivate",
              "ro"
            ]
          },
          {
            "hostPath": "/srv/ttyUSB0",
            "containerPath": "/srv",
            "options": [
              "rbind",
              "rprivate",
              "rw"
            ]
          }
        ]
      }
    }
  ]
}
)");
}

TEST_F(CdiSpecTest, UsesOldestVersionThatHasAllFields) {
  EXPECT_EQ(version(*snapshot({"ttyS0"})), "0.3.0");
  EXPECT_EQ(version(*snapshot({"0a"})), "0.5.0");
  EXPECT_EQ(version(*snapshot({"a"}, "    devices: [{hostPath: $(devnode), containerPath: /x}]\n")),
            "0.5.0");
  EXPECT_EQ(version(*snapshot({"a"}, "", "a.io/uart.v2")), "0.6.0");
  links_["/dev/a"] = "/dev/real";
  EXPECT_EQ(version(*snapshot({"a"})), "0.5.0");
}

TEST_F(CdiSpecTest, ModeAndOwnerAreInNodeWithoutNewerVersion) {
  const auto owned = snapshot({"a"},
                              "    devices:\n"
                              "      - {hostPath: $(devnode), mode: \"0660\", uid: 1000, gid: 0}\n"
                              "      - {hostPath: /dev/fuse, gid: 20}\n");
  EXPECT_EQ(version(*owned), "0.3.0");
  const std::string text = spec(*owned);
  EXPECT_NE(text.find(R"("path": "/dev/a",
            "permissions": "rw",
            "fileMode": 432,
            "uid": 1000,
            "gid": 0
          },
          {
            "path": "/dev/fuse",
            "permissions": "rw",
            "gid": 20
          })"),
            std::string::npos)
      << text;
}

TEST_F(CdiSpecTest, ListsASharedUnitOnce) {
  const auto shared = snapshot({"a"}, "    share: {count: 3}\n");
  const std::string text = spec(*shared);
  EXPECT_NE(text.find(R"("name": "a")"), std::string::npos) << text;
  EXPECT_EQ(text.find("::"), std::string::npos) << text;
}

TEST_F(CdiSpecTest, DropsLostUnitsButKeepsUnhealthyOnes) {
  auto units = *snapshot({"a", "b"});
  inventory::Unit unhealthy = units.units[0];
  unhealthy.healthy = false;
  unhealthy.reason = "a probe said so";
  units.units = {unhealthy, units.units[1]};
  EXPECT_NE(spec(units).find(R"("name": "a")"), std::string::npos);
  inventory_->remove("/sys/devices/usb/a");
  const auto& lost = inventory_->resolve(inventory::kStart).resources.at(0).snapshot;
  ASSERT_EQ(lost->units.size(), 2U);
  EXPECT_EQ(spec(*lost).find(R"("name": "a")"), std::string::npos);
  inventory_->remove("/sys/devices/usb/b");
  EXPECT_EQ(spec(*inventory_->resolve(inventory::kStart).resources.at(0).snapshot), "none");
}

/// Optional entries are in the answer to Allocate, not in the spec.
TEST_F(CdiSpecTest, OmitsOptionalPaths) {
  const std::string optional = "    devices:\n      - {hostPath: /dev/maybe, optional: true}\n";
  EXPECT_EQ(spec(*snapshot({"a"}, optional)), "none");
  const std::string text = spec(*snapshot({"a"}, optional + "      - /dev/fuse\n"));
  EXPECT_EQ(text.find("maybe"), std::string::npos) << text;
  EXPECT_NE(text.find("/dev/fuse"), std::string::npos) << text;
}

/// Environment variables and annotations are not in the spec. So $(shares) in such an entry must
/// not prevent the spec.
TEST_F(CdiSpecTest, EntriesOutsideSpecMayUseShares) {
  const std::string shared = "    share: {count: 3}\n";
  EXPECT_EQ(spec(*snapshot({"a"}, shared + "    envs: {LANES: $(shares), LANE_$(share): $(slot)}\n"
                                           "    annotations: {a.io/lanes: $(shares)}\n")),
            spec(*snapshot({"a"}, shared)));
}

/// A container does not start if its answer names a CDI device that no spec has.
TEST_F(CdiSpecTest, ResponseNamesOnlyCdiDevicesOfSpec) {
  for (const std::string keys :
       {"", "    devices: [{hostPath: /dev/x, optional: true}]\n",
        "    devices: [$(devnode), {hostPath: /dev/x, optional: true}]\n",
        "    devices: []\n    mounts: [{hostPath: /opt/x, optional: true}]\n",
        "    devices: []\n    mounts: [{hostPath: /opt/x}]\n",
        "    share: {count: 2}\n    envs: {LANES: $(shares)}\n"}) {
    const auto units = snapshot({"a"}, keys);
    const bool in_spec = spec(*units).find(R"("name": "a")") != std::string::npos;
    for (const bool exist : {false, true}) {
      const std::vector<std::string> ids{units->units[0].listed_id(0)};
      const auto answer = inventory::allocate(
          *units, ids, [&](const std::string&, bool /*device*/) { return exist; });
      ASSERT_TRUE(answer) << keys << answer.error().message;
      EXPECT_EQ(answer->cdi_devices,
                in_spec ? std::vector<std::string>{"a.io/uart=a"} : std::vector<std::string>{})
          << keys;
    }
  }
}

TEST_F(CdiSpecTest, KeepsPathOfMissingNode) {
  const std::string text = spec(*snapshot({"a"}, "    devices: [/dev/gone]\n"));
  EXPECT_NE(text.find(R"("path": "/dev/gone")"), std::string::npos) << text;
}

TEST(CdiEdits, RequireTheVersionOfTheirFields) {
  CdiVersion version;
  const ResolveLinks resolve = [](const std::string& path) { return path; };
  EXPECT_TRUE(edits_json({}, resolve, version).empty());
  EXPECT_EQ(version.text(), "0.3.0");
  inventory::Allocation given;
  given.devices.push_back({.host_path = "/dev/a", .container_path = "/dev/b", .permissions = "r"});
  given.mounts.push_back({.host_path = "/opt", .container_path = "/opt"});
  EXPECT_EQ(
      edits_json(given, resolve, version).dump(),
      R"({"deviceNodes":[{"path":"/dev/b","hostPath":"/dev/a","permissions":"r"}],)"
      R"("mounts":[{"hostPath":"/opt","containerPath":"/opt","options":["rbind","rprivate","ro"]}]})");
  EXPECT_EQ(version.text(), "0.5.0");
}

TEST(CdiFileName, IsUniquePerResource) {
  EXPECT_EQ(cdi_file_name("a.io/uart"), "patchbay-a.io_uart.json");
  EXPECT_NE(cdi_file_name("a-b.io/c"), cdi_file_name("a.io/b-c"));
  EXPECT_TRUE(is_cdi_file_name(cdi_file_name("a.io/uart")));
  EXPECT_FALSE(is_cdi_file_name("a.io-uart.json"));
  EXPECT_FALSE(is_cdi_file_name("patchbay-claim.json"));
}

}  // namespace
}  // namespace patchbay::specs
