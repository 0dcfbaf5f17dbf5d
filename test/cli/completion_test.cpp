// Tests the completion scripts in real shells on a pseudo-terminal.
#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Defines a shell function instead of the program. It calls the program for completion only, and
/// otherwise writes its words to a file.
constexpr const char* kTold =
    "patchbay() {\n"
    "  if [ \"$1\" = __complete ]; then \"$PATCHBAY\" \"$@\"; return; fi\n"
    "  printf '%s\\n' \"$@\" > \"$OUT\"; told=$((told + 1)); echo \"told:$told\"\n"
    "}\n"
    "cd \"$FILES\"\nPS1='ready> '\n";

/// Settings of bash, in which ESC * inserts all candidates.
constexpr const char* kBash = "bind 'set bell-style none'\n";

/// Settings of zsh that make ESC * insert all candidates.
constexpr const char* kZsh =
    "autoload -Uz compinit && compinit -u -D\n"
    "bindkey -e\n"
    "zstyle ':completion:all-matches::::' completer _all_matches _complete\n"
    "zstyle ':completion:all-matches:*' insert true\n"
    "zstyle ':completion:all-matches:*' old-matches false\n"
    "zle -C all-matches complete-word _generic\n"
    "bindkey '\\e*' all-matches\n";

/// The same function and settings for fish, which has no command that inserts all candidates.
constexpr const char* kFish =
    "set -g told 0\n"
    "function patchbay\n"
    "  if test \"$argv[1]\" = __complete; $PATCHBAY $argv; return; end\n"
    "  printf '%s\\n' $argv > $OUT\n"
    "  set told (math $told + 1)\n"
    "  echo told:$told\n"
    "end\n"
    "function insert_all\n"
    "  set -l offered (complete -C(commandline -cp) | string replace -r '\\t.*' '')\n"
    "  commandline -rt -- (string join -- ' ' (string escape -- $offered))\n"
    "end\n"
    "function fish_prompt; echo -n 'ready> '; end\n"
    "set -g fish_greeting\n"
    "set -g fish_autosuggestion_enabled 0\n"
    "bind \\e\\* insert_all\n"
    "cd $FILES\n";

/// Runs an interactive shell with the script, in a directory with files. The parameter names the
/// shell, and for zsh also how the script is loaded.
class CompletionTest : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    const std::string shell = GetParam().substr(0, GetParam().find('_'));
    if (fake::run_process({"sh", "-c", "command -v " + shell}).exit_code != 0) {
      GTEST_SKIP() << "no " << shell << " here: scripts/setup --test installs it";
    }
    dir_.write("files/my config.yaml", "");
    dir_.write("files/sub/b.yaml", "");
    const std::string start = shell == "bash"  ? start_bash()
                              : shell == "zsh" ? start_zsh()
                                               : start_fish();
    const std::string tty = terminal_.path();
    shell_.emplace(
        Words{"sh", "-c", "exec setsid -c -w " + start + " <" + tty + " >" + tty + " 2>&1"},
        Environment{{"PATCHBAY", fake::patchbay_binary()},
                    {"OUT", dir_ / "out"},
                    {"FILES", dir_ / "files"},
                    {"HOME", dir_.path()},
                    {"ZDOTDIR", dir_.path()},
                    {"TERM", "dumb"},
                    {"HISTFILE", dir_ / "history"}});
    ASSERT_TRUE(terminal_.wait_for("ready> ")) << terminal_.shown();
  }

  void TearDown() override {
    if (!shell_) return;
    terminal_.type(
        "\x15"
        "exit\r");
    EXPECT_EQ(shell_->wait().exit_code, 0);
  }

  /// These functions write the start-up file of a shell, and return the shell's command line.
  std::string start_bash() {
    const std::string script = dir_.write("patchbay.bash", run({"completion", "bash"}).out);
    const std::string rc = dir_.write("bashrc", std::string(kBash) + kTold + ". " + script + "\n");
    return "bash --noprofile --rcfile " + rc + " -i";
  }
  std::string start_zsh() {
    const std::string script = dir_.write("functions/_patchbay", run({"completion", "zsh"}).out);
    const bool sourced = GetParam() == "zsh_sourced";
    dir_.write(".zshrc", sourced ? std::string(kZsh) + kTold + ". " + script + "\n"
                                 : "fpath=(" + (dir_ / "functions") + " $fpath)\n" + kZsh + kTold);
    return "zsh -d -i";
  }
  /// fish finds the installed script by its name.
  std::string start_fish() {
    dir_.write(".config/fish/completions/patchbay.fish", run({"completion", "fish"}).out);
    dir_.write(".config/fish/config.fish", kFish);
    return "fish -i";
  }

  /// A configuration whose units have a colon in their id.
  [[nodiscard]] std::string daemon_config() const {
    return "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
           "  - {name: example.com/gopher, match: {glob: " +
           (dir_ / "gophers/*") + "}, id: \"u:$(name)\", share: {count: 2}, envs: {G: $(id)}}\n";
  }
  std::unique_ptr<fake::Process> start_daemon(const std::string& socket) {
    const std::string config = dir_.write("daemon.yaml", daemon_config());
    auto daemon = std::make_unique<fake::Process>(
        patchbay({"run", "--standalone", "--status-socket", socket, config}),
        Environment{{"TMPDIR", dir_.path()}});
    EXPECT_TRUE(daemon->wait_for_line("+ example.com/gopher  u:g1"));
    return daemon;
  }

  /// All words of the line after all candidates for its last word were inserted.
  Words completed(const std::string& line) {
    const std::string told = "told:" + std::to_string(++typed_);
    terminal_.type("patchbay " + line + "\x1b*\r");
    EXPECT_TRUE(terminal_.wait_for(told)) << terminal_.shown();
    std::ifstream file(dir_ / "out");
    Words words;
    for (std::string word; std::getline(file, word);) words.push_back(word);
    return words;
  }
  /// The words that completion added to the line.
  Words offered(const std::string& line) {
    std::istringstream stream(line);
    Words words = completed(line);
    std::string word;
    while (stream >> word && !words.empty() && words.front() == word) words.erase(words.begin());
    return words;
  }

  PseudoTerminal terminal_;
  std::optional<fake::Process> shell_;
  int typed_ = 0;
};

