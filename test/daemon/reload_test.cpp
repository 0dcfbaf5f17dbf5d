// Tests changes of the configuration while the daemon runs. Users and the kubelet write the files
// in different ways. Runs the daemon's binary.
#include <filesystem>
#include <string>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using fake::kHead;

using fake::kMole;
using fake::ReloadTest;

TEST_F(ReloadTest, AddsAndRemovesResourcesWithoutTouchingOthers) {
  start_serving(gophers_.config());
  const std::string socket = kubelet_->endpoint(kGopher);
  edit(gophers_.config() + moles("    mounts: [{hostPath: /opt}]\n    cdi: write\n"));
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  ASSERT_TRUE(logs("\"changes\":\"new example.com/mole\""));
  EXPECT_FALSE(fs::is_empty(dir_ / "cdi"));
  edit(gophers_.config());
  ASSERT_TRUE(lists(kMole, ""));
  ASSERT_TRUE(logs("\"changes\":\"removed example.com/mole\""));
  ASSERT_TRUE(
      kubelet_->log().wait_for([&](const auto&) { return kubelet_->streams_open() == 1U; }));
  EXPECT_EQ(kubelet_->endpoint(kGopher), socket);
  EXPECT_EQ(gopher_lists(), 1U);
  // The files of the removed resource disappear after its stream has ended.
  EXPECT_TRUE(fake::wait_until([&] { return fs::is_empty(dir_ / "cdi"); }));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(ReloadTest, SendsChangedListOnOpenStream) {
  start_serving(gophers_.config());
  const std::string socket = kubelet_->endpoint(kGopher);
  gophers_.plug("other");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy other=Healthy"));
  std::string config = gophers_.config();
  config.replace(config.find("gophers/*"), 9, "gophers/g*");
  edit(config);
  ASSERT_TRUE(lists(kGopher, "g1=Healthy other=Unhealthy"));
  EXPECT_EQ(kubelet_->endpoint(kGopher), socket);
  EXPECT_EQ(kubelet_->streams_open(), 1U);
}

TEST_F(ReloadTest, InvalidConfigurationChangesNothingAndIsLoggedOnce) {
  start_serving(gophers_.config());
  const std::string wrong = gophers_.config("    envz: {A: b}\n");
  replace_config(wrong);
  ASSERT_TRUE(logs("unknown key 'envz' in resource"));
  ASSERT_TRUE(logs("configuration rejected: keeping the previous one"));
  gophers_.plug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  // The same mistake is written again, and then corrected.
  replace_config(wrong);
  replace_config(gophers_.config());
  ASSERT_TRUE(logs("configuration unchanged"));
  EXPECT_EQ(daemon_->count_lines("configuration rejected"), 1U);
  EXPECT_EQ(daemon_->count_lines("configuration changed"), 0U);
  edit(gophers_.config() + moles());
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
}

TEST_F(ReloadTest, MissingFileIsRejectedAndReturnedFileIsRead) {
  start_serving(gophers_.config());
  fs::remove(dir_ / "config.yaml");
  ASSERT_TRUE(logs("configuration rejected: keeping the previous one"));
  EXPECT_EQ(kubelet_->streams_open(), 1U);
  dir_.write("next.yaml", gophers_.config() + moles());
  fs::rename(dir_ / "next.yaml", dir_ / "config.yaml");
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
}

TEST_F(ReloadTest, AcceptsRelativePath) {
  dir_.write("near/mole.yaml", kHead + moles());
  start_kubelet();
  start_daemon_in({"env", "-C", dir_.path()}, gophers_.config(), {"--config", "near/mole.yaml"});
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  dir_.write("near/mole.yaml",
             kHead + "  - {name: example.com/vole, match: {static: [v1]}, id: $(name)}\n");
  EXPECT_TRUE(lists("example.com/vole", "v1=Healthy"));
}

/// Writes as the kubelet mounts a ConfigMap: the files are links into the directory to which
/// `..data` links.
TEST_F(ReloadTest, FollowsConfigMapUpdate) {
  const auto publish = [&](const std::string& version, const std::string& resources) {
    dir_.write("map/.." + version + "/moles.yaml", kHead + resources);
    fs::create_directory_symlink(".." + version, dir_ / "map/..tmp");
    fs::rename(dir_ / "map/..tmp", dir_ / "map/..data");
  };
  publish("1", moles());
  fs::create_symlink("..data/moles.yaml", dir_ / "map/moles.yaml");
  start_serving(gophers_.config(), {"--config", dir_ / "map"});
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  dir_.write("voles/v1", "");
  publish("2", moles() + "  - {name: example.com/vole, match: {glob: " + (dir_ / "voles/*") +
                   ", type: file}, id: $(name)}\n");
  EXPECT_TRUE(lists("example.com/vole", "v1=Healthy"));
  EXPECT_EQ(kubelet_->history(kMole).size(), 1U);
}

TEST_F(ReloadTest, HundredEditsEndInLastValidOne) {
  start_serving(gophers_.config());
  for (int i = 0; i < 100; ++i) {
    edit(i % 3 == 0   ? gophers_.config() + moles()
         : i % 3 == 1 ? "resources: ["
                      : gophers_.config());
  }
  edit(gophers_.config() + moles("    envs: {LAST: \"1\"}\n"));
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  const auto end = std::chrono::steady_clock::now() + fake::kPatience;
  const auto is_last = [&] {
    const auto answer = kubelet_->allocate(kMole, {"m1"});
    return answer && answer->envs().contains("LAST");
  };
  while (!is_last()) ASSERT_LT(std::chrono::steady_clock::now(), end);
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(ReloadTest, ChangedPluginOptionsCauseOneRegistration) {
  start_serving(gophers_.config());
  EXPECT_FALSE(kubelet_->options(kGopher)->pre_start_required);
  const size_t edited = kubelet_->log().size();
  edit(gophers_.config("    preStart: [{exec: [/bin/true]}]\n"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", edited));
  ASSERT_TRUE(kubelet_->wait_for(Kind::ended, kGopher, edited));
  ASSERT_TRUE(kubelet_->wait_for(Kind::stream_opened, kGopher, edited));
  EXPECT_TRUE(kubelet_->options(kGopher)->pre_start_required);
  EXPECT_EQ(kubelet_->register_calls(), 2U);
  EXPECT_EQ(kubelet_->streams_open(), 1U);
  EXPECT_EQ(daemon_->count_lines("re-registering: plugin options changed"), 1U);
  EXPECT_EQ(daemon_->count_lines("kubelet closed the stream"), 0U) << "Patchbay closed it";
}

TEST_F(ReloadTest, WhenConditionFollowsNode) {
  std::string config =
      gophers_.config() + moles("    when: {file: {" + (dir_ / "driver") + ": loaded}}\n");
  start_serving(config);
  EXPECT_TRUE(kubelet_->history(kMole).empty());
  dir_.write("driver", "loaded\n");
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  fs::remove(dir_ / "driver");
  EXPECT_TRUE(lists(kMole, ""));
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(ReloadTest, WhenConditionFollowsPatternThroughNewDirectories) {
  start_serving(gophers_.config() +
                moles("    when: {glob: " + (dir_ / "drivers/*/ready*") + "}\n"));
  // The pattern matches in a directory that did not exist at the start.
  dir_.write("drivers/a/other", "");
  dir_.write("drivers/a/ready1", "");
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  fs::remove_all(dir_ / "drivers/a");
  EXPECT_TRUE(lists(kMole, ""));
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(ReloadTest, SighupIsIgnoredWithNoReload) {
  start_serving(gophers_.config(), {"--no-reload"});
  edit(gophers_.config() + moles());
  daemon_->send_signal(SIGHUP);
  ASSERT_TRUE(logs("SIGHUP ignored"));
  EXPECT_TRUE(kubelet_->history(kMole).empty());
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
