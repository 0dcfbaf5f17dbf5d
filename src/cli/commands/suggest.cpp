#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/plug_watch.h"
#include "cli/commands/suggestion_view.h"
#include "cli/commands/unit_changes.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "loop/executor.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"
#include "suggest/kinds.h"
#include "suggest/named_device.h"
#include "suggest/propose_all.h"
#include "suggest/title.h"
#include "suggest/trial.h"
#include "suggest/udev_wait.h"
#include "suggest/unknown_hardware.h"

namespace patchbay::cli {
namespace {

using suggest::CandidatePtr;
using suggest::KindPtr;
using suggest::Wanted;
using Candidates = std::vector<CandidatePtr>;

/// Reading the devices takes much less, if all drivers answer.
constexpr loop::Milliseconds kTimeout{10'000};
/// How long new devices wait for udev.
constexpr std::chrono::seconds kUdevTimeout{2};

/// Names of devices in one line.
constexpr size_t kMostNames = 4;

/// Scans once, without probes.
Result<void> scan(const rules::PlanPtr& plan, const host::HostOptions& options,
                  const std::function<void(const inventory::Resolution&)>& use) {
  bool done = false;
  const auto end =
      run_discovery(without_probes(plan), options, [&](const inventory::Inventory& inventory) {
        use(inventory.last());
        done = true;
        return false;
      });
  if (!end) return std::unexpected(end.error());
  if (!done) return fail("stopped before the devices were known");
  return {};
}

/// Runs work that reads the host. The work must own what it uses, because it may never end.
template <typename T>
Result<T> within_timeout(std::function<Result<T>()> work) {
  const auto result = std::make_shared<std::optional<Result<T>>>();
  const bool answered =
      loop::Executor().run([result, work = std::move(work)] { *result = work(); }, kTimeout);
  if (!answered)
    return fail(fmt::format("reading the devices timed out after {} s", kTimeout.count() / 1000));
  return std::move(**result);
}

struct FoundUnits {
  Candidates units;
  std::string unresponsive;  ///< A device or path without an answer. Empty: all units are known.
};

Result<FoundUnits> find_units(const rules::PlanPtr& plan, std::span<const KindPtr> kinds,
                              const host::HostOptions& options) {
  FoundUnits found;
  const auto scanned = scan(plan, options, [&](const inventory::Resolution& resolution) {
    found.units = suggest::find_candidates(resolution, kinds, options.root);
    for (const auto& resource : resolution.resources) {
      if (!resource.unresponsive.empty()) found.unresponsive = resource.unresponsive.front().what;
    }
  });
  if (!scanned) return std::unexpected(scanned.error());
  return found;
}

std::string name_of(const Wanted& wanted) { return wanted.path.empty() ? wanted.key : wanted.path; }

/// Whether the unit is in lists of all units.
bool is_listed(const CandidatePtr& unit) {
  return !unit->superseded && unit->kind->refused.empty();
}

/// Lets a person at a terminal choose.
Result<Wanted> ask(Candidates units, const paths::HostRoot& root) {
  std::erase_if(units, std::not_fn(is_listed));
  if (units.empty()) return fail("no device of a known kind was found");
  const auto list = within_timeout<std::string>([units, root]() -> Result<std::string> {
    suggest::DeviceReader reader(root);
    std::string lines;
    for (size_t i = 0; i < units.size(); ++i) {
      lines += fmt::format("{:4}  {}\n", i + 1, suggest::full_title_of(*units[i], reader));
    }
    return lines;
  });
  if (!list) return std::unexpected(list.error());
  print_error(*list + "Number of the device: ");
  std::string line;
  std::getline(std::cin, line);
  const auto number = parse_number(line, 1, static_cast<int>(units.size()));
  if (!number) return fail("the number of the device: " + number.error().message);
  const auto& device = *units[static_cast<size_t>(*number) - 1]->matched.front();
  return Wanted{.key = device.key, .path = device.devnode};
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

/// New devices are complete afterwards.
Result<std::vector<Wanted>> find_devices(const std::vector<std::string>& names,
                                         const paths::HostRoot& root) {
  std::vector<Wanted> all;
  const auto deadline = std::chrono::steady_clock::now() + kUdevTimeout;  // For all.
  for (const std::string& name : names) {
    auto found = suggest::find_named_devices(name, root);
    if (!found) return std::unexpected(found.error());
    for (Wanted& wanted : *found) {
      if (!suggest::wait_for_udev(wanted, root, deadline)) {
        print_error(
            fmt::format("patchbay: {}: udev has not processed it; its links and "
                        "properties can be missing\n",
                        printable(name_of(wanted))));
      }
      all.push_back(std::move(wanted));
    }
  }
  return all;
}

/// Finds, makes, tries and describes the proposals. One call of run().
class Suggester {
 public:
  Suggester(const SuggestOptions& options, rules::PlanPtr kinds, host::HostOptions host)
      : options_(options), kinds_(std::move(kinds)), host_(std::move(host)) {}

  Result<SuggestionReport> run() {
    report_.recorded = host_.root.is_recorded();
    if (!options_.config.paths.empty()) {
      config_ = read_config(options_.config).plan;
      if (config_ == nullptr) return fail("--config cannot be used");
    }
    for (const auto stage : {&Suggester::find_choices, &Suggester::propose, &Suggester::try_all,
                             &Suggester::compare_with_active}) {
      if (auto done = (this->*stage)(); !done) return std::unexpected(done.error());
    }
    sort_doubtful();
    return std::move(report_);
  }

 private:
  Result<void> find_choices() {
    // The devices are named first, because a new one is complete only then.
    auto named = named_devices();
    if (!named) return std::unexpected(named.error());
    auto units = find_units(kinds_, suggest::kinds(), host_);
    if (!units) return std::unexpected(units.error());
    units_ = std::move(units->units);
    unresponsive_ = std::move(units->unresponsive);
    if (options_.all && !unresponsive_.empty()) return timed_out();
    if (!options_.all && named->empty()) {
      auto chosen = ask(units_, host_.root);
      if (!chosen) return std::unexpected(chosen.error());
      named->push_back(*std::move(chosen));
    }
    if (auto added = add_kinds(*named); !added) return added;
    if (options_.all) return choose_all();
    return choose(*named);
  }

  [[nodiscard]] Result<void> timed_out() const {
    return fail(printable(unresponsive_) + ": reading the devices timed out");
  }

  Result<std::vector<Wanted>> named_devices() {
    if (options_.watch) return wait_for_plug(kinds_, host_);
    return within_timeout<std::vector<Wanted>>(
        [names = names_in(options_.devices), root = host_.root] {
          return find_devices(names, root);
        });
  }

  /// Adds kinds for devices of no known kind, and their units. Removes devices without a kind.
  Result<void> add_kinds(std::vector<Wanted>& named) {
    std::vector<KindPtr> kinds;
    std::erase_if(named, [&](const Wanted& wanted) {
      if (!suggest::candidates_for(wanted, units_).empty()) return false;
      const auto kind = within_timeout<KindPtr>([wanted, all = units_, root = host_.root] {
        return suggest::make_kind(wanted, all, root);
      });
      if (kind) {
        kinds.push_back(*kind);
      } else {
        report_.others.push_back({name_of(wanted), kind.error().message});
      }
      return !kind;
    });
    if (!report_.others.empty() && !unresponsive_.empty()) return timed_out();
    if (options_.all) {
      auto found = within_timeout<std::vector<KindPtr>>(
          [all = units_, root = host_.root]() -> Result<std::vector<KindPtr>> {
            return suggest::make_kinds(all, root);
          });
      if (!found) return std::unexpected(found.error());
      kinds = *std::move(found);
    }
    if (kinds.empty()) return {};
    kinds.insert(kinds.begin(), suggest::kinds().begin(), suggest::kinds().end());
    const auto plan = suggest::plan_of(kinds);
    if (!plan) return fail("the kinds of the devices cannot be in one configuration");
    auto units = find_units(plan, kinds, host_);
    if (!units) return std::unexpected(units.error());
    units_ = std::move(units->units);
    unresponsive_ = std::move(units->unresponsive);
    return {};
  }

  Result<void> choose(const std::vector<Wanted>& named) {
    std::set<CandidatePtr> seen;
    for (Wanted wanted : named) {
      const Candidates choices = suggest::candidates_for(wanted, units_);
      if (choices.empty() && !unresponsive_.empty()) return timed_out();
      if (choices.empty()) {
        report_.others.push_back({name_of(wanted), "no rule for it was found"});
        continue;
      }
      for (const CandidatePtr& choice : choices) {
        if (seen.insert(choice).second) choices_.push_back(choice);
      }
      wanted.by_node = true;
      const Candidates with_node = suggest::candidates_for(wanted, units_);
      if (with_node.empty() || std::ranges::find(choices, with_node.front()) != choices.end()) {
        continue;
      }
      report_.libusb.push_back(wanted.path);
    }
    return {};
  }

  /// Chooses all units. Adds a line for each subsystem with devices of no known kind.
  Result<void> choose_all() {
    std::ranges::copy_if(units_, std::back_inserter(choices_), is_listed);
    Candidates known = units_;
    std::erase_if(known, [](const CandidatePtr& unit) { return !unit->kind->refused.empty(); });
    const auto unknown = within_timeout<suggest::DevicesBySubsystem>(
        [known, root = host_.root]() -> Result<suggest::DevicesBySubsystem> {
          return suggest::find_unknown(known, root);
        });
    if (!unknown) return std::unexpected(unknown.error());
    for (const auto& [subsystem, devices] : *unknown) {
      std::vector<std::string> names;
      for (const std::string& device : devices) names.emplace_back(base_name(device));
      const std::string first =
          join(std::span(names).first(std::min(names.size(), kMostNames)), ", ");
      const std::string more =
          names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
      report_.others.push_back(
          {subsystem, first + more + ": no rule for their kind or state is known"});
    }
    return {};
  }

  Result<void> propose() {
    suggest::ProposeAllOptions options{
        .rule = {.this_one = options_.this_one, .domain = options_.domain, .name = options_.name},
        .force = options_.force};
    if (config_ != nullptr) {
      for (const auto& resource : config_->resources) options.used_names.push_back(resource->name);
    }
    auto proposed = within_timeout<suggest::Proposed>(
        [choices = choices_, all = units_, options, root = host_.root] {
          return Result<suggest::Proposed>(suggest::propose_all(choices, all, options, root));
        });
    if (!proposed) return std::unexpected(proposed.error());
    report_.suggestions = std::move(proposed->suggestions);
    report_.sees_node = proposed->sees_node;
    for (const auto& [device, why] : proposed->refused) {
      report_.others.push_back({device, why + (options_.all ? "" : "; --force proposes a rule")});
    }
    return {};
  }

  Result<void> try_all() {
    if (report_.suggestions.empty()) return {};
    auto trial = suggest::compile_trial(report_.suggestions, daemon::default_node_name());
    std::ranges::move(trial.failed, std::back_inserter(report_.others));
    if (trial.plan == nullptr) {
      if (report_.suggestions.empty()) return {};
      return fail("the proposed rules cannot be in one configuration");
    }
    return scan(trial.plan, host_, [&](const inventory::Resolution& resolution) {
      std::ranges::move(suggest::describe_trial(resolution, report_.suggestions),
                        std::back_inserter(report_.others));
    });
  }

  /// Finds the devices in the units of --config.
  Result<void> compare_with_active() {
    if (config_ == nullptr || report_.suggestions.empty()) return {};
    const auto plan = daemon::plan_for_this_node(config_, host_.root);
    auto scanned = scan(plan, host_, [&](const inventory::Resolution& resolution) {
      suggest::find_taken(resolution, report_.suggestions);
    });
    if (scanned && options_.all) remove_taken();
    return scanned;
  }

  void remove_taken() {
    std::erase_if(report_.suggestions, [&](const suggest::Suggestion& suggestion) {
      if (suggestion.taken.empty()) return false;
      report_.others.push_back(
          {suggest::title_of(*suggestion.proposal.candidate), suggestion.taken});
      return true;
    });
  }

  void sort_doubtful() {
    if (!options_.all) return;
    const auto doubtful =
        std::ranges::stable_partition(report_.suggestions, [](const auto& suggestion) {
          return suggestion.proposal.candidate->kind->doubtful.empty();
        });
    std::ranges::move(doubtful, std::back_inserter(report_.doubtful));
    report_.suggestions.erase(doubtful.begin(), doubtful.end());
  }

  const SuggestOptions& options_;
  rules::PlanPtr kinds_;
  host::HostOptions host_;
  rules::PlanPtr config_;     ///< That of --config. Null: none.
  Candidates units_;          ///< All units of this machine.
  std::string unresponsive_;  ///< See FoundUnits.
  Candidates choices_;        ///< Those to propose rules for.
  SuggestionReport report_;
};

}  // namespace

int suggest(const SuggestOptions& options) {
  if (auto fits = suggest::check_name({.domain = options.domain, .name = options.name}); !fits) {
    return report_failure(fits.error());
  }
  const auto kinds = suggest::plan_of(suggest::kinds());
  auto host = host_options(options.host, *kinds, false);
  if (!host) return report_failure(host.error());
  const auto report = Suggester(options, kinds, *std::move(host)).run();
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
