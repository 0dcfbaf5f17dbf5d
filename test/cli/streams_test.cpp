// Tests standard streams that are closed, full, or terminals.
#include <sys/stat.h>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

class StreamsTest : public CliTest {
 protected:
  void SetUp() override {
    gophers_.plug("g1");
    good_ = dir_.write("good.yaml", gophers_.config());
    bad_ = dir_.write("bad.yaml", "kund: Config\n");
  }

  [[nodiscard]] std::string said_with(const std::string& redirections, const Words& arguments,
                                      const Environment& environment = {}) const {
    return text_of(relative(
        fake::run_process(patchbay(arguments, redirected(redirections)), with_node(environment))));
  }

  std::string good_;
  std::string bad_;
};

TEST_F(StreamsTest, ReportsFullDisk) {
  const std::string full =
      "exit 2\n--- out\n--- err\n"
      "patchbay: cannot write the output: No space left on device\n";
  for (const Words& arguments :
       {Words{"version"}, Words{"version", "-o", "json"}, Words{"--help"}, Words{"run", "--help"},
        Words{"validate", good_}, Words{"validate", "-o", "json", bad_},
        Words{"discover", "-c", good_}, Words{"discover", "--watch", "-c", good_}}) {
    EXPECT_EQ(said_with(">/dev/full", arguments), full) << arguments[0];
  }
}

TEST_F(StreamsTest, ClosedPipeIsNoError) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string no_reader = "3<>" + fifo + " >" + fifo + " 3<&-";
  const std::string quiet = "exit 0\n--- out\n--- err\n";
  for (const Words& arguments :
       {Words{"version"}, Words{"--help"}, Words{"validate", good_}, Words{"discover", "-c", good_},
        Words{"discover", "--watch", "-c", good_}}) {
    EXPECT_EQ(said_with(no_reader, arguments), quiet) << arguments[0];
  }
  EXPECT_EQ(said_with(no_reader, {"validate", "-o", "json", bad_}), "exit 1\n--- out\n--- err\n");
}

TEST_F(StreamsTest, OpenedFilesDoNotReplaceClosedStreams) {
  EXPECT_EQ(said_with(">&-", {"discover", "-c", good_}), "exit 0\n--- out\n--- err\n");
  EXPECT_EQ(said_with("<&- 2>&-", {"discover", "-c", good_}),
            text_of(run({"discover", "-c", good_})));
  EXPECT_EQ(said_with("<&- >&- 2>&-", {"validate", bad_}), "exit 1\n--- out\n--- err\n");
}

TEST_F(StreamsTest, UsesColoursOnlyOnTerminals) {
  const auto shown = [&](const Environment& environment) {
    PseudoTerminal terminal;
    EXPECT_EQ(said_with("2>" + terminal.path(), {"validate", bad_}, environment),
              "exit 1\n--- out\n--- err\n");
    EXPECT_TRUE(terminal.wait_for("errors\n"));
    return relative(terminal.shown());
  };
  const std::string plain = run({"validate", bad_}).err;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown({{"NO_COLOR", "1"}, {"TERM", "xterm"}}), plain);
  EXPECT_EQ(shown({{"NO_COLOR", ""}, {"TERM", "dumb"}}), plain);
  const std::string coloured = shown({{"NO_COLOR", ""}, {"TERM", "xterm"}});
  EXPECT_NE(coloured.find("\x1b[1;31merror\x1b[0m"), std::string::npos) << coloured;
}

}  // namespace
}  // namespace patchbay::cli
