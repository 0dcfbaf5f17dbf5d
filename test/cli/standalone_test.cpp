// `run --standalone`: with its own kubelet, for a laptop.
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

  /// The parent directory of its directory.
  [[nodiscard]] std::string temporary() const { return dir_ / "t"; }
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(temporary()); }

  [[nodiscard]] Words command(const Words& before) const {
    return patchbay({"run", "--standalone", "--log-level", "error", "--config", config_}, before);
  }
  [[nodiscard]] std::unique_ptr<fake::Process> start(const Words& before = {}) const {
    return std::make_unique<fake::Process>(command(before), Environment{{"TMPDIR", temporary()}});
  }
  /// Output from its start to its end, with these lines on standard input.
  [[nodiscard]] std::string said_to(const std::string& lines) const {
    const auto process = start();
    process->write(lines);
    process->close_input();
    return text_of(process->wait());
  }

  void configure(const std::string& more) {
    config_ = dir_.write("config.yaml", gophers_.config(more));
  }
  /// Steps that plug g2, which shows that they have begun, and then wait for a file.
  [[nodiscard]] std::string start_that_waits_for(const std::string& file) const {
    return "    preStart:\n      - exec: [/bin/touch, " + (dir_ / "gophers/g2") +
           "]\n      - wait: {path: " + (dir_ / file) + ", for: 25s}\n";
  }
  static std::string errors_of(const std::string& said) {
    const std::string mark = "--- err\n";
    return said.substr(said.find(mark) + mark.size());
  }
  /// Standard output after the first list.
  static std::string answers_of(const std::string& said) {
    const size_t begin = said.find('\n', said.rfind("\n+ ") + 1) + 1;
    return said.substr(begin, said.find("--- err\n") - begin);
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

TEST_F(StandaloneTest, ExecutesLinesInOrder) {
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

TEST_F(StandaloneTest, RejectsInvalidLines) {
  gophers_.plug("g1");
  expect_golden("standalone-refused.txt", said_to("allocate example.com/gopher g1 g7\n"
                                                  "allocate example.com/mole g1\n"
                                                  "allocate gohper g1\n"
                                                  "start g1 gopher\n"
                                                  "allocate\n"
                                                  "allocate gopher\n"
                                                  "start\n"
                                                  "prefer gopher\n"
                                                  "prefer gopher g1\n"
                                                  "alocate gopher g1\n"
                                                  "\x1b[2J\xff\n"
                                                  "list all\n"
                                                  "help\n"
                                                  "quit"));
}

TEST_F(StandaloneTest, AcceptsResourceWithoutDomain) {
  gophers_.plug("g1");
  const std::string other = "  - {name: other.example.com/gopher, match: {static: lone}}\n";
  EXPECT_NE(said_to("allocate gopher g1\nquit\n").find("\"Gopher\": \"g1\""), std::string::npos);
  configure(other);
  EXPECT_NE(said_to("allocate gopher g1\nquit\n")
                .find("'gopher' is ambiguous (example.com/gopher or other.example.com/gopher): "
                      "give the whole name\nusage: allocate RESOURCE ID...\n"),
            std::string::npos);
}

TEST_F(StandaloneTest, StartRunsPreStartSteps) {
  gophers_.plug("g1");
  gophers_.plug("g2");
  configure(
      "    preStart:\n"
      "      - exec: [/bin/touch, " +
      (dir_ / "started-$(id)") + "]\n");
  EXPECT_EQ(said_to("start gopher g1 g2\nquit\n"),
            "exit 0\n--- out\n"
            "example.com/gopher: 2 units\n"
            "+ example.com/gopher  g1  Healthy\n"
            "+ example.com/gopher  g2  Healthy\n"
            "ready to start: example.com/gopher g1 g2\n"
            "--- err\n");
  EXPECT_TRUE(fs::exists(dir_ / "started-g1"));
  EXPECT_TRUE(fs::exists(dir_ / "started-g2"));
}

TEST_F(StandaloneTest, FailedStartNamesStepAndReason) {
  gophers_.plug("g1");
  configure(
      "    preStart:\n"
      "      - exec: [/bin/true]\n"
      "      - exec: [/bin/sh, -c, \"echo no earth; exit 3\"]\n"
      "      - exec: [/bin/touch, " +
      (dir_ / "started") + "]\n");
  EXPECT_EQ(errors_of(said_to("start gopher g1\nstart gopher g7\nlist\nquit\n")),
            "FAILED_PRECONDITION: unit 'g1': step 2, exec /bin/sh: no earth\n"
            "FAILED_PRECONDITION: example.com/gopher has no unit 'g7'\n");
  EXPECT_FALSE(fs::exists(dir_ / "started"));
}

TEST_F(StandaloneTest, StartWithoutPreStartMakesNoCall) {
  gophers_.plug("g1");
  // The plugin would refuse the unit.
  EXPECT_EQ(
      errors_of(said_to("start gopher g7\nquit\n")),
      "example.com/gopher has no preStart: the kubelet starts the container without a call\n");
}

TEST_F(StandaloneTest, LinesWaitForStartButListsDoNot) {
  gophers_.plug("g1");
  configure(start_that_waits_for("go"));
  const auto process = start();
  process->write("start gopher g1\nlist\n");
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g2"));
  EXPECT_EQ(process->count_lines("RESOURCE"), 0U);
  dir_.write("go", "");
  ASSERT_TRUE(process->wait_for_line("RESOURCE"));
  process->write("quit\n");
  EXPECT_EQ(text_of(process->wait()),
            "exit 0\n--- out\n"
            "example.com/gopher: 1 unit\n"
            "+ example.com/gopher  g1  Healthy\n"
            "+ example.com/gopher  g2  Healthy\n"
            "ready to start: example.com/gopher g1\n"
            "RESOURCE            UNIT  HEALTH\n"
            "example.com/gopher  g1    Healthy\n"
            "example.com/gopher  g2    Healthy\n"
            "--- err\n");
}

TEST_F(StandaloneTest, SignalDuringStartEndsIt) {
  gophers_.plug("g1");
  configure(start_that_waits_for("never"));
  const auto process = start();
  process->write("start gopher g1\n");
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g2"));
  process->send_signal(SIGTERM);
  const auto end = process->wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(end.err, "");
  EXPECT_TRUE(nothing_left());
}

TEST_F(StandaloneTest, PreferPrintsChoice) {
  gophers_.plug("g1");
  gophers_.plug("g10");
  gophers_.plug("g2");
  const std::string lines = "prefer gopher 2\nprefer gopher 2 g10::1\nprefer gopher 6\nquit\n";
  configure("    share: {count: 2}\n    prefer: spread\n");
  EXPECT_EQ(answers_of(said_to(lines)),
            "g1::0 g2::0\n"
            "g1::0 g10::1\n"
            "g1::0 g1::1 g2::0 g2::1 g10::0 g10::1\n");
  configure("    share: {count: 2}\n    prefer: packed\n");
  EXPECT_EQ(answers_of(said_to(lines)),
            "g1::0 g1::1\n"
            "g10::0 g10::1\n"
            "g1::0 g1::1 g2::0 g2::1 g10::0 g10::1\n");
}

TEST_F(StandaloneTest, PreferReportsInvalidQuery) {
  gophers_.plug("g1");
  gophers_.plug("g2");
  const std::string none = "example.com/gopher has no preference: the kubelet takes any\n";
  EXPECT_EQ(errors_of(said_to("prefer gopher 1\nquit\n")), none);
  configure("    prefer: spread\n");
  const auto process = start();
  ASSERT_TRUE(process->wait_for_line("+ example.com/gopher  g2"));
  gophers_.unplug("g2");
  ASSERT_TRUE(process->wait_for_line("~ example.com/gopher  g2"));
  process->write("prefer gopher 1 g2\nprefer gopher 2\nprefer gopher 1\nquit\n");
  const std::string said = text_of(process->wait());
  EXPECT_EQ(errors_of(said),
            "unit 'g2' of example.com/gopher is Unhealthy\n"
            "example.com/gopher has 1 healthy unit, fewer than 2\n");
  EXPECT_TRUE(said.contains("\ng1\n")) << said;
}

TEST_F(StandaloneTest, SkipsLineThatIsTooLong) {
  gophers_.plug("g1");
  EXPECT_EQ(said_to(std::string(200'000, 'x') + " quit\nlist\nquit\n"),
            "exit 0\n--- out\n"
            "example.com/gopher: 1 unit\n"
            "+ example.com/gopher  g1  Healthy\n"
            "RESOURCE            UNIT  HEALTH\n"
            "example.com/gopher  g1    Healthy\n"
            "--- err\n");
}

TEST_F(StandaloneTest, ContinuesAfterEndOfInput) {
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

TEST_F(StandaloneTest, QuitInFileEndsIt) {
  gophers_.plug("g1");
  const std::string lines = dir_.write("lines", "allocate example.com/gopher g1\nquit\n");
  const auto end = start(redirected("<" + lines))->wait();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_NE(end.out.find("\"Gopher\": \"g1\""), std::string::npos) << end.out;
}

TEST_F(StandaloneTest, TwoInstancesDoNotInterfere) {
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

TEST_F(StandaloneTest, SignalDuringAllocateEndsIt) {
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

/// The flags of standard input, as seen by a program started after it: "flags:\t02".
unsigned long flags_of(const std::optional<std::string>& line) {
  return line ? std::stoul(line->substr(line->find(':') + 1), nullptr, 8) : ~0UL;
}

TEST_F(StandaloneTest, KeepsFlagsOfStandardInput) {
  gophers_.plug("g1");
  PseudoTerminal terminal;
  terminal.type("quit\n");
  const std::string then = R"( "$0" "$@"; cat /proc/self/fdinfo/0)";
  const auto of_pipe = start({"sh", "-c", then});
  of_pipe->write("quit\n");
  EXPECT_EQ(flags_of(of_pipe->wait_for_line("flags:")) & O_NONBLOCK, 0U);
  const auto of_terminal = start({"sh", "-c", "exec <" + terminal.path() + ";" + then});
  EXPECT_EQ(flags_of(of_terminal->wait_for_line("flags:")) & O_NONBLOCK, 0U);
  EXPECT_EQ(of_terminal->count_lines("kubelet stand-in; type: help"), 1U);
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
