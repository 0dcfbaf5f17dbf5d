#include "rpc/unix_listener.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"

namespace patchbay::rpc {
namespace {

using MoveResult = UnixListener::MoveResult;
using testing::HasSubstr;

class UnixListenerTest : public testing::Test {
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

TEST_F(UnixListenerTest, MovesToFreePath) {
  auto listener = open("first");
  EXPECT_EQ(listener->move_to(dir_ / "second").value(), MoveResult::moved);
  EXPECT_FALSE(is_there("first"));
  EXPECT_TRUE(is_anyone_listening(dir_ / "second"));
  struct stat status {};
  ASSERT_EQ(::stat((dir_ / "second").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  listener.reset();
  EXPECT_FALSE(is_there("second"));
}

TEST_F(UnixListenerTest, DoesNotReplaceExistingFile) {
  dir_.write("taken", "");
  EXPECT_EQ(open("first")->move_to(dir_ / "taken").value(), MoveResult::taken);
  EXPECT_FALSE(is_there("first"));
}

TEST_F(UnixListenerTest, ReportsDeletedSocket) {
  const auto listener = open("first");
  ::unlink((dir_ / "first").c_str());
  EXPECT_EQ(listener->move_to(dir_ / "second").value(), MoveResult::lost);
  EXPECT_FALSE(is_there("second"));
}

TEST_F(UnixListenerTest, RejectsMoveToTooLongPath) {
  const auto listener = open("first");
  const auto moved = listener->move_to(dir_ / std::string(100, 'x'));
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message, HasSubstr("a unix socket takes 107"));
}

/// connect() fails at once if the backlog is full, which proves that somebody listens.
TEST_F(UnixListenerTest, FullBacklogDoesNotBlockConnect) {
  const auto listener = open("busy");
  std::vector<UniqueFd> waiting;
  while (auto connection = connect_unix(dir_ / "busy")) {
    waiting.push_back(*std::move(connection));
    ASSERT_LT(waiting.size(), 10'000U);
  }
  EXPECT_EQ(connect_unix(dir_ / "busy").error(), EAGAIN);
  EXPECT_TRUE(is_anyone_listening(dir_ / "busy"));
}

}  // namespace
}  // namespace patchbay::rpc
