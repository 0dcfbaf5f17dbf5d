#include "cli/cli.h"

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/option_parser.h"
#include "cli/option_values.h"
#include "cli/process_setup.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

using Run = std::function<int()>;

/// What the user can ask for; `declare` adds its options, and returns what to do with them.
struct Command {
  std::string name;
  std::string arguments;
  std::string summary;
  Run (*declare)(OptionParser& parser);
  std::string footer;
};

constexpr std::array<std::string_view, 2> kOutputs{"table", "json"};
constexpr std::array<std::string_view, 2> kLogFormats{"text", "json"};
constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warning", "error"};
constexpr const char* kPaths =
    "Configuration files, or directories of *.yaml and *.yml files. Required.";

template <size_t Size>
auto one_of(const std::array<std::string_view, Size>& words) {
  return [&words](const std::string& text) -> Result<std::string> {
    const auto choice = parse_choice(text, words);
    if (!choice) return std::unexpected(choice.error());
    return std::string(words.at(*choice));
  };
}

OptionParser::Take onto(std::vector<std::string>& paths) {
  return [&paths](const std::string& text) -> Result<void> {
    auto path = parse_path(text);
    if (!path) return std::unexpected(std::move(path).error());
    paths.push_back(*std::move(path));
    return {};
  };
}

void add_node_name(OptionParser& parser, ConfigOptions& options) {
  parser.add_value(
      {"--node-name", "NAME",
       "The name of this node, for $(node). Default: $NODE_NAME, else the host's name."},
      into(options.node, parse_node_name));
}

void add_config(OptionParser& parser, ConfigOptions& options) {
  parser.add_list({"-c,--config", "PATH...", kPaths}, onto(options.paths));
  add_node_name(parser, options);
}

void add_output(OptionParser& parser, OutputFormat& output) {
  const auto parse = [](const std::string& text) -> Result<OutputFormat> {
    const auto choice = parse_choice(text, kOutputs);
    if (!choice) return std::unexpected(choice.error());
    return *choice == 0 ? OutputFormat::table : OutputFormat::json;
  };
  parser.add_value({"-o,--output", "FORMAT", "table, for people, or json. Default: table."},
                   into(output, parse));
}

