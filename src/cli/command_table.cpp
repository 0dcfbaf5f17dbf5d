#include "cli/command_table.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/candidates.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_client.h"
#include "cli/options/option_groups.h"
#include "cli/options/option_values.h"
#include "http/listening.h"

namespace patchbay::cli {
namespace {

using Run = std::function<int()>;

constexpr std::array<std::string_view, 2> kSuggestForms{"config", "resource"};
constexpr std::array<std::string_view, 2> kSuggestOutputs{"yaml", "json"};
constexpr std::array<std::string_view, 2> kLogFormats{"text", "json"};
constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warning", "error"};

Run declare_run(OptionParser& parser) {
  const auto options = std::make_shared<RunOptions>();
  add_config(parser, options->config);
  add_directory(parser, "--kubelet-dir",
                "The kubelet's device-plugins directory. Default: " + options->kubelet_directory,
                options->kubelet_directory);
  add_directory(
      parser, "--kubelet-root",
      "The kubelet's root directory, for DRA and PodResources. Default: " + options->kubelet_root,
      options->kubelet_root);
  parser.add_value({.names = "--pod-resources",
                    .value = "PATH",
                    .meaning = "The kubelet's PodResources socket, which reports the units of "
                               "Pods, or none. Default: that below --kubelet-root; with "
                               "--standalone none.",
                    .paths = OptionParser::Paths::any},
                   store_parsed(options->pod_resources, parse_path));
  parser.add_value(
      {.names = "--api-server",
       .value = "URL",
       .meaning = "The API server, for DRA, such as https://10.0.0.1:6443. Default: as in a Pod."},
      store_parsed(options->api_server, [](const std::string& text) -> Result<std::string> {
        if (!text.starts_with("https://")) return fail("is not a URL that begins with https://");
        return text;
      }));
  parser.add_value(
      {.names = "--api-ca",
       .value = "FILE",
       .meaning = "The authority of the API server's certificate. Default: as in a Pod.",
       .paths = OptionParser::Paths::any},
      store_parsed(options->api_ca, parse_path));
  parser.add_value({.names = "--api-token-file",
                    .value = "FILE",
                    .meaning = "The token for the API server. Default: as in a Pod.",
                    .paths = OptionParser::Paths::any},
                   store_parsed(options->api_token_file, parse_path));
  add_directory(parser, "--cdi-dir",
                std::string("The directory for CDI specs. Default: ") + kCdiDirectory +
                    "; with --standalone a temporary one.",
                options->cdi_directory);
  add_directory(parser, "--device-info-dir",
                std::string("The directory for device-info files for Multus. Default: ") +
                    kDeviceInfoDirectory + "; with --standalone a temporary one.",
                options->device_info_directory);
  parser.add_flag({.names = "--standalone",
                   .meaning = "Start a kubelet stand-in, which prints each list. It needs no "
                              "cluster and no root."},
                  options->standalone);
  parser.add_flag(
      {.names = "--no-reload",
       .meaning =
           "Read the configuration only once: its files are not watched, and SIGHUP is ignored."},
      options->no_reload);
  add_host(parser, options->host);
  parser.add_value(
      {.names = "--max-checks",
       .value = "N",
       .meaning = "The limit of probes that run at once, programs included. Default: 8."},
      store_parsed(options->max_checks, [](const std::string& text) -> Result<size_t> {
        const auto number = parse_number(text, 1, 1000);
        if (!number) return std::unexpected(number.error());
        return static_cast<size_t>(*number);
      }));
  add_choice(
      parser,
      {.names = "--log-format", .value = "FORMAT", .meaning = "text or json. Default: text."},
      kLogFormats, [options](size_t choice) { options->log_format = kLogFormats.at(choice); });
  add_choice(parser,
             {.names = "--log-level",
              .value = "LEVEL",
              .meaning = "debug, info, warning or error. Default: info."},
             kLogLevels, [options](size_t choice) { options->log_level = kLogLevels.at(choice); });
  parser.add_value(
      {.names = "--status-socket",
       .value = "PATH",
       .meaning = "The socket that serves the status, or none. Default: /run/patchbay/status.sock, "
                  "for users other than root $XDG_RUNTIME_DIR/patchbay/status.sock.",
       .paths = OptionParser::Paths::any},
      store_parsed(options->status_socket, parse_path));
  parser.add_value(
      {.names = "--listen",
       .value = "ADDRESS:PORT",
       .meaning = "Also serve /metrics, /healthz and /readyz over HTTP, such as on 127.0.0.1:9405, "
                  "or :9405 for every address. Default: none."},
      store_parsed(options->listen, [](const std::string& text) -> Result<std::string> {
        if (auto parsed = http::parse_tcp_address(text); !parsed) {
          return std::unexpected(std::move(parsed).error());
        }
        return text;
      }));
  parser.add_flag({.names = "--page",
                   .meaning = "With --listen, also serve the page, /status, /unmatched and "
                              "/events, which contain device names."},
                  options->page);
  parser.add_flag(
      {.names = "--metrics-per-unit",
       .meaning = "Also export metric series for each unit: their number grows with the devices."},
      options->metrics_per_unit);
  parser.add_check([options]() -> Result<void> {
    if (options->page && options->listen.empty()) return fail("--page needs --listen");
    return {};
  });
  return [options] { return run(*options); };
}

/// The options that select the daemon.
void add_client(OptionParser& parser, StatusClientOptions& options) {
  parser.add_value(
      {.names = "--status-socket",
       .value = "PATH",
       .meaning = "The daemon's socket. Default: the default of `run` for the same user.",
       .paths = OptionParser::Paths::any},
      store_parsed(options.socket, parse_path));
  parser.add_value({.names = "--from",
                    .value = "URL",
                    .meaning = "Connect to this daemon instead: http://HOST:PORT of one that runs "
                               "with --listen and --page."},
                   store_parsed(options.url, [](const std::string& url) -> Result<std::string> {
                     if (auto parsed = parse_status_url(url); !parsed) {
                       return std::unexpected(std::move(parsed).error());
                     }
                     return url;
                   }));
}

/// A resource or a unit of the daemon.
template <typename Options>
void add_target(OptionParser& parser, const std::shared_ptr<Options>& options,
                const char* meaning) {
  add_text(parser,
           {.names = "RESOURCE|UNIT",
            .meaning = meaning,
            .offer =
                [options](const std::string& beginning) {
                  auto words = resource_names({}, options->client, beginning);
                  for (auto& id : unit_ids(options->client)) words.push_back(std::move(id));
                  return words;
                }},
           options->word);
}

Run declare_status(OptionParser& parser) {
  const auto options = std::make_shared<StatusOptions>();
  add_target(parser, options,
             "Show only this, in detail: a resource's name, with or without its domain, or the id "
             "of a unit.");
  add_client(parser, options->client);
  add_choice(
      parser,
      {.names = "-o,--output",
       .value = "FORMAT",
       .meaning = "The format: table, wide (a table with nothing cut) or json. Default: table."},
      options->output);
  parser.add_flag({.names = "-w,--watch",
                   .meaning = "Print it again after each change; as JSON, in one line each time."},
                  options->watch);
  return [options] { return status(*options); };
}

Run declare_events(OptionParser& parser) {
  const auto options = std::make_shared<EventsOptions>();
  add_target(parser, options, "Print only the events of this resource or unit.");
  add_client(parser, options->client);
  add_output(parser, options->output);
  parser.add_flag({.names = "-w,--watch", .meaning = "Print new events as they occur."},
                  options->follow);
  return [options] { return events(*options); };
}

Run declare_validate(OptionParser& parser) {
  const auto options = std::make_shared<ValidateOptions>();
  add_config(parser, options->config);
  add_machine(parser, options->host,
              "A recorded machine: the output of `patchbay snapshot` or of udevadm. Warn about "
              "resources that offer nothing on it. Without it no device is read.");
  add_output(parser, options->output);
  parser.add_flag({.names = "--strict", .meaning = "Treat warnings as mistakes, as CI should."},
                  options->strict);
  return [options] { return validate(*options); };
}

Run declare_diff(OptionParser& parser) {
  const auto options = std::make_shared<DiffOptions>();
  const auto add_path = [&](const char* name, const char* meaning, std::string& out) {
    parser.add_value(
        {.names = name, .meaning = meaning, .paths = OptionParser::Paths::any, .required = true},
        store_parsed(out, parse_input_path));
  };
  add_path("OLD",
           "The active configuration: a file, a directory, or - for standard input. Required.",
           options->before);
  add_path("NEW", "The configuration that replaces it. Required.", options->now);
  parser.add_check([options]() -> Result<void> {
    if (options->before == "-" && options->now == "-") {
      return fail("standard input (-) can be read only once");
    }
    return {};
  });
  add_node_name(parser, options->node);
  parser.add_flag(
      {.names = "--here", .meaning = "Also compare the units of this machine. Probes are not run."},
      options->here);
  add_machine(parser, options->host,
              "A recorded machine: the output of `patchbay snapshot` or of udevadm. Also compare "
              "the units on it.");
  add_output(parser, options->output);
  return [options] { return diff(*options); };
}

Run declare_discover(OptionParser& parser) {
  const auto options = std::make_shared<DiscoverOptions>();
  add_config(parser, options->config);
  add_machine(parser, options->host);
  add_host(parser, options->host);
  add_choice(
      parser,
      {.names = "-o,--output",
       .value = "FORMAT",
       .meaning = "The format: table, wide (a table with sysfs paths and nothing cut) or json. "
                  "Default: table."},
      options->output);
  parser.add_flag(
      {.names = "-w,--watch",
       .meaning = "Print it again after each change of devices; as JSON, in one line each time."},
      options->watch);
  parser.add_flag(
      {.names = "--dra", .meaning = "Print the ResourceSlices of this node instead, as YAML."},
      options->dra);
  parser.add_check([options]() -> Result<void> {
    if (options->dra && (options->watch || options->output != OutputFormat::table)) {
      return fail("--dra prints YAML once: give it without --watch and --output");
    }
    if (options->host.machine.empty() || !options->watch) return {};
    return fail("a recorded machine does not change: give --machine or --watch");
  });
  return [options] { return discover(*options); };
}

Run declare_deviceclasses(OptionParser& parser) {
  const auto options = std::make_shared<ConfigOptions>();
  add_config(parser, *options);
  return [options] { return deviceclasses(*options); };
}

/// Without --config the last argument is the configuration, like the target of `cp`.
Result<void> take_configuration(AllocateOptions& options) {
  if (options.config.paths.empty() && !options.ids.empty()) {
    const std::string path = options.ids.back();
    if (path != "-" && access(path.c_str(), F_OK) != 0) {
      return fail(
          "no configuration: '" + printable(path) +
          "' is not a file; the last argument is the configuration, unless --config names it");
    }
    options.ids.pop_back();
    options.config.paths.push_back(path);
  }
  if (options.ids.empty() && options.prefer == 0) return fail("ID is required");
  if (options.start && (options.prefer > 0 || !options.host.machine.empty())) {
    return fail("--start runs steps on this machine: give it without --prefer and --machine");
  }
  return check_paths(options.config);
}

Run declare_allocate(OptionParser& parser) {
  const auto options = std::make_shared<AllocateOptions>();
  add_text(
      parser,
      {.names = "RESOURCE",
       .meaning =
           "The resource's name; the domain is optional if only one resource matches. Required.",
       .offer =
           [options](const std::string& beginning) {
             return resource_names(options->config, {}, beginning);
           },
       .required = true},
      options->resource);
  parser.add_list(
      {.names = "ID",
       .value = "... PATH",
       .meaning = "Ids of its units; required without --prefer. The last argument is a "
                  "configuration, or - for standard input, unless --config names it.",
       .offer = [options](const std::string&) { return device_ids({}, options->resource); },
       .paths = OptionParser::Paths::any},
      [options](const std::string& id) -> Result<void> {
        options->ids.push_back(id);
        return {};
      });
  parser.add_value({.names = "--prefer",
                    .value = "N",
                    .meaning = "Print the ids of N preferred units instead, with the named ones "
                               "among them. All healthy units count as free."},
                   store_parsed(options->prefer, [](const std::string& text) {
                     return parse_number(text, 1, 1'000'000);
                   }));
  parser.add_flag({.names = "--start",
                   .meaning = "Also run the preStart steps of the units on this machine. Each unit "
                              "has at most 25 seconds."},
                  options->start);
  add_config_option(parser, options->config);
  parser.add_check([options] { return take_configuration(*options); });
  add_machine(parser, options->host);
  add_root(parser, options->host);
  add_output(parser, options->output);
  return [options] { return allocate(*options); };
}

Run declare_explain(OptionParser& parser) {
  const auto options = std::make_shared<ExplainOptions>();
  add_text(parser,
           {.names = "DEVICE",
            .meaning = "A device node, a link to one, a path in /sys, any other path, "
                       "static:NAME, or the id of a unit. Required.",
            .offer = [](const std::string&) { return unit_ids({}); },
            .paths = OptionParser::Paths::any,
            .required = true},
           options->device);
  add_config(parser, options->config);
  add_machine(parser, options->host);
  add_root(parser, options->host);
  add_output(parser, options->output);
  return [options] { return explain(*options); };
}

Run declare_suggest(OptionParser& parser) {
  const auto options = std::make_shared<SuggestOptions>();
  parser.add_list(
      {.names = "DEVICE",
       .value = "...",
       .meaning =
           "A device node, a link to one, a path in /sys, a PCI address or a network interface. A "
           "disk also has the name of its mount point or image file. A USB device also has the "
           "name usb VENDOR:PRODUCT or usb 1-2.3. Without it, a terminal shows a list.",
       .paths = OptionParser::Paths::any},
      [options](const std::string& device) -> Result<void> {
        options->devices.push_back(device);
        return {};
      });
  parser.add_flag({.names = "--this-one",
                   .meaning = "Match only this device, by its serial number, else by its USB "
                              "socket, PCI address or name. Otherwise all devices of its model "
                              "match."},
                  options->this_one);
  parser.add_flag({.names = "--all",
                   .meaning = "Propose a configuration for all devices of this machine. Doubtful "
                              "rules are comments."},
                  options->all);
  parser.add_flag(
      {.names = "-w,--watch", .meaning = "Wait for the next device that is plugged in."},
      options->watch);
  parser.add_flag({.names = "--force",
                   .meaning = "Also propose rules for devices that this machine itself uses: disks "
                              "with content, interfaces with a route, consoles, keyboards."},
                  options->force);
  add_config_option(parser, options->config,
                    "A configuration in use: shows which of its resources has the device.");
  const auto add_word = [&](const char* names, const char* value, const char* meaning,
                            std::string& out) {
    add_text(parser, {.names = names, .value = value, .meaning = meaning}, out);
  };
  add_word("--domain", "DOMAIN", "The domain of the resource. Default: example.com.",
           options->domain);
  add_word("--name", "NAME",
           "The name of the resource, without the domain. Default: that of the "
           "kind, such as camera.",
           options->name);
  add_choice(
      parser,
      {.names = "--as",
       .value = "FORM",
       .meaning = "config (a whole file) or resource (items of resources). Default: config."},
      kSuggestForms, [options](size_t choice) { options->resources_only = choice == 1; });
  add_choice(parser,
             {.names = "-o,--output",
              .value = "FORMAT",
              .meaning = "The format: yaml or json. Default: yaml."},
             kSuggestOutputs, [options](size_t choice) { options->json = choice == 1; });
  add_machine(parser, options->host);
  parser.add_check([options]() -> Result<void> {
    const int ways =
        (options->devices.empty() ? 0 : 1) + (options->all ? 1 : 0) + (options->watch ? 1 : 0);
    if (ways > 1) return fail("give one of DEVICE, --all and --watch");
    if (ways == 0 && isatty(STDIN_FILENO) == 0) return fail("give a DEVICE, --all or --watch");
    if (options->watch && !options->host.machine.empty()) {
      return fail("a recorded machine does not change: give --machine or --watch");
    }
    return {};
  });
  return [options] { return suggest(*options); };
}

Run declare_snapshot(OptionParser& parser) {
  const auto options = std::make_shared<SnapshotOptions>();
  add_config_option(parser, options->config,
                    "A configuration: records also the files and paths that its rules read.");
  parser.add_flag(
      {.names = "--keep-serials",
       .meaning = "Write serials, addresses, UUIDs and names that people gave as they are. "
                  "Otherwise stand-ins replace them, and rules that compare them do not match."},
      options->keep_serials);
  return [options] { return snapshot(*options); };
}

Run declare_test(OptionParser& parser) {
  const auto options = std::make_shared<TestOptions>();
  parser.add_list({.names = "DIR",
                   .value = "...",
                   .meaning = "Directories with cases. A case is a directory with machine.txt (the "
                              "output of `patchbay snapshot`) and expected.json. Required.",
                   .paths = OptionParser::Paths::directories,
                   .required = true},
                  [options](const std::string& text) -> Result<void> {
                    auto path = parse_path(text);
                    if (!path) return std::unexpected(std::move(path).error());
                    options->directories.push_back(*std::move(path));
                    return {};
                  });
  add_config_paths(parser,
                   "The configuration of all cases: a file, a directory, manifests, or - for "
                   "standard input. Default: config.yaml of the case, else that of the nearest "
                   "directory above it, up to DIR.",
                   options->config.paths);
  parser.add_value({.names = "--node-name",
                    .value = "NAME",
                    .meaning = "The name of the node in all cases, for $(node) and `when`. "
                               "Default: the name of the directory of the case."},
                   store_parsed(options->config.node, parse_node_name));
  parser.add_value({.names = "--run",
                    .value = "REGEX",
                    .meaning = "Run only cases with a match in their name: the path below DIR."},
                   store_parsed(options->selects, parse_name_filter));
  parser.add_flag({.names = "--update", .meaning = "Write expected.json instead of comparing it."},
                  options->update);
  parser.add_flag({.names = "-v,--verbose", .meaning = "Also list the cases that pass."},
                  options->verbose);
  add_output(parser, options->output);
  return [options] { return test(*options); };
}

Run declare_version(OptionParser& parser) {
  const auto output = std::make_shared<OutputFormat>(OutputFormat::table);
  add_output(parser, *output);
  return [output] { return version(*output); };
}

Run declare_schema(OptionParser& /*parser*/) { return schema; }

Run declare_completion(OptionParser& parser) {
  const auto shell = std::make_shared<Shell>(Shell::bash);
  add_choice(parser,
             {.names = "SHELL", .meaning = "bash, zsh or fish. Required.", .required = true},
             *shell);
  return [shell] { return completion(*shell); };
}

}  // namespace

std::vector<Command> commands() {
  return {
      {"run", "PATH... [options]", "Serve this node's devices to the kubelet.", declare_run,
       "SIGTERM and SIGINT stop it cleanly.\n"
       "\n"
       "Examples:\n"
       "  patchbay run --config /etc/patchbay\n"
       "  patchbay run --standalone --config examples/configs/any-linux.yaml\n"},
      {"validate", "PATH... [options]", "Check configuration files and print every mistake.",
       declare_validate,
       "Exit code: 0 for valid configurations, 1 for mistakes, 2 for read errors.\n"
       "Warnings do not change the exit code, except with --strict.\n"
       "\n"
       "Examples:\n"
       "  patchbay validate lab.yaml\n"
       "  patchbay validate --strict lab.yaml\n"
       "  patchbay validate lab.yaml --machine machine.txt\n"
       "  patchbay validate -o json /etc/patchbay\n"
       "  helm template ./chart | patchbay validate -\n"},
      {"diff", "OLD NEW [options]",
       "Show what an edit of the configuration would do to each resource.", declare_diff,
       "CHANGE is kept, changed, re-registered, new or removed; KEYS has the cause.\n"
       "It only reads the text. With --here or --machine, UNITS counts what the kubelet\n"
       "can allocate only after, or only before the edit.\n"
       "Exit code: 0 if both are equivalent, 1 if not, 2 for mistakes in one of them.\n"
       "\n"
       "Examples:\n"
       "  patchbay diff /etc/patchbay lab.yaml --here\n"
       "  patchbay diff old.yaml new.yaml -o json\n"
       "  kubectl get configmap -n patchbay patchbay-config -o yaml |\n"
       "      patchbay diff - lab.yaml\n"},
      {"discover", "PATH... [options]",
       "Show the units that this node would offer, and refused devices.", declare_discover,
       "Examples:\n"
       "  patchbay discover lab.yaml\n"
       "  patchbay discover lab.yaml --watch\n"
       "  patchbay discover /etc/patchbay -o json\n"
       "  patchbay discover lab.yaml --dra\n"},
      {"deviceclasses", "PATH... [options]",
       "Print a DeviceClass for each resource with serve: dra.", declare_deviceclasses,
       "Comments show a ResourceClaimTemplate and the lines of a Pod. No device is read.\n"
       "Exit code: 0, 1 for mistakes in the configuration, 2 if no resource has\n"
       "serve: dra.\n"
       "\n"
       "Examples:\n"
       "  patchbay deviceclasses lab.yaml | kubectl apply -f -\n"
       "  patchbay deviceclasses /etc/patchbay\n"},
      {"allocate", "RESOURCE ID... PATH [options]",
       "Show what a container with these units would get.", declare_allocate,
       "Exit code: 0, 1 for mistakes in the configuration, 2 if units are refused or a\n"
       "step fails.\n"
       "\n"
       "Examples:\n"
       "  patchbay allocate ftdi-uart A50285BI lab.yaml\n"
       "  patchbay allocate ftdi-uart A50285BI lab.yaml --start\n"
       "  patchbay allocate gpu --prefer 2 lab.yaml\n"
       "  patchbay allocate lab.example.com/gpu card0::0 card1::0 -c lab.yaml -o json\n"},
      {"explain", "DEVICE PATH... [options]",
       "Show how each rule evaluates a device, and which conditions fail.", declare_explain,
       "Exit code: 0, 1 for mistakes in the configuration, 2 for an unknown device.\n"
       "\n"
       "Examples:\n"
       "  patchbay explain /dev/ttyUSB0 lab.yaml\n"
       "  patchbay explain /sys/class/net/eth0 /etc/patchbay -o json\n"
       "  patchbay explain A50285BI --config lab.yaml\n"},
      {"suggest", "DEVICE... [options]", "Propose a configuration for a device.", declare_suggest,
       "It tries the rule on this machine. Comments in the output show the units and the\n"
       "needs of a Pod. It opens and changes nothing.\n"
       "Exit code: 0, 1 if nothing is proposed, 2 for an unknown device or another\n"
       "error.\n"
       "\n"
       "Examples:\n"
       "  patchbay suggest /dev/ttyUSB0 > lab.yaml\n"
       "  patchbay suggest --this-one usb 0403:6001 --domain lab.example.com\n"
       "  patchbay suggest --watch --as resource\n"
       "  patchbay suggest --all\n"},
      {"snapshot", "[options]", "Record this machine's devices as text, to test rules elsewhere.",
       declare_snapshot,
       "It has the attributes, links, nodes, drivers and udev properties of all devices,\n"
       "and with --config the files and paths that the rules read. No device is opened.\n"
       "Exit code: 0, 1 for mistakes in the configuration, 2 for an error of the host,\n"
       "3 if something does not answer or cannot be written.\n"
       "\n"
       "Examples:\n"
       "  patchbay snapshot > machine.txt\n"
       "  patchbay snapshot --keep-serials -c lab.yaml > machine.txt\n"
       "  patchbay discover --machine machine.txt lab.yaml\n"},
      {"test", "DIR... [options]", "Compare the units of recorded machines with the expected ones.",
       declare_test,
       "A case is the output of discover, and of allocate for each unit, for a machine\n"
       "that snapshot recorded.\n"
       "Exit code: 0 if all cases pass, 1 if one differs or cannot be read, 2 for a\n"
       "wrong command line.\n"
       "\n"
       "Examples:\n"
       "  patchbay test tests --config lab.yaml\n"
       "  patchbay test tests -c lab.yaml --update\n"
       "  patchbay test tests --run bench -v\n"
       "  kubectl kustomize deploy | patchbay test tests -c -\n"},
      {"status", "[RESOURCE|UNIT] [options]", "Show the status of the daemon on this machine.",
       declare_status,
       "Exit code: 0, or 2 if no daemon answers or the resource or unit does not exist.\n"
       "\n"
       "Examples:\n"
       "  patchbay status\n"
       "  patchbay status uart\n"
       "  patchbay status A50285BI -o json\n"
       "  kubectl exec -n patchbay ds/patchbay -- patchbay status --watch\n"},
      {"events", "[RESOURCE|UNIT] [options]", "Show recent events of this node's devices.",
       declare_events,
       "The daemon keeps the last 1000 events.\n"
       "\n"
       "Examples:\n"
       "  patchbay events\n"
       "  patchbay events line2\n"
       "  patchbay events --watch\n"
       "  patchbay events --watch -o json\n"},
      {"schema", "", "Print the JSON Schema of the configuration, for editors.", declare_schema,
       "Example:\n"
       "  patchbay schema > patchbay.v1.schema.json\n"},
      {"completion", "bash|zsh|fish", "Print a completion script for a shell.", declare_completion,
       "Examples:\n"
       "  source <(patchbay completion bash)\n"
       "      in ~/.bashrc\n"
       "  patchbay completion zsh > ~/.zfunc/_patchbay\n"
       "      with fpath+=(~/.zfunc) before compinit in ~/.zshrc\n"
       "  patchbay completion fish > ~/.config/fish/completions/patchbay.fish\n"},
      {"version", "[options]", "Print the version and the API versions.", declare_version,
       "Examples:\n"
       "  patchbay version\n"
       "  patchbay version -o json\n"},
  };
}

}  // namespace patchbay::cli
