// Tests configuration files that are incomplete or invalid. Runs the daemon's binary.
#include <filesystem>
#include <string>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using fake::kHead;
using fake::kMole;

constexpr const char* kRefused = "configuration rejected: keeping the previous one";
constexpr const char* kChanged = "configuration changed";
constexpr const char* kSilent = "configuration unchanged";

class ReloadErrorsTest : public fake::ReloadTest {
 protected:
  /// Changes the configuration. Expects that it is rejected for `reason`, and that the kubelet
  /// receives nothing.
  void expect_refused(const std::string& config, const std::string& reason) {
    const size_t mark = log_mark();
    edit(config);
    ASSERT_TRUE(logs(reason, mark)) << config;
    ASSERT_TRUE(logs(kRefused, mark)) << config;
    expect_nothing_happened();
  }

  void expect_nothing_happened() const {
    EXPECT_EQ(gopher_lists(), 1U);
    EXPECT_EQ(kubelet_->register_calls(), 1U);
    EXPECT_EQ(kubelet_->streams_open(), 1U);
    EXPECT_EQ(daemon_->count_lines(kChanged), 0U);
  }
};

TEST_F(ReloadErrorsTest, IncompleteFileChangesNothing) {
  start_serving(gophers_.config());
  const std::string whole = gophers_.config() + moles();
  const auto until = [&](const std::string& word) { return whole.substr(0, whole.find(word)); };
  expect_refused("", "the file contains no configuration");
  expect_refused(until("kind:"), "missing key 'kind'");
  expect_refused(until("resources:"), "missing key 'resources'");
  expect_refused(until("    match:"), "missing key 'match'");
  expect_refused(until(", type: file"), "this '{' is not closed");
  expect_refused(std::string(whole.size(), '\0'), "the file contains a NUL byte");
  edit(whole);
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(ReloadErrorsTest, ErrorAfterRevertedConfigurationIsLoggedAgain) {
  start_serving(gophers_.config());
  const std::string wrong = gophers_.config("    envz: {A: b}\n");
  expect_refused(wrong, "unknown key 'envz'");
  size_t mark = log_mark();
  edit(gophers_.config());
  ASSERT_TRUE(logs(kSilent, mark));
  expect_nothing_happened();
  expect_refused(wrong, "unknown key 'envz'");
  EXPECT_EQ(daemon_->count_lines(kRefused), 2U);
  // The next text has the same meaning as the first one, so the kubelet receives nothing.
  mark = log_mark();
  edit("# As it was.\n" + gophers_.config());
  ASSERT_TRUE(logs(kSilent, mark));
  expect_nothing_happened();
}

TEST_F(ReloadErrorsTest, EmptyOrMissingDirectoryIsRejectedUntilFilesReturn) {
  dir_.write("conf/a.yaml", kHead + moles());
  start_serving(gophers_.config(), {"--config", dir_ / "conf"});
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  size_t mark = log_mark();
  fs::remove(dir_ / "conf/a.yaml");
  ASSERT_TRUE(logs("contains no *.yaml", mark));
  ASSERT_TRUE(logs(kRefused, mark));
  mark = log_mark();
  fs::remove(dir_ / "conf");
  ASSERT_TRUE(logs("No such file or directory", mark));
  // The directory returns with the same content, in a file with another name.
  mark = log_mark();
  dir_.write("conf/b.yml", kHead + moles());
  ASSERT_TRUE(logs(kSilent, mark));
  EXPECT_EQ(daemon_->count_lines(kChanged), 0U);
  dir_.write("voles/v1", "");
  dir_.write("conf/c.yaml", kHead + "  - {name: example.com/vole, match: {glob: " +
                                (dir_ / "voles/*") + ", type: file}, id: $(name)}\n");
  ASSERT_TRUE(lists("example.com/vole", "v1=Healthy"));
  EXPECT_EQ(kubelet_->history(kMole).size(), 1U);
  EXPECT_EQ(gopher_lists(), 1U);
}

}  // namespace
}  // namespace patchbay
