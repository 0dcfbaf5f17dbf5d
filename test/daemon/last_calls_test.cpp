// Tests that the daemon answers every call of a kubelet while it shuts down.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "standin/kubelet_messages.h"
#include "standin/plugin_client.h"

namespace patchbay {
namespace {

using fake::kGopher;
using standin::PluginClient;
using Stub = v1beta1::DevicePlugin::Stub;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 5;  // Each start takes ten times as long.
#else
constexpr int kRounds = 20;
#endif
constexpr int kAskers = 2;
/// Number of answers after which the daemon is ended. Each round adds one, so that the end comes at
/// different times.
constexpr size_t kAnswers = 50;

/// Allocates gophers without a pause until its stream ends. Unlike a kubelet, it disconnects only
/// after all its calls are answered. So every failure is the daemon's.
class PatientKubelet {
 public:
  explicit PatientKubelet(const std::string& socket)
      : client_({.resource = kGopher, .endpoint = {}, .path = socket}) {}

  [[nodiscard]] Result<void> connect() {
    return client_.dial(PluginClient::Clock::now() + fake::kPatience, [] { return false; });
  }

  void begin() {
    watching_ = std::jthread([this] {
      why_ended_ = client_.watch(
          {.may_read = [](size_t) { return true; }, .listed = [](const auto&, auto) {}});
      stream_ended_ = true;
    });
    for (int i = 0; i < kAskers; ++i) askers_.emplace_back([this] { ask_until_the_end(); });
  }

  [[nodiscard]] bool wait_for_answers(size_t count) const {
    return answers_.wait_until([&](const auto& answers) { return answers.size() >= count; });
  }

  /// Waits for the stream's end and the last answers, then disconnects.
  void finish() {
    watching_.join();
    askers_.clear();  // Joins the threads.
    client_.close("done");
  }

  [[nodiscard]] const std::string& why_ended() const { return why_ended_; }
  /// All errors that the calls returned.
  [[nodiscard]] std::vector<std::string> failures() const { return failures_.all(); }

 private:
  void ask_until_the_end() {
    const auto request = fake::allocate_request({"g1"});
    bool ok = true;
    while (ok && !stream_ended_) {
      grpc::ClientContext context;
      v1beta1::AllocateResponse answer;
      const auto status = client_.call(&Stub::Allocate, context, request, answer);
      answers_.add("an answer");
      ok = status.ok();
      if (!ok) failures_.add(standin::to_text(status));
    }
  }

  PluginClient client_;
  std::string why_ended_;
  std::atomic<bool> stream_ended_ = false;
  fake::EventLog<std::string> answers_;
  fake::EventLog<std::string> failures_;
  std::jthread watching_;
  std::vector<std::jthread> askers_;
};

/// If this many bytes are unread, the whole call is in the socket. gRPC's other frames are far
/// smaller.
constexpr size_t kPadding = 20'000;

/// A request for the gopher with padding in an unknown field, as from a newer kubelet.
v1beta1::AllocateRequest padded_request() {
  auto request = fake::allocate_request({"g1"});
  request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(
      1000, std::string(kPadding, 'x'));
  return request;
}

/// Whether the daemon has at least `bytes` unread bytes of this process, on a connection to a
/// socket whose path begins with `begin`.
bool has_unread(const std::string& begin, size_t bytes) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    sockaddr_un peer{};
    socklen_t size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    int unread = 0;
    if (std::string_view(peer.sun_path).starts_with(begin) && ioctl(fd, SIOCOUTQ, &unread) == 0 &&
        static_cast<size_t>(unread) >= bytes) {
      return true;
    }
  }
  return false;
}

class LastCallsTest : public fake::DaemonTest {
 protected:
  /// Starts the kubelet and the daemon with one listed gopher.
  void start_serving() {
    gophers_.plug("g1");
    start_kubelet();
    start_daemon(gophers_.config());
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  [[nodiscard]] std::string socket() const {
    return kubelet_directory() + "/" + kubelet_->endpoint(kGopher);
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(LastCallsTest, AnswersCallsThatKubeletMakesBeforeItSeesStreamEnd) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(start_serving());
    PatientKubelet asking(socket());
    const auto connected = asking.connect();
    ASSERT_TRUE(connected) << connected.error().message;
    asking.begin();
    EXPECT_TRUE(asking.wait_for_answers(kAnswers + static_cast<size_t>(round)));
    daemon_->send_signal(SIGTERM);
    asking.finish();
    EXPECT_EQ(daemon_->wait().exit_code, 0);
    EXPECT_EQ(asking.why_ended(), "UNAVAILABLE: patchbay is shutting down");
    EXPECT_EQ(asking.failures(), std::vector<std::string>{}) << "in round " << round;
  }
}

/// The signal and a call arrive together, because the daemon is stopped until both exist.
TEST_F(LastCallsTest, AnswersCallThatArrivesTogetherWithSigterm) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(start_serving());
    daemon_->send_signal(SIGSTOP);
    siginfo_t stopped{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(daemon_->pid()), &stopped, WSTOPPED), 0);
    auto asked = std::async(std::launch::async, [&] {
      v1beta1::AllocateResponse answer;
      return kubelet_->call(kGopher, &Stub::Allocate, padded_request(), answer);
    });
    ASSERT_TRUE(fake::wait_until(
        [&] { return has_unread(kubelet_directory() + "/.patchbay-", kPadding); }));
    daemon_->send_signal(SIGTERM);
    daemon_->send_signal(SIGCONT);
    const auto status = asked.get();
    EXPECT_TRUE(status.ok()) << standin::to_text(status) << " in round " << round;
    EXPECT_EQ(daemon_->wait().exit_code, 0);
  }
}

TEST_F(LastCallsTest, ConnectedPeerDoesNotBlockShutdown) {
  start_serving();
  PluginClient silent({.resource = kGopher, .endpoint = {}, .path = socket()});
  ASSERT_TRUE(silent.dial(PluginClient::Clock::now() + fake::kPatience, [] { return false; }));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
