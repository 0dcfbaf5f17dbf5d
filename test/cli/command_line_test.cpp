// Tests commands, options, invalid command lines, and help.
#include <regex>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

using CommandLineTest = CliTest;

std::string refused(const std::string& complaint, const std::string& command = "patchbay") {
  return "exit 2\n--- out\n--- err\npatchbay: " + complaint + "\nTry '" + command + " --help'.\n";
}

TEST_F(CommandLineTest, PrintsHelpOfEachCommand) {
  expect_golden("help.txt", output_of({"--help"}));
  for (const std::string command :
       {"run", "validate", "diff", "discover", "deviceclasses", "allocate", "explain", "suggest",
        "snapshot", "test", "status", "events", "schema", "completion", "version"}) {
    expect_golden("help-" + command + ".txt", output_of({command, "--help"}));
    EXPECT_EQ(output_of({command, "-h"}), output_of({command, "--help"}));
  }
  EXPECT_EQ(output_of({"-h"}), output_of({"--help"}));
}

TEST_F(CommandLineTest, HelpOfEachListedCommandFitsIn80Columns) {
  const std::string list = run({"--help"}).out;
  const std::regex command(R"(\n  ([a-z]+)  )");
  int commands = 0;
  for (std::sregex_iterator at(list.begin(), list.end(), command), end; at != end; ++at) {
    ++commands;
    const std::string help = run({(*at)[1], "--help"}).out;
    EXPECT_FALSE(std::regex_search(help, std::regex("[^\n]{81}"))) << help;
  }
  EXPECT_GT(commands, 10);
  EXPECT_FALSE(std::regex_search(list, std::regex("[^\n]{81}"))) << list;
}

TEST_F(CommandLineTest, AcceptsHelpAsCommand) {
  EXPECT_EQ(output_of({"help"}), output_of({"--help"}));
  EXPECT_EQ(output_of({"help", "diff"}), output_of({"diff", "--help"}));
  EXPECT_EQ(output_of({"help", "dif"}), refused("unknown command 'dif'; did you mean 'diff'?"));
}

TEST_F(CommandLineTest, PrintsThreeDotsWithoutUtf8) {
  dir_.write("bad.yaml", "resources: [{health: [{exec: /bin/true}]}]\n");
  const std::string with = run({"validate", dir_ / "bad.yaml"}).err;
  const std::string without = run({"validate", dir_ / "bad.yaml"}, {{"LC_ALL", "C"}}).err;
  EXPECT_NE(with.find("argument, …]"), std::string::npos) << with;
  EXPECT_NE(without.find("argument, ...]"), std::string::npos) << without;
}

TEST_F(CommandLineTest, FirstDoubleDashEndsOptions) {
  dir_.write("a.yaml",
             "apiVersion: patchbay/v1\nkind: Config\n"
             "resources: [{name: a.io/x, match: {static: [a]}, id: $(name)}]\n");
  EXPECT_EQ(output_of({"allocate", "-c", dir_ / "a.yaml", "--", "a.io/x", "-x"}),
            "exit 2\n--- out\n--- err\npatchbay: a.io/x has no unit '-x'; it has a\n");
}

/// Two resources match one device. The first one on the command line gets it.
TEST_F(CommandLineTest, ReadsPathsInTheOrderOfTheCommandLine) {
  for (const std::string name : {"a", "b"}) {
    dir_.write(name + ".yaml",
               "apiVersion: patchbay/v1\nkind: Config\nresources:\n  - {name: example.com/" + name +
                   ", match: {glob: /dev/null}, id: $(name)}\n");
  }
  const std::string a = dir_ / "a.yaml";
  const std::string b = dir_ / "b.yaml";
  const std::string first = output_of({"discover", "-o", "json", a, b});
  EXPECT_EQ(output_of({"discover", "-o", "json", "-c", a, b}), first);
  EXPECT_EQ(output_of({"discover", "-o", "json", "-c", a, "-c", b}), first);
  EXPECT_NE(output_of({"discover", "-o", "json", "-c", b, a}), first);
}

