#include "plugin/registration.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::plugin {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using Kind = RegisterOutcome::Kind;

const SocketIdentity kFirst{.device = 1, .inode = 10, .time_ns = 100};
/// The socket of a newer kubelet. This socket has the inode number of the deleted socket kFirst.
const SocketIdentity kSecond{.device = 1, .inode = 10, .time_ns = 200};

/// Records the calls of Actions. answer() answers the last call of Register.
class RegistrationTest : public ::testing::Test, public Registration::Actions {
 protected:
  Result<std::string> open_endpoint() override {
    done_.emplace_back("open");
    if (broken_) return fail("no such directory");
    return "e" + std::to_string(endpoints_++);
  }

  loop::Subscription send_register(const SocketIdentity& /*kubelet*/, const std::string& endpoint,
                                   std::move_only_function<void(RegisterOutcome)> done) override {
    done_.push_back("register " + endpoint);
    calls_.push_back(std::move(done));
    return loop::Subscription([this, endpoint] { cancelled_.push_back(endpoint); });
  }

  void end_streams() override { done_.emplace_back("end streams"); }
  void check_peers() override { ++peer_checks_; }
  void unreachable(const std::string& reason) override { said_.push_back(reason); }
  void reached() override { said_.emplace_back("reached"); }

  void answer(Kind kind, const std::string& message = "") {
    auto call = std::move(calls_.back());
    calls_.pop_back();
    call({.kind = kind, .message = message});
  }

  /// Registers with the kubelet, which opens a stream. The first message of the stream is written.
  void start_serving() {
    registration_.on_kubelet_socket(kFirst);
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::opened);
    registration_.stream_event(StreamEvent::live);
    done_.clear();
  }

  std::vector<std::string> take() { return std::exchange(done_, {}); }

  using Done = std::vector<std::string>;
  fake::ManualLoop loop_;
  bool broken_ = false;
  int endpoints_ = 0;
  int peer_checks_ = 0;
  Done done_;
  Done said_;       ///< Calls of unreachable() and reached().
  Done cancelled_;  ///< Endpoints of cancelled Register calls.
  std::vector<std::move_only_function<void(RegisterOutcome)>> calls_;
  Registration registration_{loop_, "lab.example.com/nic", *this, 1};
};

TEST_F(RegistrationTest, RegistersWhenKubeletAppears) {
  registration_.on_kubelet_socket(std::nullopt);
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
  registration_.on_kubelet_socket(kFirst);
  EXPECT_EQ(take(), (Done{"open", "register e0"}));
}

TEST_F(RegistrationTest, DoesNotRegisterAgainAfterFirstList) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  take();
  loop_.advance(10min);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, DoesNotRegisterAfterStop) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  take();
  registration_.stop();
  EXPECT_TRUE(registration_.has_streams());
  registration_.stream_event(StreamEvent::ended);
  EXPECT_FALSE(registration_.has_streams());
  registration_.endpoint_deleted();
  registration_.on_kubelet_socket(kSecond);
  loop_.advance(10min);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, DoesNotRegisterAgainIfStreamOpensBeforeRegisterReturns) {
  registration_.on_kubelet_socket(kFirst);
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  answer(Kind::timed_out);
  take();
  loop_.advance(10min);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, RetriesSoonOnNewKubeletSocket) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::unreachable, "connection refused");
  take();
  EXPECT_LE(*loop_.until_next_timer(), 2ms);
  loop_.advance(2ms);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, BacksOffWhileKubeletDoesNotListen) {
  registration_.on_kubelet_socket(kFirst);
  testing::internal::CaptureStderr();
  loop::Milliseconds whole = 2ms;
  for (int i = 0; i < 20; ++i) {
    answer(Kind::unreachable, "connection refused");
    const auto wait = *loop_.until_next_timer();
    EXPECT_LE(wait, whole);
    EXPECT_GE(wait, whole * 4 / 5);
    loop_.advance(wait);
    whole = std::min<loop::Milliseconds>(whole * 2, 5s);
  }
  // KubeletAvailability logs the failure once for all resources. Registration logs the failure only
  // at level debug.
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(said_, Done(20, "connection refused"));
}

