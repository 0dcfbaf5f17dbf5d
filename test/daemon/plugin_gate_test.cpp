#include "daemon/plugin_gate.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/manual_work.h"
#include "pods/pod_resources.h"
#include "pods/pod_watch.h"

namespace patchbay::daemon {
namespace {

using pods::ListOutcome;

constexpr const char* kUart = "a.io/uart";

/// A kubelet that returns the answer of the test.
class Kubelet final : public pods::PodResources {
 public:
  ListOutcome list(const pods::ResourceNames& /*resources*/) override {
    ++calls;
    return outcome;
  }
  void close() override {}

  int calls = 0;
  ListOutcome outcome;
};

class PluginGateTest : public testing::Test {
 protected:
  void start(pods::PodWatch* pods) {
    gate_ = std::make_unique<PluginGate>(loop_, pods, kUart, [this] { note(); });
    note();
  }
  void start() {
    start(&pods_);
    loop_.run_ready();
  }
  void next_query() { loop_.advance(PluginGate::kPeriod); }
  /// The answer lists Pods "lab/POD" with a device each.
  void answer(const std::vector<std::string>& pods) {
    kubelet_->outcome = {};
    for (const std::string& pod : pods) {
      kubelet_->outcome.list.allocations.push_back(
          {.resource = kUart,
           .device = "u-" + pod,
           .container = std::make_shared<const status::Container>(
               status::Container{.pod_namespace = "lab", .pod = pod, .name = "c"})});
    }
  }
  void fail_with(const std::string& reason) {
    kubelet_->outcome = {.kind = ListOutcome::Kind::failed, .reason = reason};
  }
  /// "STATE: REASON" at the start and after each change.
  [[nodiscard]] std::vector<std::string> take_log() { return std::exchange(log_, {}); }

  fake::ManualLoop loop_;
  fake::ManualWork work_{loop_};
  std::shared_ptr<Kubelet> kubelet_ = std::make_shared<Kubelet>();
  pods::PodWatch pods_{loop_, work_, "/k/pods.sock", kubelet_,
                       [] { return pods::ResourceNames{kUart}; }};
  std::unique_ptr<PluginGate> gate_;

 private:
  void note() {
    constexpr std::array kNames{"unknown", "in use", "open"};
    const std::string name = kNames.at(static_cast<size_t>(gate_->state()));
    log_.push_back(gate_->reason().empty() ? name : name + ": " + gate_->reason());
  }

  std::vector<std::string> log_;
};

using Log = std::vector<std::string>;

TEST_F(PluginGateTest, OpensAfterAnAnswerWithoutPods) {
  start();
  EXPECT_EQ(take_log(), (Log{"unknown: waiting for the kubelet's list of Pods", "open"}));
  loop_.advance(std::chrono::hours(1));
  EXPECT_EQ(kubelet_->calls, 1) << "an open gate needs no query";
}

TEST_F(PluginGateTest, NamesPodsUntilTheyHaveEnded) {
  answer({"b", "a", "c", "d", "e", "f"});
  start();
  next_query();
  answer({"b"});
  next_query();
  answer({});
  next_query();
  const std::string six_pods =
      "in use: Pods have units by the device plugin (lab/a, lab/b, lab/c, lab/d, lab/e, …): end "
      "them, or wait for their end";
  const std::string one_pod =
      "in use: Pods have units by the device plugin (lab/b): end them, or wait for their end";
  EXPECT_EQ(take_log(), (Log{"unknown: waiting for the kubelet's list of Pods", six_pods, six_pods,
                             one_pod, "open"}));
}

TEST_F(PluginGateTest, RecentAllocateCountsAsInUse) {
  pods_.allocated(kUart, {"u1"}, loop_.now());
  start();
  next_query();
  EXPECT_EQ(take_log(),
            (Log{"unknown: waiting for the kubelet's list of Pods",
                 "in use: Pods have units by the device plugin (a starting Pod): end them, or wait "
                 "for their end",
                 "open"}));
}

TEST_F(PluginGateTest, FailedQueryChangesNoEarlierAnswer) {
  fail_with("no rights");
  start();
  answer({"a"});
  next_query();
  fail_with("no rights");
  next_query();
  EXPECT_EQ(take_log(),
            (Log{"unknown: waiting for the kubelet's list of Pods",
                 "unknown: Pods may have units by the device plugin (no rights): check the "
                 "kubelet's PodResources API",
                 "in use: Pods have units by the device plugin (lab/a): end them, or wait for "
                 "their end",
                 "in use: Pods have units by the device plugin (lab/a): end them, or wait for "
                 "their end"}));
}

TEST_F(PluginGateTest, OldAnswerDoesNotOpenIt) {
  pods_.refresh([](const auto& /*newer*/) {});
  loop_.run_ready();
  fail_with("gone");
  start();
  EXPECT_EQ(gate_->state(), PluginGate::State::unknown);
}

TEST_F(PluginGateTest, StaysClosedWithoutQueries) {
  start(nullptr);
  loop_.advance(std::chrono::hours(1));
  EXPECT_EQ(take_log(), (Log{"unknown: Pods may have units by the device plugin (--pod-resources "
                             "none): let the daemon query the kubelet"}));
}

}  // namespace
}  // namespace patchbay::daemon
