#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/suggestion_view.h"
#include "cli/commands/unit_changes.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "host/host.h"
#include "loop/event_loop.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/candidates.h"
#include "suggest/kinds.h"
#include "suggest/suggester.h"

namespace patchbay::cli {
namespace {

using suggest::CandidatePtr;
using suggest::Wanted;

/// The time without changes after which a plugged device is complete.
constexpr loop::Milliseconds kPlugSettle{1'000};

/// Waits for the next devices of known kinds that are plugged in. `kinds`: the plan for all kinds.
/// run() returns an Error if a signal ends the wait. Call it before any other thread starts.
class PlugWatch {
 public:
  PlugWatch(rules::PlanPtr kinds, host::HostOptions options)
      : kinds_(std::move(kinds)), options_(std::move(options)) {
    options_.watch = true;
  }

  Result<std::vector<Wanted>> run() {
    const auto end = run_discovery(
        kinds_, options_,
        [&](const inventory::Inventory& inventory) {
          changed(suggest::find_candidates(inventory.last(), suggest::kinds(), options_.root));
          return true;
        },
        [&](loop::UvLoop& loop) {
          auto timer = std::make_shared<Timer>(Timer{.loop = loop, .settled = {}});
          timer_ = timer.get();
          return timer;
        });
    if (!end) return std::unexpected(end.error());
    if (*end != DiscoveryEnd::enough) return fail("stopped before a device was plugged in");
    return std::move(plugged_);
  }

 private:
  /// Must not outlive the loop.
  struct Timer {
    loop::UvLoop& loop;
    loop::Subscription settled;
  };

  void changed(const std::vector<CandidatePtr>& candidates) {
    std::set<std::string> present;
    plugged_.clear();
    for (const CandidatePtr& candidate : candidates) {
      if (candidate->superseded) continue;
      const auto& device = *candidate->matched.front();
      present.insert(device.key);
      if (known_ && !known_->contains(device.key)) {
        plugged_.push_back({.key = device.key, .path = device.devnode});
      }
    }
    if (!known_) {
      print_error("plug a device in; Ctrl-C ends the wait\n");
      known_ = std::move(present);
      return;
    }
    // A device that is unplugged and plugged again is new.
    std::erase_if(*known_, [&](const std::string& key) { return !present.contains(key); });
    timer_->settled.reset();
    if (!plugged_.empty()) {
      timer_->settled = timer_->loop.after(kPlugSettle, [this] { timer_->loop.stop(); });
    }
  }

  rules::PlanPtr kinds_;
  host::HostOptions options_;
  Timer* timer_ = nullptr;
  std::optional<std::set<std::string>> known_;  ///< Null before the first scan is complete.
  std::vector<Wanted> plugged_;
};

Result<inventory::Resolution> scan(const rules::PlanPtr& plan, const host::HostOptions& options) {
  std::optional<inventory::Resolution> resolution;
  const auto end =
      run_discovery(without_probes(plan), options, [&](const inventory::Inventory& inventory) {
        resolution = inventory.last();
        return false;
      });
  if (!end) return std::unexpected(end.error());
  if (!resolution) return fail("stopped before the devices were known");
  return *std::move(resolution);
}

/// Lets a person at a terminal choose.
Result<size_t> choose_device(std::span<const std::string> titles) {
  std::string lines;
  for (size_t i = 0; i < titles.size(); ++i) lines += fmt::format("{:4}  {}\n", i + 1, titles[i]);
  print_error(lines + "Number of the device: ");
  std::string line;
  std::getline(std::cin, line);
  const auto number = parse_number(line, 1, static_cast<int>(titles.size()));
  if (!number) return fail("the number of the device: " + number.error().message);
  return static_cast<size_t>(*number) - 1;
}

/// `usb` and `0403:6001` are one name. Paths become absolute.
std::vector<std::string> names_in(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool has_more = words[i] == "usb" && i + 1 < words.size();
    const std::string& name = has_more ? words[++i] : words[i];
    std::error_code failed;
    names.push_back(name.contains('/') ? std::filesystem::absolute(name, failed).string() : name);
  }
  return names;
}

Result<std::vector<Wanted>> named_devices(const SuggestOptions& options,
                                          const rules::PlanPtr& kinds,
                                          const host::HostOptions& host) {
  if (options.watch) return PlugWatch(kinds, host).run();
  auto named = suggest::find_devices(names_in(options.devices), host.root);
  if (!named) return std::unexpected(named.error());
  for (const std::string& device : named->incomplete) {
    print_error(fmt::format(
        "patchbay: {}: udev has not processed it; its links and properties can be missing\n",
        printable(device)));
  }
  return std::move(named->devices);
}

Result<suggest::Report> find_suggestions(const SuggestOptions& options) {
  suggest::Request request{.kinds = suggest::plan_of(suggest::kinds()),
                           .all = options.all,
                           .rules = {.rule = {.this_one = options.this_one,
                                              .domain = options.domain,
                                              .name = options.name},
                                     .force = options.force},
                           .node = daemon::default_node_name()};
  if (auto fits = suggest::check_name(request.rules.rule); !fits) {
    return std::unexpected(fits.error());
  }
  const auto host = host_options(options.host, *request.kinds, false);
  if (!host) return std::unexpected(host.error());
  if (!options.config.paths.empty()) {
    const auto config = read_config(options.config).plan;
    if (config == nullptr) return fail("--config cannot be used");
    for (const auto& resource : config->resources) {
      request.rules.used_names.push_back(resource->name);
    }
    request.active = daemon::plan_for_this_node(config, host->root);
  }
  // The devices are named before the scan, because a new one is complete only then.
  auto devices = named_devices(options, request.kinds, *host);
  if (!devices) return std::unexpected(devices.error());
  request.devices = *std::move(devices);
  return suggest::suggest(
      request, host->root, [&](const rules::PlanPtr& plan) { return scan(plan, *host); },
      choose_device);
}

}  // namespace

int suggest(const SuggestOptions& options) {
  const auto report = find_suggestions(options);
  if (!report) return report_failure(report.error());
  const bool nothing = report->suggestions.empty() && report->doubtful.empty();
  if (options.json) {
    const int printed = exit_code_of(print(json_text(suggestion_json(*report), 2)));
    return printed == kOk && nothing ? int{kNotSuggested} : printed;
  }
  if (nothing || !options.all) {
    for (const suggest::NotSuggested& other : report->others) {
      print_error(fmt::format("patchbay: {}: nothing is suggested: {}\n", shown(other.device),
                              shown(other.reason)));
    }
  }
  if (nothing && report->others.empty()) {
    print_error("patchbay: nothing is suggested: no device of a known kind was found\n");
  }
  if (nothing) return kNotSuggested;
  return exit_code_of(print(suggestion_text(*report, options.resources_only)));
}

}  // namespace patchbay::cli