/// A kubelet that exits leaves a stale socket, on which no process listens. Only the next kubelet
/// replaces the socket.
TEST_F(RegistrationTest, RetriesStaleKubeletSocketSlowly) {
  start_serving();
  registration_.stream_event(StreamEvent::ended);
  answer(Kind::unreachable, "connection refused");
  EXPECT_GE(*loop_.until_next_timer(), 800ms);
  // Retries on a new socket are fast until a kubelet has answered on the new socket.
  registration_.on_kubelet_socket(kSecond);
  answer(Kind::unreachable, "connection refused");
  EXPECT_LE(*loop_.until_next_timer(), 2ms);
  loop_.advance(2ms);
  answer(Kind::refused, "not in the mood");
  said_.clear();
  loop_.advance(1s);
  answer(Kind::unreachable, "connection refused");
  EXPECT_GE(*loop_.until_next_timer(), 800ms);
  EXPECT_EQ(said_, Done{"connection refused"});
}

TEST_F(RegistrationTest, ReportsKubeletAsReachedAfterAnswerAndLiveStream) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  EXPECT_EQ(said_, Done{"reached"});
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  EXPECT_EQ(said_, (Done{"reached", "reached"}));
}

TEST_F(RegistrationTest, BacksOffWithJitterFromOneToFiveSecondsIfRefused) {
  registration_.on_kubelet_socket(kFirst);
  std::vector<loop::Milliseconds> waits;
  for (int i = 0; i < 8; ++i) {
    answer(Kind::refused, "the ResourceName is invalid");
    waits.push_back(*loop_.until_next_timer());
    loop_.advance(waits.back());
  }
  loop::Milliseconds whole = 1s;
  for (const auto wait : waits) {
    EXPECT_LE(wait, whole);
    EXPECT_GE(wait, whole * 4 / 5);
    whole = std::min<loop::Milliseconds>(whole * 2, 5s);
  }
}

TEST_F(RegistrationTest, NewKubeletEndsBackOff) {
  registration_.on_kubelet_socket(kFirst);
  for (int i = 0; i < 6; ++i) {
    answer(Kind::refused, "no");
    loop_.advance(*loop_.until_next_timer());
  }
  answer(Kind::refused, "no");
  take();
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(take(), (Done{"open", "register e7"}));
  answer(Kind::refused, "no");
  EXPECT_LE(*loop_.until_next_timer(), 1s);
}

TEST_F(RegistrationTest, NewKubeletGetsImmediateRetries) {
  for (const SocketIdentity& kubelet : {kFirst, kSecond}) {
    registration_.on_kubelet_socket(kubelet);
    for (int drops = 1; drops <= 2; ++drops) {
      answer(Kind::accepted);
      take();
      registration_.stream_event(StreamEvent::no_peers);
      EXPECT_EQ(take().size(), 2U) << "the retry has no back-off";
    }
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::no_peers);
    EXPECT_EQ(take(), Done{});
    EXPECT_GE(*loop_.until_next_timer(), 800ms);
  }
}

/// The new kubelet appears before the last stream of the old kubelet ends.
TEST_F(RegistrationTest, NewKubeletGetsImmediateRetriesAfterOldStream) {
  start_serving();
  for (int drops = 1; drops <= 3; ++drops) {
    registration_.stream_event(StreamEvent::ended);
    if (drops == 3) loop_.advance(1s);
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::opened);
    registration_.stream_event(StreamEvent::live);
  }
  registration_.on_kubelet_socket(kSecond);
  take();
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e4"})) << "the retry has no back-off";
  for (int drops = 1; drops <= 2; ++drops) {
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::no_peers);
    EXPECT_EQ(take().size(), 2U) << "the retry has no back-off";
  }
}

TEST_F(RegistrationTest, ReRegistersAfterFiveSecondsWithoutStream) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  take();
  loop_.advance(4999ms);
  EXPECT_EQ(take(), Done{});
  loop_.advance(1ms + 1s);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, ReRegistersWhenKubeletHangsUpBeforeStream) {
  registration_.on_kubelet_socket(kFirst);
  for (int hang_ups = 1; hang_ups <= 2; ++hang_ups) {
    EXPECT_EQ(take().back(), "register e" + std::to_string(hang_ups - 1));
    answer(Kind::accepted);
    EXPECT_EQ(std::exchange(peer_checks_, 0), 1)
        << "the kubelet may hang up before its answer is processed";
    registration_.peer_disconnected();
    EXPECT_EQ(std::exchange(peer_checks_, 0), 1);
    EXPECT_EQ(take(), Done{});
    registration_.stream_event(StreamEvent::no_peers);
  }
  EXPECT_EQ(take(), (Done{"open", "register e2"}));
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::no_peers);
  EXPECT_EQ(take(), Done{});
  loop_.advance(1s);
  EXPECT_EQ(take(), (Done{"open", "register e3"}));
}