void add_host(OptionParser& parser, HostCommandOptions& options) {
  parser.add_value({"--host-root", "DIR",
                    "Where the host's file system is mounted, for the paths of glob rules. Other "
                    "rules are refused with it: they see /sys and /run/udev. Default: /"},
                   into(options.host_root, parse_path));
  parser.add_value({"--udev-buffer", "SIZE",
                    "The receive buffer of each udev monitor, such as 64KiB for a small node. "
                    "Default: 8MiB."},
                   into(options.udev_buffer_bytes, parse_size));
  parser.add_value({"--rescan", "SECONDS",
                    "How often everything is looked at again, beside all events. Default: 300."},
                   into(options.rescan_seconds,
                        [](const std::string& text) { return parse_number(text, 1, 86'400); }));
}

Run declare_run(OptionParser& parser) {
  const auto options = std::make_shared<RunOptions>();
  add_config(parser, options->config);
  parser.add_value(
      {"--kubelet-dir", "DIR",
       "The kubelet's device-plugins directory. Default: " + options->kubelet_directory},
      into(options->kubelet_directory, parse_path));
  parser.add_flag({.names = "--standalone",
                   .meaning = "Bring a kubelet of our own, which prints each list and takes "
                              "commands. It needs no cluster and no root."},
                  options->standalone);
  add_host(parser, options->host);
  parser.add_value({"--log-format", "FORMAT", "text or json. Default: text."},
                   into(options->log_format, one_of(kLogFormats)));
  parser.add_value({"--log-level", "LEVEL", "debug, info, warning or error. Default: info."},
                   into(options->log_level, one_of(kLogLevels)));
  return [options] { return run(*options); };
}

Run declare_validate(OptionParser& parser) {
  const auto options = std::make_shared<ValidateOptions>();
  parser.add_list({"PATH", "...", kPaths}, onto(options->config.paths));
  add_node_name(parser, options->config);
  add_output(parser, options->output);
  return [options] { return validate(*options); };
}

Run declare_discover(OptionParser& parser) {
  const auto options = std::make_shared<DiscoverOptions>();
  add_config(parser, options->config);
  add_host(parser, options->host);
  add_output(parser, options->output);
  parser.add_flag({.names = "-w,--watch",
                   .meaning = "Show it again whenever devices come and go; as JSON, on one line "
                              "each time."},
                  options->watch);
  return [options] { return discover(*options); };
}

Run declare_version(OptionParser& parser) {
  const auto output = std::make_shared<OutputFormat>(OutputFormat::table);
  add_output(parser, *output);
  return [output] { return version(*output); };
}

Run declare_schema(OptionParser& /*parser*/) { return schema; }

std::vector<Command> commands() {
  return {
      {"run", "--config PATH... [options]", "Serve this node's devices to the kubelet.",
       declare_run,
       "SIGTERM and SIGINT end it cleanly.\n"
       "\n"
       "Examples:\n"
       "  patchbay run --config /etc/patchbay\n"
       "  patchbay run --standalone --config examples/configs/any-linux.yaml\n"
       "      and then type: help\n"},
      {"validate", "PATH... [options]", "Check configuration files and print every mistake.",
       declare_validate,
       "Exit code: 0 when all is right, 1 for mistakes, 2 when something cannot be read.\n"
       "\n"
       "Examples:\n"
       "  patchbay validate lab.yaml\n"
       "  patchbay validate -o json /etc/patchbay\n"},
      {"discover", "--config PATH... [options]",
       "Show what this node would offer, and what is refused and why.", declare_discover,
       "Examples:\n"
       "  patchbay discover --config lab.yaml\n"
       "  patchbay discover --config lab.yaml --watch\n"
       "  patchbay discover --config /etc/patchbay -o json\n"},
      {"schema", "", "Print the JSON Schema of the configuration, for editors.", declare_schema,
       "Example:\n"
       "  patchbay schema > patchbay.v1.schema.json\n"},
      {"version", "[options]", "Print the version and what it speaks.", declare_version,
       "Examples:\n"
       "  patchbay version\n"
       "  patchbay version -o json\n"},
  };
}

int print_overview() {
  HelpText help{.summary = "Patchbay serves devices to Kubernetes as a YAML file describes them.",
                .usage = "patchbay COMMAND [options]",
                .sections = {{.title = "Commands", .entries = {}},
                             {.title = "Options",
                              .entries = {{"  -h, --help", "Print this help and exit."},
                                          {"      --version", "Print the version and exit."}}}},
                .footer =
                    "Examples:\n"
                    "  patchbay validate lab.yaml\n"
                    "  patchbay discover --config lab.yaml\n"
                    "\n"
                    "Help for a command, with examples: patchbay COMMAND --help\n"};
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
  return kUnable;
}

int run_command(const Command& command, const std::vector<std::string>& arguments) {
  OptionParser parser;
  const Run run_it = command.declare(parser);
  const auto parsed = parser.parse(arguments);
  if (!parsed) return complain(parsed.error().message, "patchbay " + command.name);
  if (*parsed == OptionParser::Parsed::help) return print_help(command, parser);
  return run_it();
}

int dispatch(std::vector<std::string> arguments) {
  if (arguments.empty()) return complain("no command", "patchbay");
  const std::string word = arguments[0];
  arguments.erase(arguments.begin());
  if (word == "--help" || word == "-h") return print_overview();
  if (word == "--version") return version(OutputFormat::table);
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
  guard_streams();
  try {
    return dispatch(argc > 1 ? std::vector<std::string>(argv + 1, argv + argc)
                             : std::vector<std::string>{});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patchbay: unexpected: %s\n", error.what());
    return kUnable;
  }
}

}  // namespace patchbay::cli
