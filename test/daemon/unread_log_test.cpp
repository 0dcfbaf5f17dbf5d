// Tests that the daemon works while nobody reads its log.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>

#include <nlohmann/json.hpp>

#include "base/unique_fd.h"
#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/http_client.h"

namespace patchbay {
namespace {

using fake::kGopher;

class UnreadLogTest : public fake::DaemonTest {
 protected:
  /// Starts a daemon whose log is a pipe that nobody reads.
  void start_serving() {
    open_log();
    gophers_.plug("g1");
    start_kubelet();
    start_daemon_in({"sh", "-c", "exec \"$@\" 2>" + (dir_ / "log"), "sh"}, gophers_.config());
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  void open_log() {
    const std::string pipe = dir_ / "log";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    log_ = UniqueFd(::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ASSERT_TRUE(log_);
  }

  /// Starts `run --standalone` with a pipe as standard error, and then fills the pipe.
  void try_out() {
    open_log();
    gophers_.plug("g1");
    daemon_ = std::make_unique<fake::Process>(std::vector<std::string>{
        "sh", "-c", "exec \"$@\" 2>" + (dir_ / "log"), "sh", fake::patchbay_binary(), "run",
        "--standalone", "--log-level", "debug", "--status-socket", status_socket(), "--config",
        dir_.write("config.yaml", gophers_.config())});
    ASSERT_TRUE(daemon_->wait_for_line("g1  Healthy"));
    const std::vector<char> block(4096, '\n');
    while (::write(log_.get(), block.data(), block.size()) > 0) {
    }
  }

  /// Starts `run --standalone` with a pipe as standard output, and then fills the pipe.
  void try_out_unread_output() {
    open_log();
    gophers_.plug("g1");
    daemon_ = std::make_unique<fake::Process>(std::vector<std::string>{
        "sh", "-c", "exec \"$@\" >" + (dir_ / "log"), "sh", fake::patchbay_binary(), "run",
        "--standalone", "--status-socket", status_socket(), "--config",
        dir_.write("config.yaml", gophers_.config())});
    ASSERT_TRUE(daemon_->wait_for_line("registered: the kubelet has the list"));
    const std::vector<char> block(4096, '\n');
    while (::write(log_.get(), block.data(), block.size()) > 0) {
    }
  }

  /// Causes far more log lines than the pipe and the log's queue can hold. Expects an answer to
  /// each call.
  void overflow() {
    for (int i = 0; i < 400; ++i) {
      // Each call causes a log line of some kilobytes.
      const std::vector<std::string> ids(20, std::to_string(i) + std::string(200, 'x'));
      const auto refused = kubelet_->allocate(kGopher, ids);
      ASSERT_FALSE(refused);
      ASSERT_NE(refused.error().message.find("has no unit"), std::string::npos)
          << refused.error().message;
    }
    EXPECT_TRUE(fake::wait_until([&] {
      pollfd room{.fd = log_.get(), .events = POLLOUT, .revents = 0};
      return ::poll(&room, 1, 0) == 0;
    })) << "the pipe is full";
  }

  /// Reads the log up to the first line that contains `text`.
  std::vector<std::string> read_until(const std::string& text) {
    std::vector<std::string> lines;
    std::string pending;
    const bool found = fake::wait_until([&] {
      std::array<char, 65536> buffer{};
      const ssize_t size = ::read(log_.get(), buffer.data(), buffer.size());
      if (size <= 0) return false;
      pending.append(buffer.data(), static_cast<size_t>(size));
      for (size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
        lines.push_back(pending.substr(0, end));
        pending.erase(0, end + 1);
        if (lines.back().find(text) != std::string::npos) return true;
      }
      return false;
    });
    EXPECT_TRUE(found) << "no line with " << text << " in " << lines.size() << " lines";
    return lines;
  }

  fake::Gophers gophers_{dir_};
  UniqueFd log_;
};

TEST_F(UnreadLogTest, UnreadLogBlocksNothing) {
  start_serving();
  overflow();
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g2"}));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(UnreadLogTest, LateReaderGetsNumberOfDroppedLines) {
  start_serving();
  overflow();
  const auto lines = read_until("log lines were dropped");
  size_t refusals = 0;
  for (const std::string& line : lines) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(parsed.is_object()) << line;
    if (parsed["message"] == "allocation refused") ++refusals;
  }
  ASSERT_FALSE(lines.empty());
  const auto last = nlohmann::json::parse(lines.back(), nullptr, false);
  EXPECT_EQ(last["level"], "warning");
  EXPECT_GE(std::stoul(last["count"].get<std::string>()) + refusals, 400U) << lines.back();
  gophers_.plug("g2");
  EXPECT_FALSE(read_until("\"unit\":\"g2\"").empty()) << "it goes on";
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(UnreadLogTest, StandaloneWithUnreadLogListsUnitsAndEndsOnSigterm) {
  try_out();
  constexpr int kUnits = 200;
  for (int i = 2; i <= kUnits; ++i) gophers_.plug("g" + std::to_string(i));
  EXPECT_TRUE(daemon_->wait_for_line("g" + std::to_string(kUnits) + "  Healthy"));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(UnreadLogTest, StandaloneWithUnreadOutputServesAndEndsOnSigterm) {
  try_out_unread_output();
  constexpr int kUnits = 200;
  for (int i = 2; i <= kUnits; ++i) gophers_.plug("g" + std::to_string(i));
  const std::string healthy = R"(patchbay_units{resource="example.com/gopher",state="healthy"} )" +
                              std::to_string(kUnits) + "\n";
  EXPECT_TRUE(fake::wait_until(
      [&] { return fake::http_body(status_socket(), "/metrics").contains(healthy); }));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
