// Tests `discover --watch`, which prints changes of the host until it is stopped.
#include <signal.h>

#include <optional>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

constexpr const char* kWatched =
    "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
    "  - {name: example.com/gopher, match: {glob: \"/gophers/*\"}, id: $(name), envs: {G: "
    "$(id)}}\n";

class DiscoverWatchTest : public CliTest {
 protected:
  void SetUp() override {
    gophers_.plug("g1");
    config_ = dir_.write("config.yaml", kWatched);
  }

  void watch(const Words& more = {}, Words before = {}) {
    Words arguments{"discover", "--watch", "--config", config_, "--host-root", dir_.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    process_.emplace(patchbay(arguments, std::move(before)), Environment{{"NO_COLOR", "1"}});
  }

  /// Starts a command whose output exceeds the pipe, reads only the first byte, and sends SIGTERM.
  static fake::Finished terminate_unread(const Words& command) {
    Words shell{"python3", "-c",
                "import signal, subprocess, sys\n"
                "command = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
                "print(command.stdout.read(1), flush=True)\n"
                "command.send_signal(signal.SIGTERM)\n"
                "print(command.wait())\n"};
    shell.insert(shell.end(), command.begin(), command.end());
    return fake::run_process(shell);
  }

  static std::string without_ages(const std::string& text) {
    static const std::regex age("(healthy +)\\d+[smhd] +(?=/)");
    return std::regex_replace(text, age, "$1AGE    ");
  }

  std::string config_;
  std::optional<fake::Process> process_;
};

TEST_F(DiscoverWatchTest, PrintsTableForEachChange) {
  watch();
  ASSERT_TRUE(process_->wait_for_line("example.com/gopher  g1"));
  gophers_.plug("g2");
  ASSERT_TRUE(process_->wait_for_line("example.com/gopher  g2    healthy"));
  gophers_.unplug("g2");
  ASSERT_TRUE(process_->wait_for_line("example.com/gopher  g2    unhealthy"));
  process_->send_signal(SIGTERM);
  EXPECT_EQ(without_ages(text_of(relative(process_->wait()))),
            "exit 0\n--- out\n"
            "RESOURCE            UNIT  STATE    SINCE  DEVICE       ID FROM  REASON\n"
            "example.com/gopher  g1    healthy  AGE    /gophers/g1  id\n"
            "\n"
            "RESOURCE            UNIT  STATE    SINCE  DEVICE       ID FROM  REASON\n"
            "example.com/gopher  g1    healthy  AGE    /gophers/g1  id\n"
            "example.com/gopher  g2    healthy  AGE    /gophers/g2  id\n"
            "\n"
            "RESOURCE            UNIT  STATE      SINCE  DEVICE       ID FROM  REASON\n"
            "example.com/gopher  g1    healthy    AGE    /gophers/g1  id\n"
            "example.com/gopher  g2    unhealthy  AGE    /gophers/g2  id       the device "
            "is gone\n"
            "--- err\n");
}

TEST_F(DiscoverWatchTest, NearMissDisappearsWhenDeviceMatches) {
  gophers_.unplug("g1");
  watch();
  ASSERT_TRUE(process_->wait_for_line("  checked no path that \"/gophers/*\" finds"));
  gophers_.plug("g2");
  ASSERT_TRUE(process_->wait_for_line("example.com/gopher  g2    healthy"));
  gophers_.plug("g3");
  ASSERT_TRUE(process_->wait_for_line("example.com/gopher  g3    healthy"));
  process_->send_signal(SIGTERM);
  EXPECT_EQ(process_->wait().exit_code, 0);
  EXPECT_EQ(process_->count_lines("no device matches"), 2U) << "in the table, and below it";
}

TEST_F(DiscoverWatchTest, PrintsJsonLineForEachChange) {
  watch({"-o", "json"});
  ASSERT_TRUE(
      process_->wait_for_line("{\"id\":\"g1\",\"idSource\":\"id\",\"shares\":0,\"healthy\":true"));
  gophers_.plug("g2");
  ASSERT_TRUE(
      process_->wait_for_line("{\"id\":\"g2\",\"idSource\":\"id\",\"shares\":0,\"healthy\":true"));
  gophers_.unplug("g2");
  ASSERT_TRUE(
      process_->wait_for_line("{\"id\":\"g2\",\"idSource\":\"id\",\"shares\":0,\"healthy\":false"));
  process_->send_signal(SIGINT);
  const auto end = process_->wait();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.err, "");
  EXPECT_EQ(process_->lines().size(), 3U);
  EXPECT_EQ(process_->count_lines("{\"resources\":[{\"name\":\"example.com/gopher\""), 3U);
}

