// `run --standalone`: a kubelet of its own, for a laptop.
#include <signal.h>

#include <memory>
#include <optional>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

namespace fs = std::filesystem;

class StandaloneTest : public CliTest {
 protected:
  void SetUp() override {
    config_ = dir_.write("config.yaml", gophers_.config());
    fs::create_directories(temporary());
    fs::permissions(temporary(), fs::perms{0777});
  }

  /// Where it makes its directory.
  [[nodiscard]] std::string temporary() const { return dir_ / "t"; }
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(temporary()); }

  [[nodiscard]] Words command(const Words& before) const {
    return patchbay({"run", "--standalone", "--log-level", "error", "--config", config_}, before);
  }
  [[nodiscard]] std::unique_ptr<fake::Process> start(const Words& before = {}) const {
    return std::make_unique<fake::Process>(command(before), Environment{{"TMPDIR", temporary()}});
  }
  /// From its start to its end, with these lines on standard input.
  [[nodiscard]] std::string said_to(const std::string& lines) const {
    const auto process = start();
    process->write(lines);
    process->close_input();
    return text_of(process->wait());
  }

  void configure(const std::string& more) {
    config_ = dir_.write("config.yaml", gophers_.config(more));
  }
  std::string config_;
};

TEST_F(StandaloneTest, ListsAreToldAsTheyChangeToAnOrdinaryUser) {
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

TEST_F(StandaloneTest, ADroppedUnitIsTold) {
  config_ = dir_.write("config.yaml", gophers_.config("    linger: 0s\n"));
  gophers_.plug("g1");
  const auto process = start();
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1  Healthy"));
  gophers_.unplug("g1");
  EXPECT_TRUE(process->wait_for_line("- example.com/gopher  g1"));
}

TEST_F(StandaloneTest, LinesAreObeyedInOrder) {
  gophers_.plug("g1");
  gophers_.plug("g2");
  expect_golden("standalone.txt", said_to("list\n"
                                          "allocate example.com/gopher g1 g2\n"
                                          "\n"
                                          "  list  \n"
                                          "quit\n"
                                          "list\n"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, LinesThatAskForTooMuch) {
  gophers_.plug("g1");
  expect_golden("standalone-refused.txt", said_to("allocate example.com/gopher g1 g7\n"
                                                  "allocate example.com/mole g1\n"
                                                  "allocate gohper g1\n"
                                                  "allocate g1 gopher\n"
                                                  "allocate\n"
                                                  "allocate gopher\n"
                                                  "alocate gopher g1\n"
                                                  "\x1b[2J\xff\n"
                                                  "list all\n"
                                                  "help\n"
                                                  "quit"));
}

TEST_F(StandaloneTest, AResourceMayLackItsDomainWhereOneFits) {
  gophers_.plug("g1");
  const std::string other = "  - {name: other.example.com/gopher, match: {static: lone}}\n";
  EXPECT_NE(said_to("allocate gopher g1\nquit\n").find("\"Gopher\": \"g1\""), std::string::npos);
  configure(other);
  EXPECT_NE(said_to("allocate gopher g1\nquit\n")
                .find("'gopher' can be example.com/gopher or other.example.com/gopher: give the "
                      "whole name\nusage: allocate RESOURCE ID...\n"),
            std::string::npos);
}

TEST_F(StandaloneTest, ALineThatIsTooLongIsThrownAway) {
  gophers_.plug("g1");
  EXPECT_EQ(said_to(std::string(200'000, 'x') + " quit\nlist\nquit\n"),
            "exit 0\n--- out\n"
            "example.com/gopher: 1 unit\n"
            "+ example.com/gopher  g1  Healthy\n"
            "RESOURCE            UNIT  HEALTH\n"
            "example.com/gopher  g1    Healthy\n"
            "--- err\n");
}

TEST_F(StandaloneTest, TheEndOfTheInputDoesNotEndIt) {
  gophers_.plug("g1");
  const std::string lines = dir_.write("lines", "list\nallocate example.com/gopher g1\nlist");
  for (const std::string& from : Words{"<&-", "</dev/null", "<" + lines}) {
    const auto process = start(redirected(from));
    ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g1")) << from;
    if (from.ends_with("lines")) {
      ASSERT_TRUE(process->wait_for_line("\"Gopher\": \"g1\""));
    }
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

TEST_F(StandaloneTest, AFileCanEndIt) {
  gophers_.plug("g1");
  const std::string lines = dir_.write("lines", "allocate example.com/gopher g1\nquit\n");
  const auto end = start(redirected("<" + lines))->wait();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_NE(end.out.find("\"Gopher\": \"g1\""), std::string::npos) << end.out;
}

TEST_F(StandaloneTest, TwoDoNotDisturbEachOther) {
  gophers_.plug("g1");
  const auto one = start();
  const auto other = start();
  ASSERT_TRUE(one->wait_for_line("g1"));
  ASSERT_TRUE(other->wait_for_line("g1"));
  one->write("quit\n");
  EXPECT_EQ(one->wait().exit_code, 0);
  EXPECT_FALSE(nothing_left());
  other->write("allocate example.com/gopher g1\n");
  EXPECT_TRUE(other->wait_for_line("\"Gopher\": \"g1\""));
  gophers_.plug("g2");
  EXPECT_TRUE(other->wait_for_line("+ example.com/gopher  g2"));
  other->send_signal(SIGTERM);
  EXPECT_EQ(other->wait().exit_code, 0);
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, ASignalEndsItWhileItAllocates) {
  gophers_.plug("g1");
  const auto process = start();
  ASSERT_TRUE(process->wait_for_line("g1"));
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "allocate example.com/gopher g1\n";
  process->write(lines);
  ASSERT_TRUE(process->wait_for_line("\"Gopher\": \"g1\""));
  process->send_signal(SIGTERM);
  const auto end = process->wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(nothing_left());
}

/// The flags of standard input, as a program that is started after it sees them: "flags:\t02".
unsigned long flags_of(const std::optional<std::string>& line) {
  return line ? std::stoul(line->substr(line->find(':') + 1), nullptr, 8) : ~0UL;
}

TEST_F(StandaloneTest, ItLeavesItsInputAsItWas) {
  gophers_.plug("g1");
  PseudoTerminal terminal;
  terminal.type("quit\n");
  const std::string then = " \"$0\" \"$@\"; cat /proc/self/fdinfo/0";
  const auto of_pipe = start({"sh", "-c", then});
  of_pipe->write("quit\n");
  EXPECT_EQ(flags_of(of_pipe->wait_for_line("flags:")) & O_NONBLOCK, 0U);
  const auto of_terminal = start({"sh", "-c", "exec <" + terminal.path() + ";" + then});
  EXPECT_EQ(flags_of(of_terminal->wait_for_line("flags:")) & O_NONBLOCK, 0U);
  EXPECT_EQ(of_terminal->count_lines("a kubelet of our own; type: help"), 1U);
}

TEST_F(StandaloneTest, NoDirectoryToWorkIn) {
  const auto with = [&](const std::string& directory) {
    return relative(text_of(fake::run_process(command({}), {{"TMPDIR", directory}})));
  };
  EXPECT_EQ(with(dir_ / "none"),
            "exit 2\n--- out\n--- err\npatchbay: no directory for temporary files, see $TMPDIR: "
            "No such file or directory\n");
  const std::string deep = dir_ / std::string(80, 'd');
  fs::create_directories(deep);
  EXPECT_EQ(with(deep),
            "exit 2\n--- out\n--- err\npatchbay: the path of sockets in DIR/" +
                std::string(80, 'd') +
                "/pb-XXXXXX would be too long; set TMPDIR to a directory with a short path\n");
  fs::permissions(temporary(), fs::perms{0555});
  const auto end = fake::run_process(command(ordinary_user()), {{"TMPDIR", temporary()}});
  EXPECT_EQ(
      text_of(relative(end)),
      "exit 2\n--- out\n--- err\npatchbay: cannot make a directory in DIR/t: Permission denied\n");
}

}  // namespace
}  // namespace patchbay::cli
