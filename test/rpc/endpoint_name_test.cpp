#include "rpc/endpoint_name.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"
#include "rpc/unix_listener.h"

namespace patchbay::rpc {
namespace {

class EndpointNameTest : public testing::Test {
 protected:
  std::unique_ptr<UnixListener> open(const std::string& name) {
    auto listener = UnixListener::open(loop_, dir_ / name, [](UniqueFd) {});
    EXPECT_TRUE(listener) << listener.error().message;
    return listener ? *std::move(listener) : nullptr;
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(dir_ / name);
  }
  fake::TempDir dir_;
  fake::ManualLoop loop_;
};

TEST_F(EndpointNameTest, RemovesOnlyStaleEndpoints) {
  const std::string living = endpoint_name("a.io/b", "01234567", 3);
  const std::string made = temporary_endpoint_name("01234567", 4);
  const auto first = open(living);
  const auto second = open(made);
  for (const std::string& left :
       {endpoint_name("a.io/b", "76543210", 1), temporary_endpoint_name("76543210", 2)}) {
    // Leaves the file of a socket without a listener, like a process that has ended.
    const auto dead = open("dead");
    std::filesystem::create_hard_link(dir_ / "dead", dir_ / left);
  }
  dir_.write(".patchbay-notes.sock", "a file, no socket");
  EXPECT_EQ(remove_stale_endpoints(dir_.path()), 2U);
  EXPECT_TRUE(is_there(living));
  EXPECT_TRUE(is_there(made));
  EXPECT_TRUE(is_there(".patchbay-notes.sock"));
}

TEST_F(EndpointNameTest, TemporaryEndpointNameIsShorter) {
  EXPECT_LT(temporary_endpoint_name("01234567", 1'000'000).size(),
            endpoint_name("a.io/b", "01234567", 1'000'000).size());
}

}  // namespace
}  // namespace patchbay::rpc
