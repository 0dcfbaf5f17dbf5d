#include "driver/claim_store.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"
#include "fake/golden.h"
#include "fake/temp_dir.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

class ClaimStoreTest : public testing::Test {
 protected:
  /// All records and errors of the directory.
  [[nodiscard]] StoredClaims read() const {
    const auto stored = store_.read_all(dir_ / "cdi");
    EXPECT_TRUE(stored) << stored.error().message;
    return stored.value_or(StoredClaims{});
  }
  [[nodiscard]] std::string file(const std::string& name) const { return claims_ + '/' + name; }

  const fake::TempDir dir_;
  const std::string claims_ = dir_ / "plugins/patchbay/claims";
  const ClaimStore store_{claims_};
};

TEST_F(ClaimStoreTest, RecordsOutliveTheProgram) {
  const ClaimRecord full = full_record();
  const ClaimRecord other = prepared({disk("a", "zram1")}, "b-2");
  ASSERT_TRUE(store_.write(other));
  ASSERT_TRUE(store_.write(full));
  EXPECT_EQ(fake::read_text(file(std::string(kUid) + ".json")), to_text(full));
  const StoredClaims stored = read();
  EXPECT_THAT(stored.records, ElementsAre(Pair(kUid, full), Pair("b-2", other)));
  EXPECT_THAT(stored.unreadable, IsEmpty());
}

TEST_F(ClaimStoreTest, WriteReplacesTheRecord) {
  ClaimRecord record = prepared({});
  record.phase = ClaimPhase::preparing;
  ASSERT_TRUE(store_.write(record));
  record.phase = ClaimPhase::prepared;
  ASSERT_TRUE(store_.write(record));
  EXPECT_THAT(read().records, ElementsAre(Pair(kUid, record)));
}

TEST_F(ClaimStoreTest, InvalidUid_IsAnErrorAndWritesNothing) {
  const auto written = store_.write(prepared({}, "../a"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "ResourceClaim lab/disk: invalid uid '../a'");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "plugins"));
}

TEST_F(ClaimStoreTest, RemovedRecordIsGone) {
  ASSERT_TRUE(store_.write(full_record()));
  ASSERT_TRUE(store_.remove(kUid));
  EXPECT_THAT(read().records, IsEmpty());
  EXPECT_TRUE(store_.remove(kUid));
}

TEST_F(ClaimStoreTest, MissingDirectoryHasNoRecords) {
  EXPECT_THAT(read().records, IsEmpty());
  EXPECT_TRUE(store_.remove(kUid));
  EXPECT_FALSE(std::filesystem::exists(claims_));
}

/// One damaged file must not take the devices of all Pods away.
TEST_F(ClaimStoreTest, DamagedFilesCostNoOtherRecord) {
  ASSERT_TRUE(store_.write(full_record()));
  dir_.write("plugins/patchbay/claims/a.json", "{");
  dir_.write("plugins/patchbay/claims/b.json", R"({"version": 0})");
  dir_.write("plugins/patchbay/claims/c.json", to_text(prepared({}, "d")));
  std::filesystem::create_directory(file("e.json"));
  const StoredClaims stored = read();
  EXPECT_THAT(stored.records, ElementsAre(Pair(kUid, full_record())));
  std::map<std::string, std::string> errors;
  for (const auto& [uid, unreadable] : stored.unreadable) errors[uid] = unreadable.error.message;
  const std::string subject = "state of a ResourceClaim " + claims_;
  const auto action = [&](const std::string& uid) {
    return "; to discard it, delete the Pod of that ResourceClaim, or run rm " +
           file(uid + ".json");
  };
  EXPECT_THAT(
      errors,
      ElementsAre(Pair("a", StartsWith(subject + "/a.json: malformed (")),
                  Pair("b", subject + "/b.json: unknown format 0" + action("b")),
                  Pair("c", subject + "/c.json: the file has the uid d" + action("c")),
                  Pair("e", subject + "/e.json: no regular file, or too large" + action("e"))));
  ASSERT_TRUE(store_.remove("a"));
  EXPECT_FALSE(std::filesystem::exists(file("a.json")));
}

TEST_F(ClaimStoreTest, DevicesOfADamagedRecordAreThoseOfItsSpec) {
  dir_.write("plugins/patchbay/claims/" + std::string(kUid) + ".json", "{");
  dir_.write("plugins/patchbay/claims/a.json", "{");
  ASSERT_TRUE(write_claim_spec(dir_ / "cdi", full_record(),
                               [](const auto&) { return std::optional<std::string>(); }));
  const StoredClaims stored = read();
  const auto& spec = stored.unreadable.find(kUid)->second.spec;
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->driver, "patchbay.lab.example.com");
  EXPECT_THAT(spec->devices, ElementsAre("zram-zram0-1a2b3c4d"));
  EXPECT_FALSE(stored.unreadable.find("a")->second.spec);
}

/// A downgrade must not lose what the newer program has prepared.
TEST_F(ClaimStoreTest, NewerFormat_IsAnErrorOfAll) {
  dir_.write("plugins/patchbay/claims/b.json", R"({"version": 2})");
  const auto stored = store_.read_all(dir_ / "cdi");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().message,
            "state of a ResourceClaim " + file("b.json") +
                ": format 2 is newer than this program, which reads 1; run the newer version of "
                "Patchbay");
}

TEST_F(ClaimStoreTest, OtherFilesAreIgnored) {
  dir_.write("plugins/patchbay/claims/README", "");
  dir_.write("plugins/patchbay/claims/a_b.json", "{");
  dir_.write("plugins/patchbay/claims/.json", "{");
  const StoredClaims stored = read();
  EXPECT_THAT(stored.records, IsEmpty());
  EXPECT_THAT(stored.unreadable, IsEmpty());
}

TEST_F(ClaimStoreTest, TemporaryFilesOfAKilledProcessAreRemoved) {
  const std::string temporary = dir_.write("plugins/patchbay/claims/spec.patchbay-AbCdEf.tmp", "{");
  EXPECT_THAT(read().records, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(temporary));
}

TEST_F(ClaimStoreTest, UnusableDirectory_IsAnError) {
  dir_.write("plugins/patchbay/claims", "a file");
  const auto stored = store_.read_all(dir_ / "cdi");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().message, "cannot read the directory " + claims_ + ": Not a directory");
  EXPECT_FALSE(store_.write(full_record()));
}

}  // namespace
}  // namespace patchbay::driver