/// The connection that ended may belong to an earlier endpoint.
TEST_F(RegistrationTest, IgnoresHangUpBeforeRegisterReturns) {
  registration_.on_kubelet_socket(kFirst);
  take();
  registration_.peer_disconnected();
  EXPECT_EQ(peer_checks_, 0);
  registration_.stream_event(StreamEvent::no_peers);
  EXPECT_EQ(take(), Done{});
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  peer_checks_ = 0;
  registration_.peer_disconnected();
  registration_.stream_event(StreamEvent::no_peers);
  EXPECT_EQ(peer_checks_, 0);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, WaitsForNextKubeletAfterHangUpAndExit) {
  registration_.on_kubelet_socket(kFirst);
  take();
  registration_.on_kubelet_socket(std::nullopt);
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::no_peers);
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

/// A kubelet may still answer Register while it exits.
TEST_F(RegistrationTest, AnswerToRegisterCountsIfSocketVanishes) {
  using State = status::RegistrationStatus::State;
  registration_.on_kubelet_socket(kFirst);
  registration_.on_kubelet_socket(std::nullopt);
  EXPECT_EQ(registration_.status().state, State::registering);
  answer(Kind::accepted);
  EXPECT_EQ(peer_checks_, 1) << "Register counts as accepted";
  EXPECT_EQ(said_, Done{"reached"});
  EXPECT_EQ(registration_.status().state, State::registering);
  loop_.advance(5s);
  EXPECT_EQ(registration_.status().state, State::no_kubelet);

  registration_.on_kubelet_socket(kSecond);
  registration_.on_kubelet_socket(std::nullopt);
  take();
  said_.clear();
  answer(Kind::unreachable, "connection refused");
  EXPECT_EQ(registration_.status().state, State::no_kubelet);
  EXPECT_EQ(said_, Done{}) << "if kubelet.sock does not exist, unreachable() is not called";
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
}

/// The kubelet opens the stream late, while Registration already backs off.
TEST_F(RegistrationTest, DoesNotRegisterWhileLateStreamIsOpen) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  loop_.advance(5s);
  registration_.stream_event(StreamEvent::opened);
  registration_.on_kubelet_socket(std::nullopt);
  take();
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(registration_.status().state, status::RegistrationStatus::State::no_kubelet);
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, DoesNotRegisterWhileStreamIsOpen) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  // The kubelet does not read the first message yet.
  registration_.stream_event(StreamEvent::opened);
  take();
  loop_.advance(1min);
  // While a stream is open, a new kubelet.sock causes no attempt.
  registration_.on_kubelet_socket(kSecond);
  registration_.endpoint_deleted();
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, ReRegistersTwiceAfterStreamIsDroppedThenBacksOff) {
  start_serving();
  for (int drops = 1; drops <= 2; ++drops) {
    registration_.stream_event(StreamEvent::ended);
    EXPECT_EQ(take(), (Done{"open", "register e" + std::to_string(drops)}));
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::opened);
    registration_.stream_event(StreamEvent::live);
  }
  loop::Milliseconds whole = 1s;
  for (int drops = 3; drops <= 6; ++drops) {
    registration_.stream_event(StreamEvent::ended);
    EXPECT_EQ(take(), Done{});
    const auto wait = *loop_.until_next_timer();
    EXPECT_LE(wait, whole);
    EXPECT_GE(wait, whole * 4 / 5);
    loop_.advance(wait);
    EXPECT_EQ(take(), (Done{"open", "register e" + std::to_string(drops)}));
    answer(Kind::accepted);
    registration_.stream_event(StreamEvent::opened);
    registration_.stream_event(StreamEvent::live);
    whole = std::min<loop::Milliseconds>(whole * 2, 5s);
  }
  // After a stream that was live for 10 s, the count of retries begins again.
  loop_.advance(10s);
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e7"}));
}

TEST_F(RegistrationTest, StreamEndedBeforeFirstListCountsAsDropped) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  take();
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
  // While Register has no answer, the end of a stream causes no retry.
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), Done{});
  answer(Kind::accepted);
  EXPECT_EQ(take(), (Done{"open", "register e2"}));
}

TEST_F(RegistrationTest, RegistersWithNewKubeletAtOnceAfterLiveStream) {
  start_serving();
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(take(), Done{});
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, StaysLiveWhenSecondStreamEnds) {
  start_serving();
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::ended);
  loop_.advance(1min);
  EXPECT_EQ(take(), Done{});
}

