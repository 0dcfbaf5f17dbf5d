#include "pods/pod_watch.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/manual_work.h"
#include "fake/patience.h"
#include "fake/pod_resources_server.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/work_queue.h"

namespace patchbay::pods {
namespace {

using loop::Milliseconds;
using std::chrono::seconds;
using Kind = ListOutcome::Kind;

constexpr const char* kPath = "/k/pods.sock";
constexpr const char* kWatched = "a.io/tty";

/// A PodResources that returns the answers of the test.
class Kubelet final : public PodResources {
 public:
  ListOutcome list(const ResourceNames& resources) override {
    ++calls;
    asked_for = resources;
    return outcome;
  }
  void close() override { ++closed; }

  int calls = 0;
  int closed = 0;
  ResourceNames asked_for;
  ListOutcome outcome;
};

ListOutcome held_by(const std::string& pod) {
  const auto container = std::make_shared<const status::Container>(
      status::Container{.pod_namespace = "n", .pod = pod, .name = "c"});
  return {
      .list = {.allocations = {{.resource = kWatched, .device = "u1", .container = container}}}};
}

class PodWatchTest : public ::testing::Test {
 protected:
  PodWatchTest() {
    watch_ = std::make_unique<PodWatch>(loop_, work_, kPath, kubelet_, [] {
      return ResourceNames{kWatched, "b.io/x"};
    });
  }

  void allocate() { watch_->allocated(kWatched, {"u1"}, loop_.now()); }
  /// Requests the assignments. `refreshed_` counts the calls of the callback.
  void look() {
    watch_->refresh([this](const auto& /*newer*/) { ++refreshed_; });
  }
  /// Requests an answer that is newer than this call. The result goes to `newest_`.
  void ask() {
    watch_->refresh([this](const Result<void>& newer) { newest_.push_back(text_of(newer)); }, true);
  }
  static std::string text_of(const Result<void>& newer) {
    return newer ? "newer" : newer.error().message;
  }
  void refresh_and_wait() {
    look();
    loop_.run_ready();
  }
  [[nodiscard]] std::string state() const { return std::string(word_of(watch_->status()->state)); }
  [[nodiscard]] std::string pods() const {
    std::string text;
    for (const auto& [resource, devices] : *watch_->status()->devices) {
      for (const auto& [id, device] : devices) {
        for (const auto& assignment : device.assignments) text += assignment.container->pod + " ";
      }
    }
    return text;
  }

