#include "driver/claim_record.h"

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"

namespace patchbay::driver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kFullText = R"({
  "version": 1,
  "driver": "patchbay.lab.example.com",
  "uid": "0e1c7a52-7f0e-4d0a-9f6a-5d1c2b3a4e5f",
  "namespace": "lab",
  "name": "disk",
  "phase": "prepared",
  "bootId": "boot-1",
  "devices": [
    {
      "request": "fast",
      "pool": "node-1",
      "device": "zram-zram0-1a2b3c4d",
      "resource": "lab.example.com/zram",
      "unit": "zram0",
      "adminAccess": false,
      "published": {
        "name": "zram-zram0-1a2b3c4d",
        "attributes": {
          "id": {
            "string": "zram0"
          }
        }
      },
      "keys": [
        "/sys/devices/virtual/block/zram0",
        "block 252:0"
      ],
      "nodes": [
        {
          "hostPath": "/dev/zram0",
          "containerPath": "/dev/disk0",
          "permissions": "rw",
          "mode": 432,
          "uid": 1000,
          "gid": 6
        }
      ],
      "mounts": [
        {
          "hostPath": "/opt/lab",
          "containerPath": "/opt",
          "readOnly": false
        }
      ],
      "cdiNames": [
        "vendor.example.com/gpu=0"
      ],
      "steps": [
        {
          "kind": "exec",
          "arguments": [
            "/usr/bin/wipe",
            "zram0"
          ],
          "path": "",
          "value": "",
          "limitMs": 0
        },
        {
          "kind": "wait",
          "arguments": [],
          "path": "/dev/zram0",
          "value": "",
          "limitMs": 2000
        },
        {
          "kind": "write",
          "arguments": [],
          "path": "/sys/block/zram0/reset",
          "value": "1",
          "limitMs": 0
        }
      ],
      "release": [
        {
          "kind": "exec",
          "arguments": [
            "/usr/bin/wipe",
            "zram0"
          ],
          "path": "",
          "value": "",
          "limitMs": 0
        }
      ]
    }
  ],
  "envs": {
    "fast": {
      "DISK": "/dev/disk0"
    }
  },
  "claim": "fast-disk",
  "pods": [
    {
      "name": "bench",
      "uid": "5d1c2b3a-0000-4a0a-9f6a-7f0e4d0a9f6a"
    }
  ],
  "releaseTimeoutMs": 300000,
  "releaseSinceMs": 1700000000000,
  "failure": "exec /usr/bin/wipe: exit code 1"
}
)";

/// The error of reading a text; "none" if it can be read.
std::string error_of(const std::string& text) {
  const auto record = read_claim_record(text);
  return record ? "none" : record.error().message;
}

/// The text of a record in which one part is replaced.
std::string edited(const std::string& part, const std::string& replacement) {
  std::string text = kFullText;
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

TEST(ClaimRecordText, HasAllFields) { EXPECT_EQ(to_text(full_record()), kFullText); }

TEST(ClaimRecordText, IsReadAgain) {
  for (const ClaimRecord& record : {full_record(), prepared({}), prepared({disk("a", "zram1")})}) {
    const auto read = read_claim_record(to_text(record));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, record);
  }
}

/// Envs and values are no identifiers: they can have any text.
TEST(ClaimRecordText, KeepsUnusualText) {
  ClaimRecord record = full_record();
  record.envs["fast"]["QUOTE"] = "a \"b\" \\ ä\n=";
  record.devices[0].steps[2].value = "\n";
  const auto read = read_claim_record(to_text(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, record);
}

TEST(ClaimRecordText, KeepsFieldsOfALaterProgram) {
  std::string text = edited(R"(    "fast": {)", R"(    "other": {}, "fast": {)");
  text = edited(R"("pool": "node-1",)", R"("pool": "node-1", "shareId": "x",)");
  text.insert(text.find(R"(  "phase")"), R"(  "released": [1, {"a": null}],)");
  const auto read = read_claim_record(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->unknown.dump(), R"({"released":[1,{"a":null}]})");
  EXPECT_EQ(read->devices.at(0).unknown.dump(), R"({"shareId":"x"})");
  const auto again = read_claim_record(to_text(*read));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *read);
}

TEST(ClaimRecordText, NewerFormat_IsAnError) {
  EXPECT_EQ(error_of(edited(R"("version": 1)", R"("version": 2)")),
            "format 2 is newer than this program, which reads 1; run the newer version of "
            "Patchbay");
  // Such a file can have any other content.
  EXPECT_THAT(error_of(R"({"version": 3})"), StartsWith("format 3 is newer"));
  EXPECT_EQ(error_of(edited(R"("version": 1)", R"("version": 0)")), "unknown format 0");
}

TEST(ClaimRecordText, MalformedText_IsAnError) {
  EXPECT_THAT(error_of(""), StartsWith("malformed ("));
  EXPECT_THAT(error_of("[]"), StartsWith("malformed ("));
  EXPECT_THAT(error_of(std::string(kFullText).substr(0, 900)), StartsWith("malformed ("));
  EXPECT_THAT(error_of(edited(R"("bootId")", R"("boot")")), HasSubstr("'bootId' not found"));
  EXPECT_THAT(error_of(edited(R"("rw")", "7")), HasSubstr("type must be string"));
  EXPECT_THAT(error_of(edited(R"("name": "zram)", R"("label": "zram)")),
              HasSubstr("'name' not found"));
  EXPECT_EQ(error_of(edited(R"("prepared")", R"("done")")), "malformed (unknown phase 'done')");
  EXPECT_EQ(error_of(edited(R"("exec")", R"("reset\u001b")")),
            "malformed (unknown kind 'reset\\x1b')");
}

TEST(ClaimUid, IsSafeInFileNames) {
  EXPECT_TRUE(is_claim_uid(kUid));
  EXPECT_TRUE(is_claim_uid("A1"));
  for (const char* bad : {"", "-a", "a/b", "..", "a.b", "a_b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_claim_uid(bad)) << bad;
  }
  EXPECT_TRUE(is_claim_uid(std::string(64, 'a')));
  EXPECT_FALSE(is_claim_uid(std::string(65, 'a')));
}

}  // namespace
}  // namespace patchbay::driver
