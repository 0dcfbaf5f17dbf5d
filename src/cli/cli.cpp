#include "cli/cli.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cli/candidates.h"
#include "cli/command_table.h"
#include "cli/commands/commands.h"
#include "cli/commands/process_setup.h"
#include "cli/options/help_text.h"
#include "cli/options/option_parser.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

/// The command that handles SIGTERM and SIGINT from its beginning.
constexpr const char* kDaemonCommand = "run";

int print_overview() {
  HelpText help{
      .summary = "Patchbay is a Kubernetes device plugin that is configured by YAML files.",
      .usage = "patchbay COMMAND [options]",
      .sections = {{.title = "Commands", .entries = {}},
                   {.title = "Options",
                    .entries = {{"  -h, --help",
                                 "Print this help and exit; so does patchbay help."},
                                {"      --version", "Print the version and exit."}}}},
      .footer =
          "Examples:\n"
          "  patchbay validate lab.yaml\n"
          "  patchbay discover --config lab.yaml\n"
          "\n"
          "Help for a command, with examples: patchbay help COMMAND\n"};
  for (const Command& command : commands()) {
    help.sections[0].entries.push_back({"  " + command.name, command.summary});
  }
  return exit_code_of(print(format_help(help)));
}

int print_help(const Command& command, const OptionParser& parser) {
  return exit_code_of(
      print(format_help({.summary = command.summary,
                         .usage = "patchbay " + command.name +
                                  (command.arguments.empty() ? "" : " " + command.arguments),
                         .sections = parser.help(),
                         .footer = command.footer})));
}

int complain(const std::string& what, const std::string& where) {
  print_error("patchbay: " + what + "\nTry '" + where + " --help'.\n");
  return kFailure;
}

int run_command(const Command& command, const std::vector<std::string>& arguments) {
  OptionParser parser;
  const std::function<int()> run_it = command.declare(parser);
  const auto parsed = parser.parse(arguments);
  if (parsed && *parsed != OptionParser::Parsed::help) return run_it();
  unblock_termination_signals();  // Also if `run` only prints help or an error.
  if (!parsed) return complain(parsed.error().message, "patchbay " + command.name);
  return print_help(command, parser);
}

int dispatch(std::vector<std::string> arguments) {
  if (arguments.empty()) return complain("no command", "patchbay");
  const std::string word = arguments[0];
  arguments.erase(arguments.begin());
  if (word == "--help" || word == "-h") return print_overview();
  if (word == "--version") return version(OutputFormat::table);
  if (word == "__complete") return complete(arguments);
  if (word == "help") {
    if (arguments.empty()) return print_overview();
    arguments.insert(arguments.begin() + 1, "--help");
    return dispatch(std::move(arguments));
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == word) return run_command(command, arguments);
    names.push_back(command.name);
  }
  const std::string kind = word.starts_with('-') ? "option" : "command";
  return complain(unknown_word(word, kind, names), "patchbay");
}

}  // namespace

int main(int argc, char** argv) {
  protect_standard_streams();
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() || arguments[0] != kDaemonCommand) unblock_termination_signals();
  int exit_code = kFailure;
  try {
    exit_code = dispatch(std::move(arguments));
  } catch (const std::exception& error) {
    print_error(std::string("patchbay: unexpected: ") + error.what() + "\n");
  }
  flush_output(kLogFlushTimeout);
  return exit_code;
}

}  // namespace patchbay::cli