  fake::ManualLoop loop_;
  fake::ManualWork work_{loop_};
  std::shared_ptr<Kubelet> kubelet_ = std::make_shared<Kubelet>();
  std::unique_ptr<PodWatch> watch_;
  int refreshed_ = 0;
  std::vector<std::string> newest_;
};

TEST_F(PodWatchTest, DoesNotQueryWithoutReadersOrAllocates) {
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
  loop_.advance(std::chrono::hours(1));
  EXPECT_EQ(kubelet_->calls, 0);
  EXPECT_EQ(state(), "notQueried");
}

TEST_F(PodWatchTest, QueriesTwiceAfterAnAllocate) {
  allocate();
  loop_.advance(Milliseconds(999));
  EXPECT_EQ(kubelet_->calls, 0);
  loop_.advance(Milliseconds(1));
  EXPECT_EQ(kubelet_->calls, 1);
  loop_.advance(Milliseconds(8999));
  EXPECT_EQ(kubelet_->calls, 1);
  loop_.advance(Milliseconds(1));
  EXPECT_EQ(kubelet_->calls, 2);
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt) << "no wake-up is left";
}

TEST_F(PodWatchTest, AllocatesWithinOneSecondCauseTwoQueries) {
  for (int i = 0; i < 10; ++i) {
    allocate();
    loop_.advance(Milliseconds(100));
  }
  EXPECT_EQ(kubelet_->calls, 1) << "of the first second";
  loop_.advance(seconds(60));
  EXPECT_EQ(kubelet_->calls, 2) << "10 s after the last";
}

TEST_F(PodWatchTest, FirstReaderQueriesAndWaits) {
  kubelet_->outcome = held_by("p");
  look();
  EXPECT_EQ(refreshed_, 0);
  loop_.run_ready();
  EXPECT_EQ(refreshed_, 1);
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(pods(), "p ");
  EXPECT_EQ(kubelet_->asked_for, (ResourceNames{kWatched, "b.io/x"}));
  EXPECT_EQ(watch_->status()->answered, loop_.now());
}

TEST_F(PodWatchTest, LaterReaderGetsTheKnownAnswer) {
  refresh_and_wait();
  loop_.advance(Milliseconds(14'999));
  look();
  EXPECT_EQ(refreshed_, 2) << "at once";
  EXPECT_EQ(kubelet_->calls, 1);
  loop_.advance(Milliseconds(1));
  refresh_and_wait();
  EXPECT_EQ(refreshed_, 3);
  EXPECT_EQ(kubelet_->calls, 2);
}

TEST_F(PodWatchTest, RequestForNewestStartsItsOwnQuery) {
  refresh_and_wait();
  kubelet_->outcome = held_by("p");
  ask();
  EXPECT_EQ(newest_.size(), 0U);
  loop_.run_ready();
  EXPECT_EQ(newest_, std::vector<std::string>{"newer"});
  EXPECT_EQ(pods(), "p ") << "although the known answer is recent";
  kubelet_->outcome = held_by("q");
  loop_.advance(seconds(15));
  look();
  ask();
  loop_.run_ready();
  EXPECT_EQ(kubelet_->calls, 4) << "the query of look() may have begun too early";
  EXPECT_EQ(refreshed_, 2);
  EXPECT_EQ(newest_, (std::vector<std::string>{"newer", "newer"}));
}

TEST_F(PodWatchTest, ReaderLearnsWhyTheStateIsOlderThanItsRequest) {
  std::vector<std::string> results;
  const auto read = [&] {
    watch_->refresh([&](const Result<void>& newer) { results.push_back(text_of(newer)); });
  };
  read();
  read();  // Waits for the same query.
  loop_.run_ready();
  read();
  EXPECT_EQ(results, (std::vector<std::string>{"newer", "the query began earlier",
                                               "the last query is recent"}));
}

TEST_F(PodWatchTest, ReaderLearnsThatSocketHangs) {
  work_.hang();
  ask();
  loop_.advance(PodWatch::kCallTimeout - Milliseconds(100));
  ask();
  EXPECT_EQ(newest_, std::vector<std::string>{"the kubelet did not answer within 500ms"});
  loop_.advance(Milliseconds(100));
  EXPECT_EQ(newest_,
            (std::vector<std::string>{"the kubelet did not answer within 500ms",
                                      "/k/pods.sock is unresponsive: its file system hangs"}));
  work_.let_go();
}

TEST_F(PodWatchTest, ReaderLearnsWhyQueryFailed) {
  kubelet_->outcome = held_by("p");
  refresh_and_wait();
  kubelet_->outcome = {.kind = Kind::failed, .reason = "no"};
  ask();
  loop_.run_ready();
  kubelet_->outcome = {.kind = Kind::no_socket, .reason = "no socket at /k"};
  ask();
  loop_.run_ready();
  EXPECT_EQ(newest_, (std::vector<std::string>{"no", "no socket at /k"}));
  EXPECT_EQ(pods(), "p ");
}

TEST_F(PodWatchTest, RequestInCallbackStartsItsOwnQuery) {
  kubelet_->outcome = held_by("p");
  std::string seen;
  const auto ask_again = [&](const Result<void>& /*newer*/) {
    kubelet_->outcome = held_by("q");
    watch_->refresh([&](const Result<void>& newer) { seen = text_of(newer) + " " + pods(); }, true);
  };
  watch_->refresh(ask_again, true);
  loop_.run_ready();
  EXPECT_EQ(seen, "newer q ");
}

TEST_F(PodWatchTest, AllocatesOfOtherProcessesCauseTwoQueries) {
  watch_->refresh_soon();
  loop_.advance(seconds(60));
  EXPECT_EQ(kubelet_->calls, 2);
}

TEST_F(PodWatchTest, AssignmentsAreUnknownBeforeTheFirstAnswer) {
  allocate();
  kubelet_->outcome = {.kind = Kind::failed, .reason = "no"};
  refresh_and_wait();
  EXPECT_EQ(watch_->assignments(), nullptr);
  kubelet_->outcome = {};
  loop_.advance(seconds(1));
  ASSERT_NE(watch_->assignments(), nullptr);
  EXPECT_TRUE(watch_->assignments()->contains(kWatched)) << "with our own Allocate";
  kubelet_->outcome = {.kind = Kind::failed, .reason = "no"};
  loop_.advance(seconds(60));
  EXPECT_NE(watch_->assignments(), nullptr) << "the last known state stays";
}

TEST_F(PodWatchTest, ReaderGetsAnswerOfQueryAfterAllocate) {
  allocate();
  loop_.advance(seconds(10));
  EXPECT_EQ(kubelet_->calls, 2);
  look();
  EXPECT_EQ(refreshed_, 1);
  EXPECT_EQ(kubelet_->calls, 2);
}

TEST_F(PodWatchTest, ReaderDoesNotWaitLongForAHungKubelet) {
  work_.hang();
  look();
  look();
  loop_.advance(Milliseconds(499));
  EXPECT_EQ(refreshed_, 0);
  loop_.advance(Milliseconds(1));
  EXPECT_EQ(refreshed_, 2);
  look();  // Waits for the running call.
  loop_.advance(PodWatch::kRefreshTimeout);
  EXPECT_EQ(refreshed_, 3);
  loop_.advance(PodWatch::kCallTimeout);
  EXPECT_EQ(refreshed_, 3) << "once each";
  EXPECT_EQ(state(), "failing");
  EXPECT_EQ(watch_->status()->reason, "/k/pods.sock is unresponsive: its file system hangs");
  work_.let_go();
}

TEST_F(PodWatchTest, AllocateDuringACallCausesAnotherQuery) {
  work_.hang();
  look();
  loop_.run_ready();
  allocate();
  loop_.advance(seconds(2));
  EXPECT_EQ(kubelet_->calls, 0);
  work_.let_go();
  EXPECT_EQ(kubelet_->calls, 1);
  loop_.advance(PodWatch::kCallTimeout - seconds(2));
  EXPECT_EQ(kubelet_->calls, 2) << "at the end of that one";
}

TEST_F(PodWatchTest, KeepsTheLastAnswerWhenTheKubeletFails) {
  kubelet_->outcome = held_by("p");
  refresh_and_wait();
  const auto answered = watch_->status()->answered;
  loop_.advance(seconds(20));
  kubelet_->outcome = {.kind = Kind::failed, .reason = "no"};
  refresh_and_wait();
  EXPECT_EQ(state(), "failing");
  EXPECT_EQ(watch_->status()->reason, "no");
  EXPECT_EQ(watch_->status()->answered, answered);
  EXPECT_EQ(watch_->status()->asked, loop_.now());
  EXPECT_EQ(pods(), "p ");
  loop_.advance(seconds(20));
  kubelet_->outcome = {.kind = Kind::no_socket, .reason = "no socket at /k"};
  refresh_and_wait();
  EXPECT_EQ(state(), "noSocket");
  EXPECT_EQ(pods(), "p ");
  loop_.advance(seconds(20));
  kubelet_->outcome = held_by("q");
  refresh_and_wait();
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(watch_->status()->reason, "");
  EXPECT_EQ(pods(), "q ");
}

TEST_F(PodWatchTest, QueriesAllocatedResourcesThatAreNoLongerOffered) {
  kubelet_->outcome = held_by("p");
  kubelet_->outcome.list.allocations.front().resource = "gone.io/x";
  refresh_and_wait();
  loop_.advance(seconds(20));
  refresh_and_wait();
  EXPECT_EQ(kubelet_->asked_for, (ResourceNames{kWatched, "b.io/x", "gone.io/x"}));
}

TEST_F(PodWatchTest, DestructorEndsCallWithoutCallback) {
  look();
  watch_.reset();
  EXPECT_EQ(kubelet_->closed, 1);
  loop_.advance(seconds(60));
  EXPECT_EQ(refreshed_, 0);
}

TEST(PodWatchWithServer, RequestReportsTimeoutAnswerAndError) {
  const fake::TempDir dir;
  const std::string path = dir / "pod-resources/kubelet.sock";
  fake::PodResourcesServer server(path);
  loop::UvLoop loop;
  loop::WorkQueue work(loop);
  PodWatch watch(loop, work, path, PodResources::at(path, "", fake::kPatience),
                 [] { return ResourceNames{kWatched}; });
  std::vector<std::string> results;
  const auto ask = [&] {
    const size_t before = results.size();
    watch.refresh(
        [&](const Result<void>& newer) {
          results.push_back(newer ? "newer" : newer.error().message);
        },
        true);
    EXPECT_TRUE(fake::run_until(loop, [&] { return results.size() > before; }));
  };
  server.hang();
  ask();
  EXPECT_EQ(watch.assignments(), nullptr);
  server.hold({{"n", "p", "c", kWatched, {"u1"}}});
  EXPECT_TRUE(fake::run_until(loop, [&] { return watch.assignments() != nullptr; }));
  ask();
  server.refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit"});
  ask();
  EXPECT_EQ(results,
            (std::vector<std::string>{"the kubelet did not answer within 500ms", "newer",
                                      "the call failed (code 8): rejected by rate limit"}));
}

}  // namespace
}  // namespace patchbay::pods
