// The only file that includes CLI11: it takes five seconds to compile.
#include "cli/cli.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace patchbay::cli {
namespace {

const std::map<std::string, OutputFormat> kOutputs{{"table", OutputFormat::table},
                                                   {"json", OutputFormat::json}};

void add_config(CLI::App& command, ConfigOptions& options, bool positional) {
  command
      .add_option(positional ? "config" : "-c,--config", options.paths,
                  "Configuration files, or directories of *.yaml files")
      ->required()
      ->type_name("PATH");
  command.add_option("--node-name", options.node,
                     "Name of this node, for $(node) [$NODE_NAME, else the host's name]");
}

void add_output(CLI::App& command, OutputFormat& output) {
  command.add_option("-o,--output", output, "table or json")
      ->transform(CLI::CheckedTransformer(kOutputs).description(""))
      ->type_name("FORMAT")
      ->default_str("table");
}

void add_host(CLI::App& command, HostCommandOptions& options) {
  command
      .add_option("--host-root", options.host_root,
                  "Where the host's file system is mounted, for the paths of glob rules")
      ->type_name("DIR");
  command
      .add_option("--udev-buffer", options.udev_buffer_bytes,
                  "Receive buffer of each udev monitor, e.g. 64KiB for a small node")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE")
      ->default_str("8MiB");
  command
      .add_option("--rescan", options.rescan_seconds,
                  "Seconds between two looks at everything, the floor under all events")
      ->check(CLI::Range(1, 86'400))
      ->type_name("SECONDS")
      ->capture_default_str();
}

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Serve this node's devices to the kubelet");
  add_config(command, options->config, false);
  command
      .add_option("--kubelet-dir", options->kubelet_directory,
                  "The kubelet's device-plugins directory")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--standalone", options->standalone,
                   "Bring a kubelet of our own that prints each list: no cluster, no root needed");
  add_host(command, options->host);
  command.add_option("--log-format", options->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT")
      ->capture_default_str();
  command.add_option("--log-level", options->log_level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}).description(""))
      ->type_name("LEVEL")
      ->capture_default_str();
  command.footer(
      "Examples:\n"
      "  patchbay run --config /etc/patchbay\n"
      "  patchbay run --standalone --config examples/configs/any-linux.yaml\n"
      "      then type: allocate RESOURCE ID...\n"
      "SIGTERM and SIGINT end it cleanly.");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App& command =
      *app.add_subcommand("validate", "Check configuration files and print every mistake");
  add_config(command, options->config, true);
  add_output(command, options->output);
  command.footer(
      "Exit code: 0 all is right, 1 mistakes (all of them are printed), 2 could not read.\n"
      "Examples:\n"
      "  patchbay validate lab.yaml\n"
      "  patchbay validate -o json /etc/patchbay");
  command.callback([options, &exit_code] { exit_code = validate(*options); });
}

void add_discover(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DiscoverOptions>();
  CLI::App& command = *app.add_subcommand(
      "discover", "Show what this node would offer, and which devices are refused and why");
  add_config(command, options->config, false);
  add_host(command, options->host);
  add_output(command, options->output);
  command.add_flag("-w,--watch", options->watch, "Show it again whenever devices come and go");
  command.footer(
      "Examples:\n"
      "  patchbay discover --config lab.yaml\n"
      "  patchbay discover --config lab.yaml --watch\n"
      "  patchbay discover --config /etc/patchbay -o json");
  command.callback([options, &exit_code] { exit_code = discover(*options); });
}

void add_version(CLI::App& app, int& exit_code) {
  auto output = std::make_shared<OutputFormat>(OutputFormat::table);
  CLI::App& command = *app.add_subcommand("version", "Print the version and what it speaks");
  add_output(command, *output);
  command.footer("Example:\n  patchbay version -o json");
  command.callback([output, &exit_code] { exit_code = version(*output); });
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Kubernetes device plugins from a YAML file: one daemon per node.", "patchbay");
  int exit_code = kOk;
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return "patchbay: " + std::string(error.what()) + "\nTry '" + failed->get_display_name() +
           " --help'.\n";
  });
  app.footer("Help for a command, with examples: patchbay COMMAND --help");
  add_run(app, exit_code);
  add_validate(app, exit_code);
  add_discover(app, exit_code);
  add_version(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUnable;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patchbay: unexpected: %s\n", error.what());
    return kUnable;
  }
}

}  // namespace patchbay::cli
