// Tests several plans in one daemon. Data of a configuration ends with it. Data of a resource stays
// while the resource keeps its name.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "daemon/daemon.h"
#include "fake/fake_kubelet.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "inventory/inventory_fixture.h"
#include "loop/inotify.h"

namespace patchbay::daemon {
namespace {

namespace fs = std::filesystem;
using Kind = fake::KubeletEvent::Kind;
using inventory::Strings;

/// A resource whose units are static names.
std::string resource(const std::string& name, const std::string& units,
                     const std::string& more = "") {
  return "  - {name: a.io/" + name + ", match: {static: [" + units + "]}" + more + "}\n";
}

class GenerationsTest : public testing::Test {
 protected:
  GenerationsTest() {
    inotify_ = std::move(*loop::Inotify::create(loop_));
    kubelet_ = std::make_unique<fake::FakeKubelet>(
        fake::FakeKubelet::Options{.directory = dir_ / "kubelet"});
    daemon_ =
        std::make_unique<Daemon>(loop_, *inotify_,
                                 Daemon::Options{.kubelet_directory = dir_ / "kubelet",
                                                 .cdi_directory = dir_ / "cdi",
                                                 .device_info_directory = dir_ / "info",
                                                 .host = {.rescan_period = loop::Milliseconds(0)}},
                                 counters_);
  }
  void use(const std::string& resources) { daemon_->set_plan(inventory::plan_of(resources)); }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop_, done);
  }
  /// All lists of a resource as "a=Healthy b=Unhealthy", oldest first. With `endpoint`, only those
  /// from that socket.
  [[nodiscard]] Strings lists(const std::string& name, const std::string& endpoint = {}) const {
    Strings lists;
    for (const auto& event : kubelet_->history("a.io/" + name)) {
      if (!endpoint.empty() && event.endpoint != endpoint) continue;
      std::string text;
      for (const auto& device : *event.devices) {
        text +=
            (text.empty() ? "" : " ") + device.id + (device.healthy ? "=Healthy" : "=Unhealthy");
      }
      lists.push_back(text);
    }
    return lists;
  }
  [[nodiscard]] bool lists_at_last(const std::string& name, const std::string& wanted) {
    return until([&] { return !lists(name).empty() && lists(name).back() == wanted; });
  }
  [[nodiscard]] bool has_socket(const std::string& endpoint) const {
    return fs::exists(dir_ / "kubelet/" + endpoint);
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_;
  std::unique_ptr<fake::FakeKubelet> kubelet_;
  status::Counters counters_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(GenerationsTest, EquivalentPlanChangesNothing) {
  const std::string same =
      resource("same", "s1, s2",
               ", health: [{file: {\"" + (dir_ / "$(name)") + "\": ok}, failureThreshold: 1}]");
  dir_.write("s1", "ok");
  use(resource("other", "o1") + same);
  ASSERT_TRUE(lists_at_last("same", "s1=Healthy s2=Unhealthy"));
  const Strings before = lists("same");
  const std::string endpoint = kubelet_->endpoint("a.io/same");

  // The next plan has the same resource after a new one, with another comment.
  use(resource("new", "n1") + "  # The same.\n" + same);
  ASSERT_TRUE(lists_at_last("new", "n1=Healthy"));
  EXPECT_EQ(lists("same"), before);
  EXPECT_EQ(kubelet_->endpoint("a.io/same"), endpoint);
  EXPECT_TRUE(has_socket(endpoint));
  EXPECT_EQ(kubelet_->register_calls("a.io/same"), 1U);
  EXPECT_EQ(kubelet_->streams_open("a.io/same"), 1U);

  // The probes of the resource continue, and their results change its list.
  dir_.write("s2", "ok");
  EXPECT_TRUE(lists_at_last("same", "s1=Healthy s2=Healthy"));
}

TEST_F(GenerationsTest, ChangedResourceSendsListOnOpenStream) {
  use(resource("a", "one"));
  ASSERT_TRUE(lists_at_last("a", "one=Healthy"));
  const std::string endpoint = kubelet_->endpoint("a.io/a");
  use(resource("a", "one, two"));
  EXPECT_TRUE(lists_at_last("a", "one=Healthy two=Healthy"));
  EXPECT_EQ(kubelet_->endpoint("a.io/a"), endpoint);
  EXPECT_EQ(kubelet_->register_calls("a.io/a"), 1U);
  EXPECT_EQ(kubelet_->count(Kind::ended, "a.io/a"), 0U);
}

TEST_F(GenerationsTest, UnitRemovedFromPlanLingersUnhealthy) {
  use(resource("a", "one, two"));
  ASSERT_TRUE(lists_at_last("a", "one=Healthy two=Healthy"));
  use(resource("a", "one"));
  EXPECT_TRUE(lists_at_last("a", "one=Healthy two=Unhealthy"));
}

TEST_F(GenerationsTest, RemovedResourceSendsEmptyListAndEnds) {
  use(resource("stays", "s") + resource("goes", "g"));
  ASSERT_TRUE(lists_at_last("stays", "s=Healthy"));
  ASSERT_TRUE(lists_at_last("goes", "g=Healthy"));
  const std::string endpoint = kubelet_->endpoint("a.io/goes");
  use(resource("stays", "s"));
  ASSERT_TRUE(until([&] { return kubelet_->count(Kind::ended, "a.io/goes") == 1; }));
  EXPECT_EQ(lists("goes"), (Strings{"g=Healthy", ""}));
  EXPECT_FALSE(has_socket(endpoint));
  EXPECT_EQ(kubelet_->streams_open("a.io/stays"), 1U);

  // The resource is not registered with the next kubelet.
  kubelet_->restart();
  ASSERT_TRUE(until([&] { return kubelet_->count(Kind::registered, "a.io/stays") == 2; }));
  EXPECT_EQ(kubelet_->register_calls("a.io/goes"), 1U);
}

TEST_F(GenerationsTest, ResourceThatReturnsDuringWithdrawalIsOfferedAgain) {
  use(resource("a", "one"));
  ASSERT_TRUE(lists_at_last("a", "one=Healthy"));
  const std::string endpoint = kubelet_->endpoint("a.io/a");
  kubelet_->set_faults({.block_reads = true}, "a.io/a");
  use(resource("b", "b"));
  ASSERT_TRUE(until([&] { return !has_socket(endpoint); }));
  use(resource("a", "one"));
  kubelet_->set_faults({}, "a.io/a");
  ASSERT_TRUE(until([&] { return kubelet_->count(Kind::registered, "a.io/a") == 2; }));
  // The order of the lists can vary, because the kubelet reads both streams at the same time.
  EXPECT_TRUE(until([&] { return lists("a").size() == 3; }));
  EXPECT_EQ(lists("a", endpoint), (Strings{"one=Healthy", ""}));
  EXPECT_NE(kubelet_->endpoint("a.io/a"), endpoint);
  EXPECT_EQ(lists("a", kubelet_->endpoint("a.io/a")), Strings{"one=Healthy"});
}

TEST_F(GenerationsTest, LastOfSuccessivePlansIsUsed) {
  use(resource("first", "f"));
  use(resource("second", "s"));
  use(resource("third", "t"));
  ASSERT_TRUE(lists_at_last("third", "t=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(), 1U);
}

TEST_F(GenerationsTest, SpecIsRemovedWhenPlanNoLongerWritesIt) {
  dir_.write("dev/a", "");
  const auto found = [&](const std::string& more) {
    return "  - {name: a.io/a, match: {glob: \"" + (dir_ / "dev/*") +
           "\"}, id: $(name), devices: [], mounts: [{hostPath: $(path), containerPath: /a}]" +
           more + "}\n";
  };
  const std::string spec = dir_ / "cdi/patchbay-a.io_a.json";
  use(found(", cdi: write"));
  ASSERT_TRUE(lists_at_last("a", "a=Healthy"));
  EXPECT_TRUE(fs::exists(spec));
  use(found("") + resource("b", "b"));
  ASSERT_TRUE(lists_at_last("b", "b=Healthy"));
  EXPECT_TRUE(until([&] { return !fs::exists(spec); }));
  EXPECT_EQ(lists("a"), Strings{"a=Healthy"});
}

}  // namespace
}  // namespace patchbay::daemon