/// The options, or the commands, in this section of --help.
std::set<std::string> words_of_help(const std::string& help, const std::string& title) {
  std::istringstream lines(help.substr(help.find("\n" + title + ":\n") + title.size() + 3));
  std::set<std::string> words;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    std::istringstream entry(line);
    std::string word;
    if (line.starts_with("         ")) continue;  // The description of the line before.
    while (entry >> word) {
      if (title == "Options" && !word.starts_with('-')) break;
      words.insert(word.substr(0, word.find(',')));
      if (title != "Options") break;
    }
  }
  return words;
}

TEST_P(CompletionTest, CompletesCommands) {
  auto listed = words_of_help(run({"--help"}).out, "Commands");
  EXPECT_GE(listed.size(), 6U);
  EXPECT_THAT(offered("help "), testing::UnorderedElementsAreArray(listed));
  listed.insert("help");
  EXPECT_THAT(offered(""), testing::UnorderedElementsAreArray(listed));
  EXPECT_THAT(completed("disc"), ElementsAre("discover"));
  EXPECT_THAT(offered("-"), UnorderedElementsAre("-h", "--help", "--version"));
  EXPECT_THAT(offered("frobnicate "), IsEmpty());
}

TEST_P(CompletionTest, OffersOptionsOfHelp) {
  for (const std::string& command : words_of_help(run({"--help"}).out, "Commands")) {
    const auto listed = words_of_help(run({command, "--help"}).out, "Options");
    EXPECT_TRUE(listed.contains("--help")) << command;
    Words words = completed(command + " -");
    ASSERT_THAT(words, testing::Not(IsEmpty()));
    EXPECT_EQ(words.front(), command);
    words.erase(words.begin());
    EXPECT_THAT(words, testing::UnorderedElementsAreArray(listed)) << command;
  }
}

TEST_P(CompletionTest, CompletesFixedValues) {
  EXPECT_THAT(offered("run --log-level "),
              UnorderedElementsAre("debug", "info", "warning", "error"));
  EXPECT_THAT(completed("run --log-level w"), ElementsAre("run", "--log-level", "warning"));
  EXPECT_THAT(completed("run --log-format=j"), ElementsAre("run", "--log-format=json"));
  EXPECT_THAT(offered("discover -o "), UnorderedElementsAre("table", "wide", "json"));
  EXPECT_THAT(offered("explain /dev/null -o "), UnorderedElementsAre("table", "json"));
  EXPECT_THAT(offered("completion "), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST_P(CompletionTest, CompletesPaths) {
  EXPECT_THAT(completed("validate my"), ElementsAre("validate", "my config.yaml"));
  EXPECT_THAT(completed("validate sub/"), ElementsAre("validate", "sub/b.yaml"));
  EXPECT_THAT(completed("run -c m"), ElementsAre("run", "-c", "my config.yaml"));
  // Several paths can follow.
  EXPECT_THAT(completed("run --config x.yaml m"),
              ElementsAre("run", "--config", "x.yaml", "my config.yaml"));
  EXPECT_THAT(completed("run --config x.yaml --log-format t"),
              ElementsAre("run", "--config", "x.yaml", "--log-format", "text"));
  EXPECT_THAT(completed("discover m"), ElementsAre("discover", "my config.yaml"));
  EXPECT_THAT(completed("explain /dev/null m"),
              ElementsAre("explain", "/dev/null", "my config.yaml"));
  EXPECT_THAT(completed("allocate uart A1 m"),
              ElementsAre("allocate", "uart", "A1", "my config.yaml"));
  // fish adds a slash to a directory, so that it can be completed further.
  EXPECT_THAT(completed("run --host-root "),
              ElementsAre("run", "--host-root", testing::AnyOf("sub", "sub/")));
  EXPECT_THAT(completed("allocate my"), ElementsAre("allocate", "my"));
}

TEST_P(CompletionTest, OffersNothingForFreeText) {
  EXPECT_THAT(offered("run --node-name "), IsEmpty());
  EXPECT_THAT(offered("schema "), IsEmpty());
  EXPECT_THAT(offered("completion bash "), IsEmpty());
}

TEST_P(CompletionTest, CompletesResourcesAndUnits) {
  gophers_.plug("g1");
  dir_.write("files/lab.yaml", daemon_config());
  const auto daemon = start_daemon(dir_ / "s");
  const std::string status = "status --status-socket " + (dir_ / "s") + " ";
  EXPECT_THAT(offered(status), UnorderedElementsAre("gopher", "u:g1"));
  EXPECT_EQ(completed(status + "u").back(), "u:g1");
  EXPECT_EQ(completed(status + "u:").back(), "u:g1");
  EXPECT_EQ(completed(status + "ex").back(), "example.com/gopher");
  EXPECT_EQ(completed("allocate -c lab.yaml -- go").back(), "gopher");
}

INSTANTIATE_TEST_SUITE_P(Of, CompletionTest, testing::Values("bash", "zsh", "zsh_sourced", "fish"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace patchbay::cli
