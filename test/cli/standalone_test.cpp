// Tests `run --standalone`, which uses its own stand-in for the kubelet.
#include <signal.h>

#include <memory>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

namespace fs = std::filesystem;

const std::string kDraDriver = "dra: {driver: patchbay.lab.example.com}\n";

class StandaloneTest : public CliTest {
 protected:
  void SetUp() override {
    config_ = dir_.write("config.yaml", gophers_.config());
    fs::create_directories(temporary());
    fs::permissions(temporary(), fs::perms{0777});
  }

  /// The directory for temporary files, in which the command makes its own directory.
  [[nodiscard]] std::string temporary() const { return dir_ / "t"; }
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(temporary()); }

  [[nodiscard]] Words command(const Words& before) const {
    return patchbay({"run", "--standalone", "--log-level", "error", "--config", config_}, before);
  }
  [[nodiscard]] std::unique_ptr<fake::Process> start(const Words& before = {}) const {
    return std::make_unique<fake::Process>(command(before), Environment{{"TMPDIR", temporary()}});
  }
  std::string config_;
};

TEST_F(StandaloneTest, PrintsListChangesAsOrdinaryUser) {
  gophers_.plug("g2");
  gophers_.plug("g10");
  const auto process = start(ordinary_user());
  ASSERT_TRUE(process->wait_for_line("g10"));
  gophers_.plug("g1");
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1  Healthy"));
  gophers_.unplug("g2");
  ASSERT_TRUE(process->wait_for_line("~ example.com/gopher  g2  Unhealthy"));
  EXPECT_FALSE(nothing_left());
  process->send_signal(SIGTERM);
  EXPECT_EQ(text_of(process->wait()),
            "exit 0\n--- out\n"
            "example.com/gopher: 2 units\n"
            "+ example.com/gopher  g2  Healthy\n"
            "+ example.com/gopher  g10  Healthy\n"
            "+ example.com/gopher  g1  Healthy\n"
            "~ example.com/gopher  g2  Unhealthy\n"
            "--- err\n");
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, PrintsDroppedUnit) {
  config_ = dir_.write("config.yaml", gophers_.config("    linger: 0s\n"));
  gophers_.plug("g1");
  const auto process = start();
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1  Healthy"));
  gophers_.unplug("g1");
  EXPECT_TRUE(process->wait_for_line("- example.com/gopher  g1"));
}

TEST_F(StandaloneTest, RejectsDraAtTheStart) {
  config_ = dir_.write("config.yaml", gophers_.config("    serve: dra\n" + kDraDriver));
  EXPECT_EQ(
      text_of(start()->wait()),
      "exit 1\n--- out\n--- err\n" + config_ +
          ":5:5: error: 'example.com/gopher' has 'serve: dra', which --standalone cannot "
          "serve: its stand-in for the kubelet has device plugins only\n"
          "      - name: example.com/gopher\n"
          "        ^\n"
          "  hint: remove 'serve: dra' to try the rules, or print the ResourceSlices: patchbay "
          "discover --dra\n"
          "1 error\n");
}

TEST_F(StandaloneTest, RejectsEditWithDra) {
  gophers_.plug("g1");
  const auto process = start();
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1  Healthy"));
  dir_.write("config.yaml", gophers_.config("    serve: dra\n" + kDraDriver));
  EXPECT_TRUE(process->wait_for_line("'example.com/gopher' has 'serve: dra'"));
  gophers_.plug("g2");
  EXPECT_TRUE(process->wait_for_line("+ example.com/gopher  g2  Healthy"));
}

TEST_F(StandaloneTest, ReadsNoInput) {
  gophers_.plug("g1");
  const std::string lines = dir_.write("lines", "quit\n");
  for (const std::string& from : Words{"<&-", "</dev/null", "<" + lines}) {
    const auto process = start(redirected(from));
    ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1")) << from;
    gophers_.plug("g2");
    ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g2")) << from;
    process->send_signal(SIGINT);
    const auto end = process->wait();
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.err, "");
    gophers_.unplug("g2");
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, TwoInstancesDoNotInterfere) {
  gophers_.plug("g1");
  const auto one = start();
  const auto other = start();
  ASSERT_TRUE(one->wait_for_line("g1"));
  ASSERT_TRUE(other->wait_for_line("g1"));
  one->send_signal(SIGTERM);
  EXPECT_EQ(one->wait().exit_code, 0);
  EXPECT_FALSE(nothing_left());
  gophers_.plug("g2");
  EXPECT_TRUE(other->wait_for_line("+ example.com/gopher  g2"));
  other->send_signal(SIGTERM);
  EXPECT_EQ(other->wait().exit_code, 0);
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, ReportsMissingTemporaryDirectory) {
  const auto with = [&](const std::string& directory) {
    return relative(text_of(fake::run_process(command({}), {{"TMPDIR", directory}})));
  };
  EXPECT_EQ(
      with(dir_ / "none"),
      "exit 2\n--- out\n--- err\npatchbay: cannot use the directory for temporary files ($TMPDIR): "
      "No such file or directory\n");
  const std::string deep = dir_ / std::string(80, 'd');
  fs::create_directories(deep);
  EXPECT_EQ(with(deep),
            "exit 2\n--- out\n--- err\npatchbay: the path of sockets in DIR/" +
                std::string(80, 'd') +
                "/pb-XXXXXX would be too long; set TMPDIR to a directory with a short path\n");
  fs::permissions(temporary(), fs::perms{0555});
  const auto end = fake::run_process(command(ordinary_user()), {{"TMPDIR", temporary()}});
  EXPECT_EQ(text_of(relative(end)),
            "exit 2\n--- out\n--- err\npatchbay: cannot create a directory in DIR/t: Permission "
            "denied\n");
}

}  // namespace
}  // namespace patchbay::cli