/// Replaces the version by V. Removes the commit from the text output, and replaces it by C and its
/// date by D in JSON.
std::string without_numbers(const std::string& text) {
  static const std::regex version("[0-9]+\\.[0-9]+\\.[0-9]+");
  static const std::regex line(", commit [0-9a-f]{12} of [0-9]{4}-[0-9]{2}-[0-9]{2}");
  static const std::regex json(R"("commit": "[0-9a-f]*",\n  "commitDate": "[0-9-]*")");
  const std::string dated = std::regex_replace(std::regex_replace(text, line, ""), json,
                                               R"("commit": "C", "commitDate": "D")");
  return std::regex_replace(dated, version, "V");
}

TEST_F(CommandLineTest, PrintsVersion) {
  const std::string line =
      "exit 0\n--- out\npatchbay V (config patchbay/v1, device plugin API v1beta1)\n--- err\n";
  EXPECT_EQ(without_numbers(output_of({"version"})), line);
  EXPECT_EQ(output_of({"--version"}), output_of({"version"}));
  EXPECT_EQ(
      without_numbers(output_of({"version", "--output=json"})),
      "exit 0\n--- out\n{\n  \"version\": \"V\",\n  \"commit\": \"C\", \"commitDate\": \"D\",\n"
      "  \"configVersion\": \"patchbay/v1\",\n  \"devicePluginApi\": \"v1beta1\"\n}\n--- err\n");
}

TEST_F(CommandLineTest, RejectsUnknownCommands) {
  EXPECT_EQ(output_of({}), refused("no command"));
  EXPECT_EQ(output_of({""}), refused("unknown command ''"));
  EXPECT_EQ(output_of({"frobnicate"}), refused("unknown command 'frobnicate'"));
  EXPECT_EQ(output_of({"discovr"}), refused("unknown command 'discovr'; did you mean 'discover'?"));
  EXPECT_EQ(output_of({"\x1b[31m"}), refused("unknown command '\\x1b[31m'"));
  EXPECT_EQ(output_of({"--frob"}), refused("unknown option '--frob'"));
  EXPECT_EQ(output_of({"-c", "x.yaml", "run"}), refused("unknown option '-c'"));
}

TEST_F(CommandLineTest, RejectsUnknownOptions) {
  EXPECT_EQ(output_of({"validate", "--frob"}),
            refused("unknown option '--frob'", "patchbay validate"));
  EXPECT_EQ(output_of({"discover", "--wacth", "-c", "x"}),
            refused("unknown option '--wacth'; did you mean '--watch'?", "patchbay discover"));
  EXPECT_EQ(output_of({"run", "-c", "x", "--hots-root=/host"}),
            refused("unknown option '--hots-root'; did you mean '--host-root'?", "patchbay run"));
  EXPECT_EQ(output_of({"version", "-z"}), refused("unknown option '-z'", "patchbay version"));
  EXPECT_EQ(output_of({"version", "-o", "json", "extra"}),
            refused("'extra' was not expected", "patchbay version"));
  EXPECT_EQ(output_of({"version", "extra"}),
            refused("'extra' was not expected", "patchbay version"));
  // After a command, names of commands are ordinary arguments.
  EXPECT_EQ(output_of({"version", "version"}),
            refused("'version' was not expected", "patchbay version"));
}

TEST_F(CommandLineTest, RejectsMissingOptionsAndArguments) {
  for (const std::string command : {"run", "discover", "validate"}) {
    EXPECT_EQ(output_of({command}),
              refused("no configuration: give PATH or --config PATH; - is standard input",
                      "patchbay " + command));
  }
  EXPECT_EQ(output_of({"explain"}), refused("DEVICE is required", "patchbay explain"));
  EXPECT_EQ(output_of({"explain", "/dev/null"}),
            refused("no configuration: give PATH or --config PATH; - is standard input",
                    "patchbay explain"));
  EXPECT_EQ(output_of({"allocate", "gopher"}), refused("ID is required", "patchbay allocate"));
  EXPECT_EQ(output_of({"allocate", "gopher", "g1"}),
            refused("no configuration: 'g1' is not a file; the last argument is the configuration, "
                    "unless --config names it",
                    "patchbay allocate"));
  EXPECT_EQ(output_of({"allocate", "gopher", "-"}), refused("ID is required", "patchbay allocate"));
  EXPECT_EQ(output_of({"validate", "-", "-c", "-"}),
            refused("standard input (-) can be read only once", "patchbay validate"));
  EXPECT_EQ(output_of({"completion"}), refused("SHELL is required", "patchbay completion"));
  EXPECT_EQ(output_of({"discover", "-c"}), refused("--config needs a value", "patchbay discover"));
  EXPECT_EQ(output_of({"version", "-o"}), refused("--output needs a value", "patchbay version"));
  EXPECT_EQ(output_of({"version", "--output="}),
            refused("--output needs a value", "patchbay version"));
}