TEST_F(RegistrationTest, WaitsForNextKubeletIfSocketIsMissingAfterStreamEnds) {
  start_serving();
  registration_.on_kubelet_socket(std::nullopt);
  registration_.stream_event(StreamEvent::ended);
  loop_.advance(10min);
  EXPECT_EQ(take(), Done{});
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, ReplacesDeletedEndpointWhileAwaitingStream) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::accepted);
  take();
  registration_.endpoint_deleted();
  loop_.advance(50ms);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, IgnoresAnswerOfEarlierAttempt) {
  registration_.on_kubelet_socket(kFirst);
  auto first = std::move(calls_.back());
  calls_.clear();
  registration_.on_kubelet_socket(kSecond);
  take();
  first({.kind = Kind::refused, .message = "the old kubelet is going"});
  EXPECT_FALSE(loop_.until_next_timer());
  answer(Kind::accepted);
  EXPECT_EQ(loop_.until_next_timer(), 5s);
}

TEST_F(RegistrationTest, CancelsSupersededRegisterCall) {
  registration_.on_kubelet_socket(kFirst);
  registration_.on_kubelet_socket(kSecond);
  EXPECT_EQ(cancelled_, Done{"e0"}) << "a new kubelet.sock replaced the old one";
  registration_.endpoint_deleted();
  EXPECT_EQ(cancelled_, (Done{"e0", "e1"}))
      << "the socket file of e1 was deleted, so the kubelet cannot connect";
  loop_.advance(50ms);
  EXPECT_EQ(cancelled_.size(), 2U);
  registration_.stop();
  EXPECT_EQ(cancelled_, (Done{"e0", "e1", "e2"})) << "the resource is no longer offered";
}

TEST_F(RegistrationTest, KeepsRegisterCallWhenSocketVanishesOrStreamOpens) {
  registration_.on_kubelet_socket(kFirst);
  registration_.on_kubelet_socket(std::nullopt);
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  EXPECT_EQ(cancelled_, Done{});
}

TEST_F(RegistrationTest, ReRegisterEndsStreamAndRegistersAgain) {
  start_serving();
  registration_.re_register();
  EXPECT_EQ(take(), Done{"end streams"});
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

/// If re_register() did not wait for the expected stream, that stream would stay open beside the
/// stream of the new registration.
TEST_F(RegistrationTest, ReRegisterWaitsForExpectedStream) {
  registration_.on_kubelet_socket(kFirst);
  take();
  registration_.re_register();
  EXPECT_EQ(take(), Done{});
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  EXPECT_EQ(take(), Done{});
  registration_.stream_event(StreamEvent::live);
  EXPECT_EQ(take(), Done{"end streams"});
  registration_.stream_event(StreamEvent::ended);
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  registration_.stream_event(StreamEvent::live);
  EXPECT_EQ(take(), Done{}) << "end_streams() is called only once";
}

TEST_F(RegistrationTest, ReRegisterRegistersAtOnceWithoutStream) {
  registration_.on_kubelet_socket(kFirst);
  answer(Kind::refused, "no");
  take();
  registration_.re_register();
  EXPECT_EQ(take(), (Done{"open", "register e1"}));
}

TEST_F(RegistrationTest, StatusHasTheFailureUntilAStreamIsLive) {
  using State = status::RegistrationStatus::State;
  EXPECT_EQ(registration_.status().state, State::no_kubelet);
  registration_.on_kubelet_socket(kFirst);
  EXPECT_EQ(registration_.status().state, State::registering);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    answer(Kind::refused, "not in the mood");
    EXPECT_EQ(registration_.status().state, State::backing_off);
    EXPECT_EQ(registration_.status().failure, "not in the mood");
    loop_.advance(2s);
  }
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_EQ(logged.find("not in the mood"), logged.rfind("not in the mood"))
      << "the second failure logs no warning";
  answer(Kind::accepted);
  registration_.stream_event(StreamEvent::opened);
  EXPECT_EQ(registration_.status().failure, "not in the mood");
  registration_.stream_event(StreamEvent::live);
  EXPECT_EQ(registration_.status().state, State::registered);
  EXPECT_EQ(registration_.status().failure, "");
  EXPECT_EQ(registration_.status().streams, 1U);
  EXPECT_EQ(registration_.status().since, loop_.now());
  registration_.stop();
  EXPECT_EQ(registration_.status().state, State::withdrawing);
}

TEST_F(RegistrationTest, RetriesWhenEndpointCannotBeOpened) {
  broken_ = true;
  registration_.on_kubelet_socket(kFirst);
  EXPECT_EQ(take(), Done{"open"});
  broken_ = false;
  loop_.advance(1s);
  EXPECT_EQ(take(), (Done{"open", "register e0"}));
}

}  // namespace
}  // namespace patchbay::plugin
