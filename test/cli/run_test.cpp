// Tests the command line of `run`. Tests of the daemon are in test/daemon.
#include <signal.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

using RunTest = CliTest;

TEST_F(RunTest, ExitsOnInvalidConfiguration) {
  const std::string path = dir_.write("a.yaml", "apiVersion: patchbay/v1\nkund: Config\n");
  const auto end = run({"run", "-c", path});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(text_of(end), output_of({"validate", path}));
}

TEST_F(RunTest, ReadsConfigurationFromStandardInput) {
  dir_.write("host/dev/line1", "");
  const std::string path = dir_.write("a.yaml",
                                      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                                      "  - {name: example.com/a, match: {glob: /dev/line*}}\n");
  fake::Process daemon(
      patchbay({"run", "--standalone", "-", "--host-root", dir_ / "host"}, redirected("<" + path)));
  EXPECT_TRUE(daemon.wait_for_line("+ example.com/a  line1  Healthy"));
  daemon.send_signal(SIGTERM);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST_F(RunTest, JsonLogContainsOnlyJson) {
  const std::string path =
      dir_.write("a.yaml", "apiVersion: patchbay/v1\nkind: Config\nresources: []\nx: 1\n");
  const auto end = run({"run", "-c", path, "--log-format", "json"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_NE(end.err.find("\"level\":\"error\",\"message\":\"unknown key 'x'"), std::string::npos)
      << end.err;
  EXPECT_NE(end.err.find("\"file\":\"DIR/a.yaml\",\"line\":\"4\",\"column\":\"1\""),
            std::string::npos)
      << end.err;
  for (size_t at = 0; at < end.err.size(); at = end.err.find('\n', at) + 1) {
    EXPECT_EQ(end.err.compare(at, 9, "{\"time\":\""), 0) << end.err;
  }
}

TEST_F(RunTest, LogsUnreadableConfiguration) {
  const auto end = run({"run", "-c", dir_ / "none.yaml", "--log-format", "json"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_NE(end.err.find("\"message\":\"DIR/none.yaml: No such file or directory\"}\n"),
            std::string::npos)
      << end.err;
}

TEST_F(RunTest, ServesOnlyResourcesOfThisNode) {
  dir_.write("host/dev/line1", "");
  dir_.write("host/etc/model", "R750\n");
  const std::string path = dir_.write("a.yaml",
                                      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                                      "  - name: example.com/here\n"
                                      "    when: {node: \"bench-*\", file: {/etc/model: R750}}\n"
                                      "    match: {glob: /dev/line*}\n"
                                      "  - name: example.com/there\n"
                                      "    when: {glob: /dev/kfd}\n"
                                      "    match: {glob: /dev/line*}\n");
  fake::Process daemon(patchbay({"run", "--standalone", "-c", path, "--host-root", dir_ / "host"}),
                       with_node({}));
  EXPECT_TRUE(daemon.wait_for_line("+ example.com/here  line1  Healthy"));
  daemon.send_signal(SIGTERM);
  const auto end = daemon.wait();
  EXPECT_EQ(end.out.find("example.com/there"), std::string::npos) << end.out;
  EXPECT_NE(end.err.find("excluded on this node resource=example.com/there position=" + path +
                         ":7 reason=\"/dev/kfd finds nothing\""),
            std::string::npos)
      << end.err;
}

}  // namespace
}  // namespace patchbay::cli
