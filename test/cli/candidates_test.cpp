// Tests the candidates of `patchbay __complete`, which the completion scripts of the shells call.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

#include "base/unique_fd.h"
#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

class CandidatesTest : public CliTest {
 protected:
  /// The output for these words, which must not be an error.
  [[nodiscard]] std::string candidates(Words words, const Environment& environment = {}) const {
    words.insert(words.begin(), "__complete");
    const auto end = run(words, environment);
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.err, "");
    return end.out;
  }

  /// Writes a configuration with three resources, and returns its path.
  std::string write_lab() {
    return dir_.write("lab.yaml",
                      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                      "  - {name: a.io/uart, match: {static: [a]}}\n"
                      "  - {name: b.io/uart, match: {static: [b]}}\n"
                      "  - {name: b.io/lamp, match: {static: [c, d]}, share: {count: 2}}\n");
  }
};

TEST_F(CandidatesTest, DescribesCommandsAndOptions) {
  EXPECT_EQ(candidates({"disc"}),
            "discover\tShow the units that this node would offer, and refused devices\n:none\n");
  EXPECT_EQ(candidates({"--v"}), "--version\tPrint the version and exit\n:none\n");
  EXPECT_EQ(candidates({"help", "dis"}), candidates({"disc"}));
  EXPECT_EQ(candidates({"help", "diff", ""}), ":none\n");
  EXPECT_EQ(candidates({"validate", "--s"}),
            "--strict\tTreat warnings as mistakes, as CI should\n:none\n");
  EXPECT_EQ(candidates({"frobnicate", ""}), ":none\n");
  EXPECT_EQ(candidates({}), candidates({""}));
}

TEST_F(CandidatesTest, CompletesValueOfOption) {
  EXPECT_EQ(candidates({"run", "--log-level", "w"}), "warning\n:none\n");
  EXPECT_EQ(candidates({"run", "--log-format=j"}), "--log-format=json\n:none\n");
  EXPECT_EQ(candidates({"run", "-c", "x", "--log-format", "-"}), ":none\n");
  EXPECT_EQ(candidates({"run", "--node-name", ""}), ":none\n");
  EXPECT_EQ(candidates({"run", "--config="}), ":files\n");
  EXPECT_EQ(candidates({"run", "-c", "x", ""}), ":files\n");
  EXPECT_EQ(candidates({"run", "--host-root", ""}), ":directories\n");
  EXPECT_EQ(candidates({"run", "--frob", ""}), ":files\n");
  EXPECT_EQ(candidates({"validate", "--", "-"}), ":files\n");
}

TEST_F(CandidatesTest, CompletesResourcesOfConfiguration) {
  const std::string lab = write_lab();
  EXPECT_EQ(candidates({"allocate", "-c", lab, "--", ""}), "a.io/uart\nb.io/uart\nlamp\n:none\n");
  EXPECT_EQ(candidates({"allocate", "--config=" + lab, "--", "b"}), "b.io/uart\n:none\n");
  EXPECT_EQ(candidates({"allocate", "--config=" + lab, "--", "b.io/l"}), "b.io/lamp\n:none\n");
  EXPECT_EQ(candidates({"allocate", "-c", lab, "l"}), "lamp\n:none\n");
}

TEST_F(CandidatesTest, ErrorsGiveNoCandidates) {
  const std::string bad = dir_.write("bad.yaml", "kund: Config\n");
  for (const std::string& config : Words{bad, dir_ / "none", "-"}) {
    EXPECT_EQ(candidates({"allocate", "-c", config, "--", ""}), ":none\n") << config;
  }
  EXPECT_EQ(candidates({"status", "--status-socket", dir_ / "none", ""}), ":none\n");
  EXPECT_EQ(candidates({"status", "--from", "http://localhost:1", ""}), ":none\n");
}

TEST_F(CandidatesTest, CompletesUnitsOfDaemon) {
  dir_.write("run/patchbay/.keep", "");
  for (const char* directory : {"t", "run/patchbay"}) {
    std::filesystem::create_directories(dir_ / directory);
    std::filesystem::permissions(dir_ / directory, std::filesystem::perms{0777});
  }
  // The default status socket of an ordinary user is below $XDG_RUNTIME_DIR.
  const Environment environment{{"XDG_RUNTIME_DIR", dir_ / "run"}, {"TMPDIR", dir_ / "t"}};
  fake::Process daemon(patchbay({"run", "--standalone", write_lab()}, ordinary_user()),
                       environment);
  ASSERT_TRUE(daemon.wait_for_line("+ b.io/lamp  d::1"));
  ASSERT_TRUE(daemon.wait_for_line("+ a.io/uart  a"));
  ASSERT_TRUE(daemon.wait_for_line("+ b.io/uart  b"));
  const auto of_user = [&](Words words) {
    words.insert(words.begin(), "__complete");
    return fake::run_process(patchbay(words, ordinary_user()), environment).out;
  };
  EXPECT_EQ(of_user({"status", ""}), "a.io/uart\nb.io/uart\nlamp\na\nb\nc\nd\n:none\n");
  EXPECT_EQ(of_user({"explain", "d"}), "d\n:files\n");
  EXPECT_EQ(of_user({"allocate", "l"}), "lamp\n:none\n");
  EXPECT_EQ(of_user({"allocate", "b.io/lamp", "c::1", ""}), "c::0\nd::0\nd::1\n:files\n");
  EXPECT_EQ(of_user({"allocate", "lamp", "d"}), "d::0\nd::1\n:files\n");
}

TEST_F(CandidatesTest, EndsAfterTimeoutIfDaemonDoesNotAnswer) {
  const std::string path = dir_ / "s";
  const UniqueFd silent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(silent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(silent.get(), 1), 0);
  EXPECT_EQ(output_of({"__complete", "status", "--status-socket", path, ""}),
            "exit " + std::to_string(128 + SIGALRM) + "\n--- out\n--- err\n");
}

}  // namespace
}  // namespace patchbay::cli
