#include "rpc/endpoint_name.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"
#include "rpc/endpoint.h"
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

TEST_F(EndpointNameTest, NamesContainHashStartIdAndNumber) {
  EXPECT_EQ(endpoint_name("a.io/b", "01234567", 12), "patchbay-a.io_b-d0c3170b-01234567-12.sock");
  EXPECT_EQ(short_endpoint_name("a.io/b", "01234567", 12), "patchbay-d0c3170b-01234567-12.sock");
  EXPECT_EQ(temporary_endpoint_name("01234567", 12), ".patchbay-01234567-12.sock");
}

TEST_F(EndpointNameTest, OpensSocketWithUnusedName) {
  const auto taken = open("1");
  uint64_t next = 1;
  const auto endpoint = open_endpoint(loop_,
                                      {.directory = dir_.path(),
                                       .start_id = "0",
                                       .name = [](uint64_t n) { return std::to_string(n); }},
                                      next, [](UniqueFd) {});
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  EXPECT_EQ(endpoint->name, "2");
  EXPECT_EQ(next, 3U);
  EXPECT_TRUE(is_anyone_listening(dir_ / "2"));
  EXPECT_FALSE(is_there(temporary_endpoint_name("0", 1)));
  EXPECT_FALSE(is_there(temporary_endpoint_name("0", 2)));
}

}  // namespace
}  // namespace patchbay::rpc
