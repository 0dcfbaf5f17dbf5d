#include "driver/registration_tracker.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::driver {
namespace {

using State = DriverRegistration::State;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using std::chrono_literals::operator""ms;

class RegistrationTrackerTest : public testing::Test {
 protected:
  /// The changes since the last call, without those that on_change has not reported.
  std::vector<State> changes() {
    loop_.run_ready();
    return std::exchange(changes_, {});
  }
  [[nodiscard]] const std::string& reason() const { return tracker_.registration().reason; }

  /// The state after the kubelet has registered the driver.
  void start_registered() {
    tracker_.sockets_opened(paths_);
    tracker_.set_connected(true);
    tracker_.kubelet_answered(true, "");
    changes();
  }

  fake::ManualLoop loop_;
  std::vector<State> changes_;
  RegistrationTracker::Paths paths_{.registration = "/k/plugins_registry/r.sock",
                                    .service = "/k/plugins/patchbay/s.sock"};
  RegistrationTracker tracker_{loop_, "lab.example.com",
                               [this] { changes_.push_back(tracker_.registration().state); }};
};

TEST_F(RegistrationTrackerTest, WaitsUntilTheKubeletAnswers) {
  tracker_.sockets_opened(paths_);
  EXPECT_THAT(changes_, IsEmpty()) << "called within sockets_opened()";
  EXPECT_THAT(changes(), ElementsAre(State::waiting));
  EXPECT_EQ(reason(),
            "the kubelet has not called /k/plugins_registry/r.sock: check that it runs, and that "
            "this is its directory");
  tracker_.set_connected(true);
  EXPECT_THAT(changes(), IsEmpty());
  tracker_.kubelet_answered(true, "");
  EXPECT_THAT(changes(), ElementsAre(State::registered));
  EXPECT_EQ(reason(), "");
}

TEST_F(RegistrationTrackerTest, KubeletThatRejectsIsQuoted) {
  tracker_.sockets_opened(paths_);
  changes();
  tracker_.kubelet_answered(false, "no handler\nfor DRAPlugin");
  tracker_.kubelet_answered(false, "no handler\nfor DRAPlugin");
  EXPECT_THAT(changes(), ElementsAre(State::rejected));
  EXPECT_EQ(
      reason(),
      "the kubelet rejects it (no handler\\x0afor DRAPlugin); check that Kubernetes is 1.34 or "
      "newer");
  tracker_.kubelet_answered(true, "");
  EXPECT_THAT(changes(), ElementsAre(State::registered));
}

TEST_F(RegistrationTrackerTest, KubeletThatNeverConnectsIsDisconnected) {
  tracker_.sockets_opened(paths_);
  tracker_.kubelet_answered(true, "");
  EXPECT_EQ(tracker_.registration().state, State::registered);
  loop_.advance(RegistrationTracker::kConnectTime - 1ms);
  EXPECT_EQ(tracker_.registration().state, State::registered);
  loop_.advance(1ms);
  EXPECT_EQ(tracker_.registration().state, State::disconnected);
  EXPECT_EQ(reason(),
            "the kubelet does not connect to /k/plugins/patchbay/s.sock: mount its directory at "
            "the path that it has on the host");
}

TEST_F(RegistrationTrackerTest, ShortDisconnectIsNotReported) {
  start_registered();
  tracker_.set_connected(false);
  loop_.advance(RegistrationTracker::kConnectTime - 1ms);
  tracker_.set_connected(true);
  loop_.advance(RegistrationTracker::kConnectTime);
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(RegistrationTrackerTest, StoppedKubeletIsDisconnectedUntilItConnects) {
  start_registered();
  tracker_.set_connected(false);
  loop_.advance(RegistrationTracker::kConnectTime);
  EXPECT_THAT(changes(), ElementsAre(State::disconnected));
  EXPECT_EQ(reason(), "the kubelet has disconnected: check that it runs");
  tracker_.set_connected(true);
  EXPECT_THAT(changes(), ElementsAre(State::registered));
}

TEST_F(RegistrationTrackerTest, NewSocketsMustBeRegisteredAgain) {
  start_registered();
  tracker_.sockets_failed("the disk is full");
  EXPECT_THAT(changes(), ElementsAre(State::no_socket));
  EXPECT_EQ(reason(), "the disk is full");
  tracker_.sockets_opened(paths_);
  EXPECT_THAT(changes(), ElementsAre(State::waiting));
  tracker_.kubelet_answered(true, "");
  loop_.advance(RegistrationTracker::kConnectTime);
  EXPECT_EQ(tracker_.registration().state, State::disconnected);
  EXPECT_THAT(reason(), StartsWith("the kubelet does not connect to ")) << "to the new socket";
}

}  // namespace
}  // namespace patchbay::driver
