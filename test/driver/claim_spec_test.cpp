#include "driver/claim_spec.h"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"
#include "fake/golden.h"
#include "fake/temp_dir.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::optional<std::string> unchanged(const std::string& path) { return path; }

std::string spec_text(const ClaimRecord& record) {
  return claim_spec(record, unchanged).value_or("none");
}

constexpr const char* kFullSpec = R"({
  "cdiVersion": "0.5.0",
  "kind": "patchbay.lab.example.com/claim",
  "devices": [
    {
      "name": "0e1c7a52-7f0e-4d0a-9f6a-5d1c2b3a4e5f-fast_zram-zram0-1a2b3c4d",
      "containerEdits": {
        "deviceNodes": [
          {
            "path": "/dev/disk0",
            "hostPath": "/dev/zram0",
            "permissions": "rw",
            "fileMode": 432,
            "uid": 1000,
            "gid": 6
          }
        ],
        "mounts": [
          {
            "hostPath": "/opt/lab",
            "containerPath": "/opt",
            "options": [
              "rbind",
              "rprivate",
              "rw"
            ]
          }
        ]
      }
    },
    {
      "name": "0e1c7a52-7f0e-4d0a-9f6a-5d1c2b3a4e5f-fast",
      "containerEdits": {
        "env": [
          "DISK=/dev/disk0",
          "SIZE=1=2"
        ]
      }
    }
  ]
}
)";

ClaimRecord with_envs() {
  ClaimRecord record = full_record();
  record.envs["fast"]["SIZE"] = "1=2";
  return record;
}

TEST(ClaimSpec, HasADeviceForEachDraDeviceAndEachRequest) {
  EXPECT_EQ(spec_text(with_envs()), kFullSpec);
}

/// A container must not get another disk because its device node has another name now.
TEST(ClaimSpec, ResolvesLinks) {
  const auto text =
      claim_spec(prepared({disk("a", "zram0")}), [](const std::string&) { return "/dev/real"; });
  EXPECT_THAT(text.value_or("none"), testing::HasSubstr(R"("hostPath": "/dev/real")"));
}

TEST(ClaimSpec, IdOfTheDeviceIsFirstAndThatOfTheRequestLast) {
  const ClaimRecord record = with_envs();
  const std::string kind = "patchbay.lab.example.com/claim=";
  EXPECT_THAT(cdi_ids(record, record.devices[0]),
              ElementsAre(kind + kUid + "-fast_zram-zram0-1a2b3c4d", "vendor.example.com/gpu=0",
                          kind + kUid + "-fast"));
}

/// Runtimes reject a whole file with an empty device, and a container whose device no file has.
TEST(ClaimSpec, OmitsDevicesWithoutEdits) {
  ClaimRecord record = prepared({disk("a", "zram0"), disk("b", "zram1"), disk("c", "zram2")});
  record.devices[0].nodes.clear();
  record.devices[1].nodes.clear();
  record.devices[1].mounts = {{.host_path = "/opt", .container_path = "/opt"}};
  record.devices[2].nodes.clear();
  record.envs = {{"a", {}}, {"c", {{"A", "1"}}}};
  const Json spec = Json::parse(spec_text(record));
  ASSERT_EQ(spec.at("devices").size(), 2U) << spec;
  const std::string kind = "patchbay.lab.example.com/claim=";
  EXPECT_THAT(cdi_ids(record, record.devices[0]), IsEmpty());
  EXPECT_THAT(cdi_ids(record, record.devices[1]),
              ElementsAre(kind + spec["devices"][0]["name"].get<std::string>()));
  EXPECT_THAT(cdi_ids(record, record.devices[2]),
              ElementsAre(kind + spec["devices"][1]["name"].get<std::string>()));
}

TEST(ClaimSpec, WithoutEdits_IsNone) {
  ClaimRecord record = prepared({disk("a", "zram0")});
  record.devices[0].nodes.clear();
  EXPECT_EQ(spec_text(record), "none");
}

/// With administrative access, two requests can have one DRA device. A request can have the name of
/// a DRA device.
TEST(ClaimSpec, NamesAreUnique) {
  ClaimRecord record =
      prepared({disk("a", "zram0"), disk("b", "zram0"), disk("zram-zram0-1a2b3c4d", "a")});
  for (const RecordedDevice& device : record.devices) record.envs[device.request] = {{"A", "1"}};
  const Json spec = Json::parse(spec_text(record));
  std::set<std::string> names;
  for (const Json& device : spec.at("devices")) {
    names.insert(device.at("name").get<std::string>());
  }
  EXPECT_EQ(names.size(), 6U);
}

TEST(ClaimSpecFile, IsNoFileOfAResource) {
  EXPECT_EQ(claim_spec_name(kUid), std::string("patchbay-claim-") + kUid + ".json");
  EXPECT_FALSE(specs::is_cdi_file_name(claim_spec_name(kUid)));
}

TEST(ClaimSpecFile, IsWrittenAndRemoved) {
  const fake::TempDir dir;
  const std::string cdi = dir / "cdi";
  const std::string path = cdi + '/' + claim_spec_name(kUid);
  ASSERT_TRUE(write_claim_spec(cdi, with_envs(), unchanged));
  EXPECT_EQ(fake::read_text(path), kFullSpec);
  ASSERT_TRUE(remove_claim_spec(cdi, kUid));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(remove_claim_spec(cdi, kUid));
}

TEST(ClaimSpecFile, WithoutEdits_IsRemoved) {
  const fake::TempDir dir;
  ASSERT_TRUE(write_claim_spec(dir.path(), with_envs(), unchanged));
  ASSERT_TRUE(write_claim_spec(dir.path(), prepared({}), unchanged));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace patchbay::driver
