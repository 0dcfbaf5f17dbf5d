#include "specs/spec_directory.h"

#include <future>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/patience.h"

namespace patchbay::specs {
namespace {

TEST(SpecDirectoryTest, FailsWhileAnotherThreadHangs) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  fake::HangingMount mount;
  SpecDirectory directory(mount / "cdi", [](auto, const auto&) { return true; });
  const auto write = [&](const std::string& name) {
    return directory.write("a.io/" + name, {{mount / ("cdi/" + name), name}});
  };
  auto hanging = std::async(std::launch::async, [&] { return write("a"); });
  ASSERT_TRUE(fake::wait_until([] { return fake::hangs_on_mount(::getpid()); }));
  const std::string words = (mount / "cdi") + " is unresponsive: its file system hangs";
  const auto other = write("b");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, words);
  EXPECT_EQ(directory.remove_old().error().message, words);
  directory.remove("a.io/a");
  directory.remove_all();
  EXPECT_EQ(hanging.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  mount.let_go();
  hanging.wait();
  EXPECT_TRUE(write("a"));
}

}  // namespace
}  // namespace patchbay::specs
