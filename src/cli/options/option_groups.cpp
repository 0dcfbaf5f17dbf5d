#include "cli/options/option_groups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/options/option_values.h"

namespace patchbay::cli {
namespace {

constexpr std::array<std::string_view, 2> kOutputs{"table", "json"};
constexpr const char* kPaths =
    "Configuration files, directories of *.yaml and *.yml files, or - for standard input. "
    "Kubernetes manifests may be among them: their ConfigMaps are read.";

/// Adds an option or argument with one or more paths.
void add_paths(OptionParser& parser, const std::string& names, const std::string& value,
               const std::string& meaning, std::vector<std::string>& paths) {
  const OptionParser::Option option{
      .names = names, .value = value, .meaning = meaning, .paths = OptionParser::Paths::any};
  parser.add_list(option, [&paths](const std::string& text) -> Result<void> {
    auto path = parse_input_path(text);
    if (!path) return std::unexpected(std::move(path).error());
    paths.push_back(*std::move(path));
    return {};
  });
}

}  // namespace

void add_choice(OptionParser& parser, OptionParser::Option option,
                std::span<const std::string_view> words, std::function<void(size_t)> choose) {
  option.words = {words.begin(), words.end()};
  parser.add_value(std::move(option),
                   [words, choose = std::move(choose)](const std::string& text) -> Result<void> {
                     const auto choice = parse_choice(text, words);
                     if (!choice) return std::unexpected(choice.error());
                     choose(*choice);
                     return {};
                   });
}

void add_text(OptionParser& parser, OptionParser::Option option, std::string& out) {
  parser.add_value(std::move(option), [&out](const std::string& text) -> Result<void> {
    out = text;
    return {};
  });
}

void add_node_name(OptionParser& parser, std::string& node) {
  parser.add_value(
      {"--node-name", "NAME",
       "The name of this node, for $(node). Default: $NODE_NAME; without it the name of the host."},
      store_parsed(node, parse_node_name));
}

void add_directory(OptionParser& parser, const std::string& names, const std::string& meaning,
                   std::string& out) {
  parser.add_value({.names = names,
                    .value = "DIR",
                    .meaning = meaning,
                    .paths = OptionParser::Paths::directories},
                   store_parsed(out, parse_path));
}

Result<void> check_paths(const ConfigOptions& options) {
  if (options.paths.empty()) {
    return fail("no configuration: give PATH or --config PATH; - is standard input");
  }
  if (std::ranges::count(options.paths, "-") > 1) {
    return fail("standard input (-) can be read only once");
  }
  return {};
}

void add_config_paths(OptionParser& parser, const std::string& meaning,
                      std::vector<std::string>& paths) {
  add_paths(parser, "-c,--config", "PATH", meaning, paths);
}

void add_config_option(OptionParser& parser, ConfigOptions& options, const std::string& meaning) {
  add_config_paths(parser, meaning, options.paths);
  add_node_name(parser, options.node);
}

void add_config(OptionParser& parser, ConfigOptions& options) {
  add_paths(parser, "PATH", "...", kPaths, options.paths);
  add_config_option(parser, options);
  parser.add_check([&options] { return check_paths(options); });
}

void add_output(OptionParser& parser, OutputFormat& output) {
  add_choice(parser,
             {.names = "-o,--output",
              .value = "FORMAT",
              .meaning = "The format: table or json. Default: table."},
             kOutputs, [&output](size_t choice) {
               output = choice == 0 ? OutputFormat::table : OutputFormat::json;
             });
}

void add_root(OptionParser& parser, HostCommandOptions& options) {
  add_directory(parser, "--host-root",
                "The mount point of the host's file system, for the paths of glob rules. Other "
                "rules are refused with it: they read /sys and /run/udev. Default: /",
                options.host_root);
}

void add_machine(OptionParser& parser, HostCommandOptions& options, const std::string& meaning) {
  parser.add_value({.names = "--machine",
                    .value = "FILE",
                    .meaning = meaning,
                    .paths = OptionParser::Paths::any},
                   store_parsed(options.machine, parse_path));
  parser.add_check([&options]() -> Result<void> {
    if (options.machine.empty() || options.host_root.empty()) return {};
    return fail("--machine and --host-root exclude each other: each names the host to read");
  });
}

void add_host(OptionParser& parser, HostCommandOptions& options) {
  add_root(parser, options);
  parser.add_value({"--udev-buffer", "SIZE",
                    "The receive buffer of each udev monitor, such as 64KiB for a small node. "
                    "Default: 8MiB."},
                   store_parsed(options.udev_buffer_bytes, parse_size));
  parser.add_value({"--rescan", "DURATION",
                    "The interval of full rescans, in addition to events, such as 30s or 1h; 0s: "
                    "never. Default: 5m."},
                   store_parsed(options.rescan_period, parse_period));
}

}  // namespace patchbay::cli
