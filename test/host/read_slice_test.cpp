#include "host/read_slice.h"

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

TEST(ReadSliceTest, LearnsFromWhatAGlanceCouldNotTellYet) {
  if (!HostRoot().open_at_once("/")) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  const fake::TempDir dir;
  const std::string file = dir.write("file", "");
  std::filesystem::create_symlink(file, dir / "link");
  HostQuery query;
  query.wanted = [](const DeviceFacts&) { return WantedFacts{.relevant = true}; };
  const auto glance = std::make_shared<PathGlance>(HostRoot());
  const auto read = [&](const std::string& path, bool glanced) {
    const auto slice = read_slice(std::make_shared<const HostQuery>(query), {}, glance,
                                  std::make_shared<ReadNote>());
    const auto reading =
        slice({.key = path, .found_by = {{dir / "*"}}, .by_glob = true, .glanced = glanced});
    ASSERT_TRUE(reading && reading->facts) << path;
  };

  read(file, false);
  EXPECT_FALSE(glance->entry_at_once(file)) << "nobody wanted to glance at it";
  read(dir / "link", true);
  EXPECT_FALSE(glance->entry_at_once(file)) << "a link can never be told so";
  const auto without_files = query;
  query.files = [](const DeviceFacts&) { return std::vector<std::string>{"/etc/lab"}; };
  read(file, true);
  EXPECT_FALSE(glance->entry_at_once(file)) << "nor can what rules look into";
  query = without_files;
  read(file, true);
  EXPECT_TRUE(glance->entry_at_once(file));
}

}  // namespace
}  // namespace patchbay::host
