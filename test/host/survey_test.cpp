#include "host/survey.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/facts.h"
#include "fake/sysfs_tree.h"
#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class SurveyTest : public testing::Test {
 protected:
  SurveyTest() {
    // No rule exists, because a survey needs none.
    query.wanted = [](const DeviceFacts&) {
      WantedFacts wanted;
      wanted.add(Fact::attribute, "colour");
      return wanted;
    };
  }

  [[nodiscard]] std::vector<std::string> keys(size_t most = 100) const {
    std::vector<std::string> keys;
    for (const auto& entity : survey(std::make_shared<const HostQuery>(query),
                                     paths::HostRoot(dir.path()), most, tree.root())) {
      keys.push_back(entity->key);
    }
    return keys;
  }

  fake::SysfsTree tree;
  fake::TempDir dir;
  HostQuery query;
};

TEST_F(SurveyTest, ListsMatchesOnceInNaturalOrder) {
  for (const char* name : {"line10", "line2", "other"}) {
    static_cast<void>(dir.write(std::string("dev/") + name, ""));
  }
  query.glob_patterns = {"/dev/line*", "/dev/*1*"};
  EXPECT_THAT(keys(), ElementsAre("/dev/line2", "/dev/line10"));
  EXPECT_THAT(keys(1), ElementsAre("/dev/line2"));
}

TEST_F(SurveyTest, ReadsWantedFactsOfSysDirectories) {
  tree.add("bench/arm7", "mem", {{"colour", "black"}});
  query.sysfs_patterns = {tree.root() + "/devices/bench/*"};
  const auto entities = survey(std::make_shared<const HostQuery>(query),
                               paths::HostRoot(dir.path()), 10, tree.root());
  ASSERT_EQ(entities.size(), 1U);
  EXPECT_EQ(entities[0]->key, tree.syspath("bench/arm7"));
  EXPECT_EQ(fake::lists(*entities[0], Fact::attribute).at("colour"),
            std::vector<std::string>{"black"});
}

TEST_F(SurveyTest, ListsKnownSubsystems) {
  for (const char* directory : {"bus/usb", "class/tty", "class/net", "class/usb"}) {
    fs::create_directories(fs::path(tree.root()) / directory);
  }
  EXPECT_THAT(known_subsystems(DeviceTree({}, tree.root())), ElementsAre("net", "tty", "usb"));
}

TEST_F(SurveyTest, FindsTheExistingPrefixOfAPath) {
  static_cast<void>(dir.write("srv/bench/a", ""));
  EXPECT_EQ(existing_prefix("/srv/bench/a", paths::HostRoot(dir.path())), "/srv/bench/a");
  EXPECT_EQ(existing_prefix("/srv/bench/b/c", paths::HostRoot(dir.path())), "/srv/bench");
  EXPECT_EQ(existing_prefix("/opt/x", paths::HostRoot(dir.path())), "/");
}

}  // namespace
}  // namespace patchbay::host
