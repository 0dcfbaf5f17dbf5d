#include "host/host_reader.h"

#include <memory>

#include <gtest/gtest.h>

#include "host/file_and_link.h"

namespace patchbay::host {
namespace {

TEST(ReadSliceTest, LearnsTheMountAfterAFailedCachedRead) {
  if (!paths::HostRoot().try_open("/")) GTEST_SKIP() << "the kernel knows no RESOLVE_CACHED";
  FileAndLink files;
  auto& [dir, file, link, query] = files;
  const auto nonblocking = std::make_shared<paths::NonblockingStat>(paths::HostRoot());
  const auto read = [&](const std::string& path, bool cached_read_failed) {
    const auto slice = read_slice(std::make_shared<const HostQuery>(query), {}, nonblocking,
                                  std::make_shared<ReadProgress>());
    const auto reading = slice({.key = path,
                                .found_by = {{dir / "*"}},
                                .by_glob = true,
                                .cached_read_failed = cached_read_failed});
    ASSERT_TRUE(reading && reading->facts) << path;
  };

  read(file, false);
  EXPECT_FALSE(nonblocking->try_lstat(file)) << "nobody wanted to glance at it";
  read(link, true);
  EXPECT_FALSE(nonblocking->try_lstat(file)) << "a link can never be told so";
  const auto without_files = query;
  query.files = [](const DeviceFacts&) { return std::vector<std::string>{"/etc/lab"}; };
  read(file, true);
  EXPECT_FALSE(nonblocking->try_lstat(file)) << "nor can what rules look into";
  query = without_files;
  read(file, true);
  EXPECT_TRUE(nonblocking->try_lstat(file));
}

}  // namespace
}  // namespace patchbay::host
