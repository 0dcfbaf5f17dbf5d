#include "http/status_socket.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/http_client.h"
#include "fake/temp_dir.h"
#include "http/listening.h"

namespace patchbay::http {
namespace {

namespace fs = std::filesystem;

class StatusSocketTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<StatusSocket> start(const std::string& path) {
    return std::make_unique<StatusSocket>(
        path, std::chrono::milliseconds(1),
        StatusSocket::Callbacks{.made =
                                    [this](UniqueFd socket) {
                                      const std::lock_guard lock(mutex_);
                                      socket_ = std::move(socket);
                                    },
                                .refused =
                                    [this](const Error& error) {
                                      if (is_socket_in_use(error)) taken_ = true;
                                    }});
  }
  [[nodiscard]] static bool answers_at(const std::string& path) {
    return fake::wait_until([&] { return fake::HttpClient(path).connected(); });
  }

  fake::TempDir dir_;
  const std::string path_ = dir_ / "run/status.sock";
  std::mutex mutex_;
  UniqueFd socket_;  // Guarded by mutex_.
  std::atomic<bool> taken_ = false;
};

TEST_F(StatusSocketTest, RemovesSocketAtShutdown) {
  auto socket = start(path_);
  ASSERT_TRUE(answers_at(path_));
  socket.reset();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StatusSocketTest, RecreatesDeletedSocket) {
  const auto socket = start(path_);
  ASSERT_TRUE(answers_at(path_));
  fs::remove(path_);
  EXPECT_TRUE(answers_at(path_));
  fs::remove_all(dir_ / "run");
  EXPECT_TRUE(answers_at(path_));
}

TEST_F(StatusSocketTest, KeepsSocketOfOtherInstanceAndTakesOverLater) {
  auto other = listen_unix(path_);
  ASSERT_TRUE(other) << other.error().message;
  auto socket = start(path_);
  ASSERT_TRUE(fake::wait_until([this] { return taken_.load(); }));
  socket.reset();
  EXPECT_TRUE(fake::HttpClient(path_).connected());
  socket = start(path_);
  other->reset();
  EXPECT_TRUE(answers_at(path_));
}

/// Another instance replaces the socket file.
TEST_F(StatusSocketTest, KeepsSocketOfReplacingInstanceAtShutdown) {
  auto socket = start(path_);
  ASSERT_TRUE(answers_at(path_));
  const auto other = listen_unix(dir_ / "other.sock");
  ASSERT_TRUE(other) << other.error().message;
  fs::rename(dir_ / "other.sock", path_);
  ASSERT_TRUE(fake::wait_until([this] { return taken_.load(); }));
  socket.reset();
  EXPECT_TRUE(fake::HttpClient(path_).connected());
}

TEST_F(StatusSocketTest, DoesNotWaitForHungFileSystem) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  fake::HangingMount mount;
  auto socket = start(mount.path() + "/run/status.sock");
  socket.reset();
  mount.let_go();
}

}  // namespace
}  // namespace patchbay::http
