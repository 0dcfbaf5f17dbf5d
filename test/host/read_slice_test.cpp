#include "host/read_slice.h"

#include <memory>

#include <gtest/gtest.h>

#include "host/file_and_link.h"

namespace patchbay::host {
namespace {

TEST(ReadSliceTest, LearnsFromWhatAGlanceCouldNotTellYet) {
  if (!HostRoot().open_at_once("/")) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  FileAndLink files;
  auto& [dir, file, link, query] = files;
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
  read(link, true);
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
