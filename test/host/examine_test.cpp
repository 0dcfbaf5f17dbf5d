#include "host/examine.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/facts.h"
#include "fake/sysfs_tree.h"
#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// For a simulated machine. Only the device nodes of /dev/null and /dev/zero are real.
class ExamineTest : public testing::Test {
 protected:
  void SetUp() override {
    tree.add("virtual/mem/null", "mem", {{"colour", "black"}}, "MAJOR=1\nMINOR=3\nDEVNAME=null\n");
    fs::create_directories(tree.root() + "/dev/char");
    fs::create_symlink("../../devices/virtual/mem/null", tree.root() + "/dev/char/1:3");
    fs::create_directories(tree.root() + "/class/mem");
    fs::create_symlink("../../devices/virtual/mem/null", tree.root() + "/class/mem/null");
    fs::create_directories(dir / "dev/by-id");
    fs::create_symlink("/dev/null", dir / "dev/null");
    fs::create_symlink("../null", dir / "dev/by-id/hole");
    query.wanted = [](const DeviceFacts&) {
      WantedFacts wanted;
      wanted.relevant = true;
      wanted.add(Fact::attribute, "colour");
      return wanted;
    };
  }

  [[nodiscard]] Result<std::vector<DeviceFactsPtr>> look_at(const std::string& what) const {
    const bool of_dir = what.starts_with('/') && !what.starts_with(tree.root());
    return examine(std::make_shared<const HostQuery>(query), paths::HostRoot(),
                   of_dir ? dir.path() + what : what, tree.root());
  }
  /// The keys that are found, without the path of the test's directory.
  [[nodiscard]] std::vector<std::string> keys_of(const std::string& what) const {
    const auto found = look_at(what);
    if (!found) return {found.error().message};
    std::vector<std::string> keys;
    for (const auto& facts : *found) {
      const bool of_dir = facts->key.starts_with(dir.path());
      keys.push_back(of_dir ? facts->key.substr(dir.path().size()) : facts->key);
    }
    return keys;
  }

  fake::SysfsTree tree;
  fake::TempDir dir;
  HostQuery query;
  const std::string null = tree.syspath("virtual/mem/null");
};

TEST_F(ExamineTest, DeviceNodeYieldsDeviceAndPath) {
  query.glob_patterns = {dir / "dev/n*", dir / "dev/z*"};
  query.sysfs_patterns = {tree.root() + "/class/*/null"};
  const auto found = look_at("/dev/null");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  const DeviceFacts& device = *found->at(0);
  EXPECT_EQ(device.key, null);
  EXPECT_EQ(device.kind, DeviceKind::kernel_device);
  EXPECT_EQ(device.subsystem, "mem") << "although no rule looks at that subsystem";
  EXPECT_EQ(fake::lists(device, Fact::attribute), (ValueLists{{"colour", {"black"}}}));
  EXPECT_THAT(device.found_by,
              ElementsAre(FoundBy{query.sysfs_patterns.front(), tree.root() + "/class/mem/null"}));
  const DeviceFacts& path = *found->at(1);
  EXPECT_EQ(path.key, dir / "dev/null");
  EXPECT_EQ(path.kind, DeviceKind::path);
  EXPECT_EQ(path.path_type, PathType::character_device);
  EXPECT_THAT(path.found_by, ElementsAre(FoundBy{dir / "dev/n*"}));
}

TEST_F(ExamineTest, LinkYieldsDeviceAndPath) {
  EXPECT_THAT(keys_of("/dev/by-id/hole"), ElementsAre(null, "/dev/by-id/hole"));
  EXPECT_THAT(keys_of("/dev/./by-id//hole/"), ElementsAre(null, "/dev/by-id/hole"));
}

TEST_F(ExamineTest, YieldsOtherPathsOfTheDeviceThatGlobsFind) {
  query.glob_patterns = {dir / "dev/by-id/*"};
  EXPECT_THAT(keys_of("/dev/null"), ElementsAre(null, "/dev/null", "/dev/by-id/hole"));
  EXPECT_THAT(keys_of(null), ElementsAre(null, "/dev/by-id/hole"));
}

