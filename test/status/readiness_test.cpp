#include "status/readiness.h"

#include <chrono>

#include <gtest/gtest.h>

#include "status/status_fixture.h"

namespace patchbay::status {
namespace {

using State = RegistrationStatus::State;
using std::chrono::seconds;

/// The checks as "+scan -a.io/x: reason"; a minus means that the check fails.
std::string text_of(const NodeStatus& status) {
  std::string text;
  for (const ReadinessCheck& check : readiness(status)) {
    if (!text.empty()) text += ' ';
    text += (check.ok ? "+" : "-") + check.name;
    if (!check.ok) text += ": " + check.text;
  }
  return text;
}

class ReadinessTest : public ::testing::Test {
 protected:
  NodeStatus with(const RegistrationStatus& registration) {
    return node_status(inventory_, registration);
  }

  inventory::Inventory inventory_{
      inventory::plan_of("  - {name: a.io/x, match: {static: [x]}, id: x}\n")};
};

TEST_F(ReadinessTest, IsNotReadyBeforeFirstScan) {
  EXPECT_EQ(text_of(node_status()),
            "+configuration -scan: the first scan of the node is not complete");
}

TEST_F(ReadinessTest, IsReadyWhenKubeletHasList) {
  EXPECT_EQ(text_of(with(registered())), "+configuration +scan +a.io/x");
}

TEST_F(ReadinessTest, StandbyIsReady) {
  EXPECT_EQ(text_of(with({.state = State::standby})), "+configuration +scan +a.io/x");
}

TEST_F(ReadinessTest, UnregisteredResourceIsNotReady) {
  EXPECT_EQ(text_of(with({.state = State::backing_off, .since = {}, .failure = "no such version"})),
            "+configuration +scan -a.io/x: registration failed: no such version");
  EXPECT_EQ(text_of(with({.state = State::registering})),
            "+configuration +scan -a.io/x: registering with the kubelet");
  EXPECT_EQ(
      text_of(with({.state = State::pending})),
      "+configuration +scan -a.io/x: pending: paths or devices of its rules are unresponsive");
}

TEST_F(ReadinessTest, RegisteredDriverIsReadyWithoutTheApiServer) {
  for (const State state : {State::registered, State::held_back, State::not_published}) {
    const NodeStatus status = with({.kind = RegistrationStatus::Kind::dra,
                                    .state = state,
                                    .since = {},
                                    .failure = "the API server does not answer"});
    EXPECT_EQ(readiness(status).back().text, "registered: the kubelet has the driver");
    EXPECT_EQ(text_of(status), "+configuration +scan +a.io/x");
  }
}

TEST_F(ReadinessTest, UnregisteredDriverIsNotReady) {
  EXPECT_EQ(text_of(with({.kind = RegistrationStatus::Kind::dra,
                          .state = State::registering,
                          .since = {},
                          .failure = "the kubelet has not called"})),
            "+configuration +scan -a.io/x: registration failed: the kubelet has not called");
}

TEST_F(ReadinessTest, KubeletMayBeAwayForOneMinute) {
  NodeStatus status = with({.state = State::no_kubelet});
  status.kubelet.unavailable_reason = "there is no kubelet.sock";
  status.kubelet.since = kNow - seconds(59);
  EXPECT_EQ(text_of(status), "+configuration +scan +a.io/x");
  status.kubelet.since = kNow - seconds(60);
  EXPECT_EQ(text_of(status),
            "+configuration +scan -a.io/x: kubelet unreachable since 1m: there is no kubelet.sock");
}

}  // namespace
}  // namespace patchbay::status