TEST_F(CommandLineTest, RejectsInvalidValues) {
  const auto run_with = [&](const std::string& option, const std::string& value) {
    return output_of({"run", "-c", "x.yaml", option, value});
  };
  const std::string size = "--udev-buffer takes a size from 4KiB to 1GiB such as 64KiB or 8MiB, ";
  EXPECT_EQ(run_with("--udev-buffer", "8 potatoes"),
            refused(size + "not '8 potatoes'", "patchbay run"));
  EXPECT_EQ(run_with("--udev-buffer", "-1"), refused(size + "not '-1'", "patchbay run"));
  EXPECT_EQ(
      run_with("--rescan", "5 m"),
      refused("--rescan takes a duration from 1s to 24h such as 5m, or 0s for never, not '5 m'",
              "patchbay run"));
  EXPECT_EQ(run_with("--log-format", "xml"),
            refused("--log-format takes text or json, not 'xml'", "patchbay run"));
  EXPECT_EQ(run_with("--log-level", "loud"),
            refused("--log-level takes debug, info, warning or error, not 'loud'", "patchbay run"));
  EXPECT_EQ(run_with("--kubelet-dir", ""),
            refused("--kubelet-dir takes a path, not ''", "patchbay run"));
  EXPECT_EQ(run_with("--host-root", "--standalone"),
            refused("--host-root takes a path, not '--standalone'", "patchbay run"));
  EXPECT_EQ(run_with("--standalone=no", "y.yaml"),
            refused("--standalone takes no value", "patchbay run"));
  EXPECT_EQ(output_of({"completion", "tcsh"}),
            refused("SHELL takes bash, zsh or fish, not 'tcsh'", "patchbay completion"));
  EXPECT_EQ(output_of({"completion", "bash", "zsh"}),
            refused("'zsh' was not expected", "patchbay completion"));
  EXPECT_EQ(output_of({"run", "-c", ""}), refused("--config takes a path, not ''", "patchbay run"));
  EXPECT_EQ(output_of({"version", "-o", "json", "-o", "table"}),
            refused("--output is given more than once", "patchbay version"));
}

TEST_F(CommandLineTest, ValidatesNodeNames) {
  const std::string config = dir_.write("a.yaml",
                                        "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                                        "  - {name: example.com/null, match: {glob: /dev/null}}\n");
  for (const std::string name : {"", "a b", "a/b", "a\nb", "caf\xc3\xa9", "-n"}) {
    const auto end = run({"validate", config, "--node-name", name});
    EXPECT_EQ(end.exit_code, 2) << name;
    EXPECT_EQ(end.err.find("patchbay: --node-name takes a node's name, not '"), 0U) << end.err;
  }
  const std::string ok = "exit 0\n--- out\nok: 1 resource\n--- err\n";
  EXPECT_EQ(output_of({"validate", config, "--node-name", "bench-1.example.com"}), ok);
  EXPECT_EQ(output_of({"validate", config}, {{"NODE_NAME", ""}}), ok);
  EXPECT_EQ(output_of({"validate", config, "--node-name", "n"}, {{"NODE_NAME", "a/b"}}), ok);
  for (const std::string output : {"table", "json"}) {
    EXPECT_EQ(output_of({"validate", config, "-o", output}, {{"NODE_NAME", "a/b"}}),
              "exit 2\n--- out\n--- err\npatchbay: 'a/b' ($NODE_NAME; without it the name of the "
              "host) cannot be a node's name; give --node-name\n");
  }
}

TEST_F(CommandLineTest, StatusWithoutRuntimeDirectoryNamesMissingOption) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  const auto end = fake::run_process(patchbay({"status"}, ordinary_user()),
                                     with_node({{"XDG_RUNTIME_DIR", ""}}));
  EXPECT_EQ(text_of(end),
            "exit 2\n--- out\n--- err\n"
            "patchbay: status socket: its path is unknown ($XDG_RUNTIME_DIR is not set); give "
            "--status-socket PATH, or --from http://HOST:PORT of a daemon with --page\n");
}

}  // namespace
}  // namespace patchbay::cli