TEST_F(ExamineTest, NodeWithoutKernelDeviceYieldsThePath) {
  fs::create_symlink("/dev/zero", dir / "dev/zero");
  EXPECT_THAT(keys_of("/dev/zero"), ElementsAre("/dev/zero"));
}

TEST_F(ExamineTest, AnySysPathYieldsTheDevice) {
  const std::string sys = tree.root();
  EXPECT_THAT(keys_of(null), ElementsAre(null));
  EXPECT_THAT(keys_of(sys + "/class/mem/null"), ElementsAre(null));
  EXPECT_THAT(keys_of(sys + "/class/../class/mem/null"), ElementsAre(null));
  fs::create_symlink(sys + "/class/mem/null", dir / "shortcut");
  EXPECT_THAT(keys_of("/shortcut"), ElementsAre(null));
}

TEST_F(ExamineTest, SysDirectoryWithoutDeviceYieldsTheDirectory) {
  const auto found = look_at(tree.root() + "/class/mem");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front()->kind, DeviceKind::sysfs_directory);
  EXPECT_THAT(found->front()->found_by, IsEmpty());
}

TEST_F(ExamineTest, FilesAndDirectoriesYieldThePath) {
  dir.write("etc/lab/scope", "192.0.2.7\n");
  query.files = [this](const DeviceFacts& facts) {
    return std::vector<std::string>{dir / "etc/lab/" + facts.name};
  };
  const auto found = look_at("/etc/lab/scope");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front()->path_type, PathType::file);
  EXPECT_EQ(fake::named(*found->front(), Fact::file),
            (NamedValues{{dir / "etc/lab/scope", "192.0.2.7"}}));
  EXPECT_THAT(keys_of("/etc/lab"), ElementsAre("/etc/lab"));

  const auto name = look_at("static:scope");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->front()->kind, DeviceKind::static_name);
  EXPECT_EQ(name->front()->name, "scope");
  EXPECT_EQ(name->front()->known, found->front()->known);
}

TEST_F(ExamineTest, ErrorForUnknownNameListsAcceptedKinds) {
  const std::string may_be = "name a device node, a path below /sys, another path, or static:NAME";
  EXPECT_THAT(keys_of("/dev/gopher0"),
              ElementsAre(dir / "dev/gopher0" + ": No such file or directory; " + may_be));
  EXPECT_THAT(keys_of("gopher0"), ElementsAre("'gopher0' is not an absolute path: " + may_be));
  EXPECT_THAT(keys_of("static:"), ElementsAre(HasSubstr(may_be)));
  EXPECT_THAT(keys_of(""), ElementsAre(HasSubstr(may_be)));
  EXPECT_THAT(keys_of("/dev/\x1b[2J"), ElementsAre(HasSubstr("\\x1b[2J: No such file")));
}

TEST_F(ExamineTest, HiddenDisk_IsReportedAsHidden) {
  tree.add("pci0000:00/nvme/nvme0/nvme0c0n1", "block", {{"hidden", "1"}});
  EXPECT_THAT(
      keys_of(tree.syspath("pci0000:00/nvme/nvme0/nvme0c0n1")),
      ElementsAre(HasSubstr("nvme0c0n1: hidden by the kernel and without a node: name the")));
}

TEST_F(ExamineTest, ResolvesPathsBelowTheHostRoot) {
  dir.write("etc/scope", "");
  fs::create_symlink("/etc/scope", dir / "etc/link");
  const auto query_of_nothing = std::make_shared<const HostQuery>(query);
  const auto found =
      examine(query_of_nothing, paths::HostRoot(dir.path()), "/etc/link", tree.root());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->front()->key, "/etc/link");
  EXPECT_EQ(found->front()->path_type, PathType::file);
}

TEST_F(ExamineTest, ReadsEntitiesThatNoRuleWants) {
  query.wanted = [](const DeviceFacts&) { return WantedFacts{}; };
  EXPECT_THAT(keys_of("/dev/null"), ElementsAre(null, "/dev/null"));
}

}  // namespace
}  // namespace patchbay::host
