// Tests the daemon with a kubelet that refuses, hangs or cancels.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "http/listening.h"

namespace patchbay {
namespace {

using fake::kGopher;

class RegistrationFaultsTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    gophers_.plug("g1");
    start_kubelet();
  }
  fake::Gophers gophers_{dir_};
};

TEST_F(RegistrationFaultsTest, RetriesRefusedRegistration) {
  kubelet_->set_faults({.register_errors = 2});
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(), 3U);
  EXPECT_EQ(kubelet_->count(Kind::registered), 1U);
  std::set<std::string> endpoints;
  for (const fake::KubeletEvent& event : kubelet_->log().all()) {
    if (event.kind == Kind::register_called) endpoints.insert(event.endpoint);
  }
  EXPECT_EQ(endpoints.size(), 3U) << "each attempt needs a fresh socket\n" << kubelet_->story();
  const auto warning = daemon_->wait_for_line("cannot register");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("the kubelet is not in the mood"), std::string::npos) << *warning;
}

TEST_F(RegistrationFaultsTest, HungRegisterDoesNotBlockShutdown) {
  kubelet_->set_faults({.block_register = true});
  start_daemon(gophers_.config());
  ASSERT_TRUE(kubelet_->wait_for(Kind::register_called, kGopher));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(RegistrationFaultsTest, LateRegisterAnswerIsAccepted) {
  kubelet_->set_faults({.block_register = true});
  start_daemon(gophers_.config());
  ASSERT_TRUE(kubelet_->wait_for(Kind::register_called, kGopher));
  kubelet_->set_faults({});
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

TEST_F(RegistrationFaultsTest, CancelsSupersededRegister) {
  kubelet_->set_faults({.block_register = true});
  start_daemon(gophers_.config());
  const auto first = kubelet_->wait_for(Kind::register_called, kGopher);
  ASSERT_TRUE(first);
  std::filesystem::remove(kubelet_directory() + "/" + first->endpoint);
  const size_t mark = kubelet_->log().size();
  const auto second = kubelet_->wait_for(Kind::register_called, kGopher, mark);
  ASSERT_TRUE(second);
  kubelet_->set_faults({});
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  // Without the cancellation, the kubelet would dial back until the deadline of the call, 20 s.
  const auto refused = kubelet_->wait_for(Kind::refused, kGopher);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->endpoint, first->endpoint);
  EXPECT_LT(refused->at - second->at, std::chrono::seconds(10));
}

TEST_F(RegistrationFaultsTest, ReRegistersAfterStreamIsCancelledAfterFirstList) {
  kubelet_->set_faults({.stream_cancels = 1, .cancel_after = 1});
  start_daemon(gophers_.config());
  ASSERT_TRUE(kubelet_->wait_for(Kind::ended, kGopher));
  EXPECT_TRUE(kubelet_->log().wait_until([](const auto& events) {
    return std::ranges::count(events, Kind::listed, &fake::KubeletEvent::kind) == 2;
  }));
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(kubelet_->streams_open(), 1U);
}

TEST_F(RegistrationFaultsTest, ReRegistersAfterStreamIsCancelledBeforeFirstList) {
  kubelet_->set_faults({.stream_cancels = 1});
  start_daemon(gophers_.config());
  ASSERT_TRUE(kubelet_->wait_for(Kind::ended, kGopher));
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

/// A kubelet up to 1.36 hangs up if it notices the end of an older stream only after Register.
TEST_F(RegistrationFaultsTest, ReRegistersAtOnceWhenKubeletHangsUpBeforeStream) {
  kubelet_->set_faults({.hang_ups = 2});
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(), 3U);
  // The daemon does not wait the five seconds in which a stream may open.
  EXPECT_EQ(daemon_->count_lines("opened no ListAndWatch stream"), 0U);
  EXPECT_EQ(daemon_->count_lines("disconnected before it opened a stream"), 2U);
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

/// The stopped kubelet leaves its socket, which refuses the connections of all resources.
TEST_F(RegistrationFaultsTest, LogsKubeletRestartOnceWithoutWarning) {
  start_daemon(
      gophers_.config("  - name: example.com/other\n"
                      "    match: {glob: /dev/null}\n"
                      "    id: $(name)\n"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  ASSERT_TRUE(lists("example.com/other", "null=Healthy"));
  for (size_t restart = 1; restart <= 2; ++restart) {
    const size_t from = daemon_->lines().size();
    kubelet_->stop();
    ASSERT_TRUE(daemon_->wait_for_line("waiting for the kubelet", from));
    const size_t mark = kubelet_->log().size();
    kubelet_->start_again();
    ASSERT_TRUE(lists(kGopher, "g1=Healthy", mark));
    ASSERT_TRUE(lists("example.com/other", "null=Healthy", mark));
    EXPECT_EQ(daemon_->count_lines("waiting for the kubelet"), restart);
  }
  EXPECT_EQ(daemon_->count_lines(R"("level":"warning")"), 0U);
}

TEST_F(RegistrationFaultsTest, RefusedResourceDoesNotBlockOtherResources) {
  kubelet_->set_faults({.register_errors = 1'000}, kGopher);
  start_daemon(
      gophers_.config("  - name: example.com/other\n"
                      "    match: {glob: /dev/null}\n"
                      "    id: $(name)\n"));
  EXPECT_TRUE(lists("example.com/other", "null=Healthy"));
}

/// A kubelet that accepts connections and never serves them.
class LeakingKubeletTest : public fake::DaemonTest {
 protected:
  void start_leaking() {
    gophers_.plug("g1");
    auto socket = http::listen_unix(kubelet_directory() + "/kubelet.sock");
    ASSERT_TRUE(socket) << socket.error().message;
    socket_ = *std::move(socket);
  }
  [[nodiscard]] bool leaks_one() {
    return fake::wait_until([this] {
      UniqueFd connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection) return false;
      leaked_.push_back(std::move(connection));
      return true;
    });
  }

  fake::Gophers gophers_{dir_};
  UniqueFd socket_;
  std::vector<UniqueFd> leaked_;
};

TEST_F(LeakingKubeletTest, RetriesBeforeRegisterDeadline) {
  ASSERT_NO_FATAL_FAILURE(start_leaking());
  start_daemon(gophers_.config());
  ASSERT_TRUE(leaks_one());
  ASSERT_TRUE(leaks_one());
  // If the deadline had passed, the daemon would have waited for a stream.
  EXPECT_EQ(daemon_->count_lines("opened no ListAndWatch stream"), 0U);
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