TEST_F(DiscoverWatchTest, DoesNotPrintUnchangedState) {
  watch();
  ASSERT_TRUE(process_->wait_for_line("g1"));
  dir_.write("gophers/g1", "other contents");
  dir_.write("gophers/.hidden", "");
  gophers_.plug("g2");
  ASSERT_TRUE(process_->wait_for_line("g2"));
  process_->send_signal(SIGTERM);
  process_->wait();
  EXPECT_EQ(process_->count_lines("RESOURCE"), 2U);
}

TEST_F(DiscoverWatchTest, ManyChangesEndInCurrentState) {
  watch();
  ASSERT_TRUE(process_->wait_for_line("g1"));
  for (int i = 1; i <= 300; ++i) gophers_.plug("h" + std::to_string(i));
  ASSERT_TRUE(process_->lines().wait_until([](const auto& lines) {
    // The last table has all units: 301 rows below its header.
    const size_t rows = 301;
    return lines.size() > rows && lines[lines.size() - rows - 1].text.starts_with("RESOURCE");
  }));
  process_->send_signal(SIGTERM);
  EXPECT_EQ(process_->wait().exit_code, 0);
}

TEST_F(DiscoverWatchTest, EndsWhenReaderIsGone) {
  // The state does not change after the first table. So the command must notice the end of its
  // reader without a write.
  const auto end = fake::run_process(
      {"sh", "-c",
       R"({ "$0" discover --watch -c "$1" --host-root "$2" </dev/null; echo exit $? >&2; } | head -n 1)",
       fake::patchbay_binary(), config_, dir_.path()});
  EXPECT_EQ(end.out, "RESOURCE            UNIT  STATE    SINCE  DEVICE       ID FROM  REASON\n");
  EXPECT_EQ(end.err, "exit 0\n");
}

TEST_F(DiscoverWatchTest, EndsWhenItsInputIsClosed) {
  watch();
  ASSERT_TRUE(process_->wait_for_line("g1"));
  process_->close_input();
  EXPECT_EQ(process_->wait().exit_code, 0);
}

TEST_F(DiscoverWatchTest, ConfigurationFromInput_EndOfInput_DoesNotEndCommand) {
  process_.emplace(patchbay({"discover", "--watch", "-c", "-", "--host-root", dir_.path()}));
  process_->write(kWatched);
  process_->close_input();
  ASSERT_TRUE(process_->wait_for_line("g1"));
  gophers_.plug("g2");
  EXPECT_TRUE(process_->wait_for_line("g2"));
}

TEST_F(DiscoverWatchTest, EndsBySignalWhileOutputIsUnread) {
  for (int i = 1; i <= 3000; ++i) gophers_.plug("h" + std::to_string(i));
  const Words words{"--config", config_, "--host-root", dir_.path(), "-o", "json"};
  for (const auto& [command, end] :
       {std::pair(Words{"discover"}, "-15"), std::pair(Words{"discover", "--watch"}, "0")}) {
    Words arguments = command;
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto ended = terminate_unread(patchbay(arguments));
    EXPECT_EQ(ended.out, std::string("b'{'\n") + end + "\n") << arguments.back() << ended.err;
  }
}

TEST_F(DiscoverWatchTest, RedrawsTerminal) {
  PseudoTerminal terminal;
  watch({}, redirected(">" + terminal.path()));
  ASSERT_TRUE(terminal.wait_for("g1"));
  EXPECT_EQ(terminal.shown().find('\x1b'), std::string::npos);
  gophers_.plug("g2");
  ASSERT_TRUE(terminal.wait_for("g2"));
  process_->send_signal(SIGTERM);
  EXPECT_EQ(process_->wait().exit_code, 0);
  const std::string table =
      "RESOURCE            UNIT  STATE    SINCE  DEVICE       ID FROM  REASON\n"
      "example.com/gopher  g1    healthy  AGE    /gophers/g1  id\n";
  EXPECT_EQ(without_ages(relative(terminal.shown())),
            table + "\x1b[H\x1b[2J" + table +
                "example.com/gopher  g2    healthy  AGE    /gophers/g2  id\n");
}

TEST_F(DiscoverWatchTest, PrintsJsonLinesOnTerminal) {
  PseudoTerminal terminal;
  watch({"-o", "json"}, redirected(">" + terminal.path()));
  ASSERT_TRUE(terminal.wait_for("g1"));
  gophers_.plug("g2");
  ASSERT_TRUE(terminal.wait_for("g2"));
  EXPECT_EQ(terminal.shown().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace patchbay::cli
