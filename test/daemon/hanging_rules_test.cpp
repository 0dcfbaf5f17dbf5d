// A hung path affects only its own resource.
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/hanging_mount.h"

namespace patchbay {
namespace {

using testing::HasSubstr;

constexpr const char* kHungResource = "example.com/hung";

class HangingRulesTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
    gophers_.plug("g1");
    start_kubelet();
  }

  /// Starts the daemon with the gophers and a resource with these keys. Disables the leak check at
  /// its end, which would wait for the hung path.
  void start(const std::string& keys) {
    start_daemon_in({"env", "ASAN_OPTIONS=detect_leaks=0"}, config(keys));
  }
  [[nodiscard]] std::string config(const std::string& keys) const {
    return gophers_.config(std::string("  - name: ") + kHungResource + "\n    id: $(name)\n" +
                           "    envs: {Hung: $(id)}\n" + keys);
  }

  /// Expects that the gophers are served, and that a new one is found.
  void expect_gophers() {
    ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
    EXPECT_TRUE(kubelet_->allocate(fake::kGopher, {"g1"}).has_value());
    gophers_.plug("g2");
    EXPECT_TRUE(lists(fake::kGopher, "g1=Healthy g2=Healthy"));
  }
  /// Expects a log line that this path, or one below it, is unresponsive.
  void expect_silence(const std::string& path) {
    const std::string line = daemon_->wait_for_line("\"path is unresponsive").value_or("");
    EXPECT_THAT(line, HasSubstr("\"path\":\"" + path));
    EXPECT_THAT(line, HasSubstr(std::string("\"resources\":\"") + kHungResource));
  }
  void expect_clean_end() {
    const auto end = stop_daemon();
    EXPECT_EQ(end.exit_code, 0) << end.err;
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(HangingRulesTest, IsolatesHungGlobDirectory) {
  fake::HangingMount nfs(std::vector<std::string>{"h1"});
  start("    match: {glob: " + (nfs / "h*") + "}\n");
  expect_gophers();
  expect_silence(nfs.path());
  EXPECT_TRUE(lists(kHungResource, "")) << "what is there is not waited for";
  nfs.let_go();
  EXPECT_TRUE(lists(kHungResource, "h1=Healthy"));
  EXPECT_TRUE(daemon_->wait_for_line("\"path is responsive again\""));
  expect_clean_end();
}

TEST_F(HangingRulesTest, IsolatesHungFileThatMatchReads) {
  fake::HangingMount nfs(std::vector<std::string>{"wanted"});
  dir_.write("h/h1", "");
  start("    match: {glob: " + (dir_ / "h/*") + ", except: {file: {" + (nfs / "wanted") +
        ": x}}}\n");
  expect_gophers();
  expect_silence(nfs / "wanted");
  EXPECT_TRUE(lists(kHungResource, ""));
  nfs.let_go();
  EXPECT_TRUE(lists(kHungResource, "h1=Healthy"));
  expect_clean_end();
}

TEST_F(HangingRulesTest, ResourceDoesNotWaitForAFileThatOnlyALaterResourceNeeds) {
  fake::HangingMount nfs(std::vector<std::string>{"wanted"});
  dir_.write("h/h1", "");
  const std::string match = "    match: {glob: " + (dir_ / "h/*");
  start(match + "}\n  - name: example.com/late\n    id: $(name)\n    envs: {Late: $(id)}\n" +
        "    claim: shared\n" + match + ", except: {file: {" + (nfs / "wanted") + ": x}}}\n");
  EXPECT_TRUE(lists(kHungResource, "h1=Healthy"));
  EXPECT_TRUE(lists("example.com/late", ""));
  EXPECT_EQ(text_of(*kubelet_->history(kHungResource).front().devices), "h1=Healthy");
  nfs.let_go();
  EXPECT_TRUE(lists("example.com/late", "h1=Healthy"));
  expect_clean_end();
}

TEST_F(HangingRulesTest, IsolatesManyHungFileSystems) {
  std::vector<std::unique_ptr<fake::HangingMount>> mounts;
  std::string patterns;
  for (int i = 0; i < 25; ++i) {
    mounts.push_back(std::make_unique<fake::HangingMount>());
    patterns += (patterns.empty() ? "" : ", ") + *mounts.back() / "h*";
  }
  start("    match: {glob: [" + patterns + "]}\n");
  expect_gophers();
  EXPECT_TRUE(lists(kHungResource, ""));
  expect_clean_end();
}

TEST_F(HangingRulesTest, ShutdownDoesNotWaitForHungPath) {
  const fake::HangingMount nfs;
  start("    match: {glob: " + (nfs / "h*") + "}\n");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
  expect_clean_end();
}

TEST_F(HangingRulesTest, KnownDevicesInHungDirectoryStayAcrossReload) {
  const std::string real = dir_ / "real";
  std::filesystem::create_directory(real);
  dir_.write("real/h1", "");
  dir_.write("real/h2", "");
  const auto keys = [&](const std::string& pattern, const std::string& more) {
    return "    match: {glob: " + real + "/" + pattern + "}\n    description: " + more + "\n";
  };
  start(keys("h*", "before"));
  ASSERT_TRUE(lists(kHungResource, "h1=Healthy h2=Healthy"));
  const size_t lists_before = kubelet_->history(kHungResource).size();
  fake::HangingMount over{fake::HangingMount::Over{real}};
  dir_.write("config.yaml", config(keys("h*", "after")));
  ASSERT_TRUE(daemon_->wait_for_line("\"configuration changed\""));
  expect_silence(real);
  gophers_.plug("g3");
  EXPECT_TRUE(lists(fake::kGopher, "g1=Healthy g3=Healthy"));
  const auto history = kubelet_->history(kHungResource);
  for (size_t i = lists_before; i < history.size(); ++i) {
    if (!history[i].devices) continue;
    EXPECT_EQ(text_of(*history[i].devices), "h1=Healthy h2=Healthy");
  }
  over.let_go();
  EXPECT_TRUE(daemon_->wait_for_line("\"path is responsive again\""));
  dir_.write("real/h3", "");
  EXPECT_TRUE(lists(kHungResource, "h1=Healthy h2=Healthy h3=Healthy"));
  expect_clean_end();
}

TEST_F(HangingRulesTest, IsolatesHungWhenFile) {
  fake::HangingMount nfs(std::vector<std::string>{"one"});
  dir_.write("h/h1", "");
  start("    when: {glob: " + (nfs / "o*") + "}\n    match: {glob: " + (dir_ / "h/*") + "}\n");
  expect_gophers();
  const auto line = daemon_->wait_for_line("\"not offered yet: its when condition");
  EXPECT_THAT(line.value_or(""), HasSubstr((nfs / "o*") + ": unresponsive"));
  nfs.let_go();
  EXPECT_TRUE(lists(kHungResource, "h1=Healthy"));
  expect_clean_end();
}

/// A hung file system covers a directory of a device in sysfs. Runs in a mount namespace of its
/// own.
class SlowAttributeTest : public HangingRulesTest {
 protected:
  static constexpr const char* kPower = "/sys/devices/virtual/mem/null/power";

  void SetUp() override {
    HangingRulesTest::SetUp();
    if (IsSkipped()) return;
    if (!std::filesystem::exists(kPower)) GTEST_SKIP() << "no " << kPower << " here";
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "no mount namespace of one's own here";
    }
  }
};

TEST_F(SlowAttributeTest, OtherResourcesDoNotWaitForHungAttribute) {
  fake::HangingMount power{fake::HangingMount::Over{kPower}};
  ASSERT_TRUE(power.mounted());
  start(
      "    match: {subsystem: mem, name: \"null\", except: {attribute: {power/control: nothing}}}\n"
      "  - name: example.com/zero\n    id: $(name)\n    envs: {Zero: $(id)}\n"
      "    match: {subsystem: mem, name: zero}\n");
  expect_gophers();
  EXPECT_TRUE(lists("example.com/zero", "zero=Healthy"));
  expect_silence(std::string(kPower) + "/control");
  EXPECT_TRUE(lists(kHungResource, ""));
  power.let_go();
  EXPECT_TRUE(lists(kHungResource, "null=Healthy"));
  expect_clean_end();
}

TEST_F(SlowAttributeTest, ResourceDoesNotWaitForAnAttributeThatOnlyALaterResourceNeeds) {
  fake::HangingMount power{fake::HangingMount::Over{kPower}};
  ASSERT_TRUE(power.mounted());
  start(
      "    match: {subsystem: mem, name: \"null\"}\n"
      "  - name: example.com/late\n    id: $(name)\n    envs: {Late: $(id)}\n    claim: shared\n"
      "    match: {subsystem: mem, name: \"null\", except: {attribute: {power/control: x}}}\n");
  EXPECT_TRUE(lists(kHungResource, "null=Healthy"));
  EXPECT_TRUE(lists("example.com/late", ""));
  power.let_go();
  EXPECT_TRUE(lists("example.com/late", "null=Healthy"));
  expect_clean_end();
}

}  // namespace
}  // namespace patchbay
