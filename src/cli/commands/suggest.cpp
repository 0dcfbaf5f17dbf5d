#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/process_setup.h"
#include "cli/commands/suggestion_view.h"
#include "cli/commands/unit_changes.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "config/spec_reader.h"
#include "config/yaml_writer.h"
#include "daemon/configuration.h"
#include "loop/executor.h"
#include "rules/compile.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"
#include "suggest/in_use.h"
#include "suggest/kinds.h"
#include "suggest/named_device.h"
#include "suggest/proposal.h"

namespace patchbay::cli {
namespace {

using suggest::Candidate;
using suggest::CandidatePtr;
using suggest::KindPtr;
using suggest::Wanted;

/// Reading the devices takes much less, if all drivers answer.
constexpr loop::Milliseconds kTimeout{10'000};
/// How long a new device waits for udev, and after which age it is not new.
constexpr std::chrono::seconds kUdevTimeout{2};
constexpr std::chrono::seconds kNewFor{10};
/// The time without changes after which a plugged device is complete.
constexpr loop::Milliseconds kPlugSettle{1'000};

/// Names of devices in one line.
constexpr size_t kMostNames = 4;

using Discovered = std::function<void(const inventory::Inventory&)>;

/// Scans once, without probes.
Result<void> scan(const rules::PlanPtr& plan, const host::HostOptions& options,
                  const Discovered& use) {
  bool done = false;
  const auto end =
      run_discovery(without_probes(plan), options, [&](const inventory::Inventory& inventory) {
        use(inventory);
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
    return fail(fmt::format("reading the devices timed out after {} s: a driver does not respond",
                            kTimeout.count() / 1000));
  return **std::move(result);
}

using Candidates = std::vector<suggest::CandidatePtr>;

Result<Candidates> find_all(std::span<const suggest::KindPtr> kinds,
                            const host::HostOptions& options) {
  const auto plan = suggest::plan_of(kinds);
  if (!plan) return fail("its name cannot be in a rule");
  Candidates candidates;
  const auto scanned = scan(plan, options, [&](const inventory::Inventory& inventory) {
    candidates = suggest::find_candidates(inventory.last(), kinds, options.root);
  });
  if (!scanned) return std::unexpected(scanned.error());
  return candidates;
}

std::string name_of(const Wanted& wanted) { return wanted.path.empty() ? wanted.key : wanted.path; }

/// Waits until udev has processed a new device.
void wait_for_udev(const Wanted& wanted, const paths::HostRoot& root,
                   std::chrono::steady_clock::time_point deadline) {
  if (root.is_recorded() || wanted.key.empty() || !root.exists("/run/udev/control")) return;
  const auto status = root.status(wanted.path.empty() ? wanted.key : wanted.path);
  const auto now = std::chrono::system_clock::now();
  if (!status || now - std::chrono::system_clock::from_time_t(status->st_ctime) > kNewFor) return;
  while (true) {
    const auto device = suggest::DeviceReader(root).read(wanted.key);
    if (device == nullptr || suggest::value_of(*device, "property.USEC_INITIALIZED")) return;
    if (std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  print_error(
      fmt::format("patchbay: {}: udev has not processed it; its links and properties can "
                  "be missing\n",
                  printable(name_of(wanted))));
}

/// A kind for a device that is of no known kind. An Error: a container could get nothing of it.
Result<KindPtr> kind_for(const Wanted& wanted, const paths::HostRoot& root) {
  if (wanted.key.empty()) return suggest::node_kind(wanted.path);
  const auto device = suggest::DeviceReader(root).read(wanted.key);
  if (device == nullptr) return fail("the device was removed");
  if (device->devnode.empty()) {
    if (device->subsystem == "pci" && !suggest::value_of(*device, "driver")) {
      return fail("no driver is bound to it; bind one, such as vfio-pci");
    }
    return fail(fmt::format(
        "it has no device node, and is of no known kind of hardware (subsystem {}); a rule with "
        "sysfs: can mount its directory",
        device->subsystem.empty() ? "none" : printable(device->subsystem)));
  }
  return suggest::other_kind(device->subsystem, device->devtype);
}

/// Waits for the next devices of known kinds that are plugged in.
class PlugWatch {
 public:
  explicit PlugWatch(host::HostOptions options) : options_(std::move(options)) {
    options_.watch = true;
  }

  Result<std::vector<Wanted>> run() {
    const auto kinds = suggest::kinds();
    const auto end = run_discovery(
        suggest::plan_of(kinds), options_,
        [&](const inventory::Inventory& inventory) {
          changed(suggest::find_candidates(inventory.last(), kinds, options_.root));
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

  void changed(const Candidates& candidates) {
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

  host::HostOptions options_;
  Timer* timer_ = nullptr;
  std::optional<std::set<std::string>> known_;  ///< Null before the first scan is complete.
  std::vector<Wanted> plugged_;
};

std::string title_of(const Candidate& candidate) {
  const auto& device = *candidate.matched.front();
  return fmt::format("{}: {}", device.devnode.empty() ? shown(device.name) : shown(device.devnode),
                     candidate.kind->about);
}

/// Lets a person at a terminal choose.
Result<std::vector<Wanted>> ask(Candidates candidates) {
  std::erase_if(candidates, [](const CandidatePtr& candidate) { return candidate->superseded; });
  std::string list;
  for (size_t i = 0; i < candidates.size(); ++i) {
    list += fmt::format("{:4}  {}\n", i + 1, title_of(*candidates[i]));
  }
  print_error(list + "Number of the device: ");
  unblock_termination_signals();  // The scan blocked them.
  std::string line;
  std::getline(std::cin, line);
  const auto number = parse_number(line, 1, static_cast<int>(candidates.size()));
  if (!number) return fail("the number of the device: " + number.error().message);
  const auto& device = *candidates[static_cast<size_t>(*number) - 1]->matched.front();
  return std::vector{Wanted{.key = device.key, .path = device.devnode}};
}

/// `usb` and `0403:6001` are one name.
std::vector<std::string> joined_names(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool has_more = words[i] == "usb" && i + 1 < words.size();
    names.push_back(has_more ? words[++i] : words[i]);
  }
  return names;
}

std::string access_of(const Candidate& candidate, const paths::HostRoot& root) {
  if (root.is_recorded() || candidate.nodes.empty()) return {};
  const auto status = root.status(candidate.nodes.front());
  if (!status || status->st_gid == 0) return {};
  return fmt::format("{} has mode {:04o} and group {}: supplementalGroups: [{}]",
                     candidate.nodes.front(), status->st_mode & 07777U, status->st_gid,
                     status->st_gid);
}

/// Makes, tries and describes the proposals. One call of run().
class Suggester {
 public:
  Suggester(const SuggestOptions& options, host::HostOptions host)
      : options_(options), host_(std::move(host)) {}

  Result<SuggestionReport> run() {
    report_.recorded = host_.root.is_recorded();
    // The devices are named first, because a new one is complete only then.
    std::vector<Wanted> named;
    if (options_.watch || !options_.devices.empty()) {
      auto devices = options_.watch ? PlugWatch(host_).run() : named_devices();
      if (!devices) return std::unexpected(devices.error());
      named = *std::move(devices);
    }
    auto known = find_all(suggest::kinds(), host_);
    if (!known) return std::unexpected(known.error());
    candidates_ = *std::move(known);
    if (named.empty() && !options_.all) {
      auto chosen = ask(candidates_);
      if (!chosen) return std::unexpected(chosen.error());
      named = *std::move(chosen);
    }
    if (options_.all) {
      std::ranges::copy_if(candidates_, std::back_inserter(choices_),
                           [](const auto& candidate) { return !candidate->superseded; });
      if (auto listed = list_unknown(); !listed) return std::unexpected(listed.error());
    }
    choose(named);
    if (auto proposed = propose_all(); !proposed) return std::unexpected(proposed.error());
    if (auto tried = try_all(); !tried) return std::unexpected(tried.error());
    if (auto compared = compare_with_active(); !compared) {
      return std::unexpected(compared.error());
    }
    sort_doubtful();
    return std::move(report_);
  }

 private:
  void choose(const std::vector<Wanted>& named) {
    std::set<CandidatePtr> seen;
    for (const Wanted& wanted : named) {
      auto choices = choices_for(wanted);
      if (!choices) {
        report_.others.push_back({name_of(wanted), choices.error().message});
        continue;
      }
      for (CandidatePtr& choice : *choices) {
        if (seen.insert(choice).second) choices_.push_back(std::move(choice));
      }
    }
  }

  /// The units of a device. A device of no known kind gets a kind of its own.
  Result<Candidates> choices_for(const Wanted& wanted) {
    auto choices = suggest::candidates_for(wanted, candidates_);
    if (!choices.empty()) return choices;
    const auto kind =
        within_timeout<KindPtr>([wanted, root = host_.root] { return kind_for(wanted, root); });
    if (!kind) return std::unexpected(kind.error());
    const auto own = find_all(std::span(&*kind, 1), host_);
    if (!own) return std::unexpected(own.error());
    candidates_.insert(candidates_.end(), own->begin(), own->end());
    choices = suggest::candidates_for(wanted, *own);
    if (choices.empty()) return fail("no rule for it was found");
    return choices;
  }

  Result<std::vector<Wanted>> named_devices() {
    return within_timeout<std::vector<Wanted>>(
        [names = joined_names(options_.devices),
         root = host_.root]() -> Result<std::vector<Wanted>> {
          std::vector<Wanted> all;
          const auto deadline = std::chrono::steady_clock::now() + kUdevTimeout;  // For all.
          for (const std::string& name : names) {
            auto found = suggest::find_named_devices(name, root);
            if (!found) return std::unexpected(found.error());
            for (Wanted& wanted : *found) {
              wait_for_udev(wanted, root, deadline);
              all.push_back(std::move(wanted));
            }
          }
          return all;
        });
  }

  /// Adds a line for each subsystem with devices of no known kind.
  Result<void> list_unknown() {
    const auto unknown = within_timeout<suggest::DevicesBySubsystem>(
        [all = candidates_, root = host_.root]() -> Result<suggest::DevicesBySubsystem> {
          return suggest::find_unknown(all, root);
        });
    if (!unknown) return std::unexpected(unknown.error());
    for (const auto& [subsystem, names] : *unknown) {
      report_.others.push_back(
          {subsystem,
           fmt::format("{}{}: no known kind of hardware",
                       join(std::span(names).first(std::min(names.size(), kMostNames)), ", "),
                       names.size() > kMostNames
                           ? fmt::format(" and {} more", names.size() - kMostNames)
                           : "")});
    }
    return {};
  }

  /// The results of reading the host for each choice.
  struct Read {
    std::vector<Suggestion> suggestions;
    std::vector<NotSuggested> refused;
    bool sees_node = true;
  };

  Result<void> propose_all() {
    auto read = within_timeout<Read>(
        [choices = choices_, all = candidates_, options = options_, root = host_.root] {
          return Result<Read>(read_choices(choices, all, options, root));
        });
    if (!read) return std::unexpected(read.error());
    report_.suggestions = std::move(read->suggestions);
    report_.sees_node = read->sees_node;
    for (NotSuggested& refused : read->refused) report_.others.push_back(std::move(refused));
    return {};
  }

  static Read read_choices(const Candidates& choices, const Candidates& all,
                           const SuggestOptions& options, const paths::HostRoot& root) {
    suggest::DeviceReader reader(root);
    suggest::UseCheck use(root, reader);
    Read read;
    read.sees_node = use.sees_node();
    std::set<CandidatePtr> covered;  // By the rule of another device of the model.
    std::set<std::string> names;
    for (const CandidatePtr& choice : choices) {
      if (covered.contains(choice)) continue;
      Suggestion suggestion;
      suggestion.in_use = use.reason(*choice).value_or("");
      if (!suggestion.in_use.empty() && !options.force) {
        read.refused.push_back({title_of(*choice), refusal(suggestion.in_use, options)});
        continue;
      }
      if (const auto why = propose_for(choice, all, options, reader, use, suggestion)) {
        read.refused.push_back({title_of(*choice), refusal(*why, options)});
        continue;
      }
      const suggest::Proposal& proposal = suggestion.proposal;
      if (!proposal.only_this) covered.insert(proposal.others.begin(), proposal.others.end());
      make_unique(suggestion.proposal, names);
      suggestion.node_access = access_of(*choice, root);
      read.suggestions.push_back(std::move(suggestion));
    }
    return read;
  }

  static std::string refusal(const std::string& why, const SuggestOptions& options) {
    return why + (options.all ? "" : "; --force proposes a rule");
  }

  /// Makes the proposal. If the node uses another device that the rule would match, the rule is for
  /// this device only. Returns the reason if that is not possible.
  static std::optional<std::string> propose_for(const CandidatePtr& choice, const Candidates& all,
                                                const SuggestOptions& options,
                                                suggest::DeviceReader& reader,
                                                suggest::UseCheck& use, Suggestion& suggestion) {
    suggest::ProposalOptions how{
        .this_one = options.this_one, .domain = options.domain, .name = options.name};
    suggestion.proposal = suggest::propose(choice, all, how, reader);
    if (suggestion.proposal.only_this || options.force) return std::nullopt;
    for (const CandidatePtr& other : suggestion.proposal.others) {
      const auto why = use.reason(*other);
      if (!why) continue;
      how.this_one = true;
      suggestion.proposal = suggest::propose(choice, all, how, reader);
      suggestion.narrowed = *why;
      if (suggestion.proposal.only_this) return std::nullopt;
      return "a rule for it matches another device, too: " + *why;
    }
    return std::nullopt;
  }

  static void make_unique(suggest::Proposal& proposal, std::set<std::string>& names) {
    const std::string name = proposal.name;
    for (int i = 2; !names.insert(proposal.name).second; ++i) {
      proposal.name = fmt::format("{}-{}", name, i);
    }
    config::value_in(proposal.resource, "name").text = proposal.name;
  }

  /// Compiles the proposals, and scans the host with them.
  Result<void> try_all() {
    if (report_.suggestions.empty()) return {};
    std::vector<suggest::Proposal> proposals;
    for (const Suggestion& suggestion : report_.suggestions) {
      proposals.push_back(suggestion.proposal);
    }
    config::Diagnostics diagnostics;
    const auto source = std::make_shared<const config::Source>(
        config::Source{"suggestion", bare_configuration(proposals)});
    const std::array specs{config::read_spec(source, diagnostics)};
    const auto plan = rules::compile(specs, {.node = daemon::default_node_name()}, diagnostics);
    if (!plan) return fail("no rule can name this device:\n" + config::render(diagnostics));
    const auto scanned = scan(plan, host_, [&](const inventory::Inventory& inventory) {
      for (size_t i = 0; i < report_.suggestions.size(); ++i) {
        describe(inventory.last().resources[i], report_.suggestions[i]);
      }
    });
    if (!scanned) return std::unexpected(scanned.error());
    drop_failed();
    return {};
  }

  static void describe(const inventory::ResolvedResource& resource, Suggestion& suggestion) {
    const auto& keys = suggestion.proposal.candidate->keys;
    for (const inventory::Unit& unit : resource.snapshot->units) {
      TriedUnit tried{.id = unit.id, .devices = {}, .asked = false, .reason = unit.reason};
      for (const inventory::UnitDevice& device : unit.members->devices) {
        const DeviceFacts& facts = *device.facts;
        if (std::ranges::find(keys, facts.key) != keys.end()) tried.asked = true;
        if (!facts.devnode.empty()) tried.devices.push_back(facts.devnode);
      }
      if (tried.devices.empty()) {
        tried.devices.push_back(unit.members->devices.front().facts->key);
      }
      if (tried.asked) suggest::add_id_comment(unit, suggestion.proposal);
      suggestion.units.push_back(std::move(tried));
    }
    std::ranges::stable_partition(suggestion.units, &TriedUnit::asked);
    for (const inventory::Refusal& refusal : resource.refusals) {
      // Another proposal has it.
      if (refusal.kind == inventory::Refusal::Kind::claimed) continue;
      suggestion.refused.push_back(fmt::format(
          "{}: {}", refusal.devnode.empty() ? refusal.device : refusal.devnode, refusal.reason));
    }
  }

  /// A rule that does not offer the device on this machine is not proposed.
  void drop_failed() {
    std::erase_if(report_.suggestions, [&](const Suggestion& suggestion) {
      if (std::ranges::any_of(suggestion.units, &TriedUnit::asked)) return false;
      report_.others.push_back({title_of(*suggestion.proposal.candidate),
                                suggestion.refused.empty() ? "the rule for it matches nothing"
                                                           : join(suggestion.refused, "; ")});
      return true;
    });
  }

  /// Finds the devices in the units of --config.
  Result<void> compare_with_active() {
    if (options_.config.paths.empty() || report_.suggestions.empty()) return {};
    const ConfigInput input = read_config(options_.config);
    if (!input.plan) return fail("--config cannot be used");
    const auto plan = daemon::plan_for_this_node(input.plan, host_.root);
    return scan(plan, host_, [&](const inventory::Inventory& inventory) {
      for (const auto& resource : inventory.last().resources) {
        for (const inventory::Unit& unit : resource.snapshot->units) note_taken(resource, unit);
      }
    });
  }

  void note_taken(const inventory::ResolvedResource& resource, const inventory::Unit& unit) {
    const auto& at = resource.snapshot->resource->at;
    for (Suggestion& suggestion : report_.suggestions) {
      const auto& keys = suggestion.proposal.candidate->keys;
      const bool has_device =
          std::ranges::any_of(unit.members->devices, [&](const inventory::UnitDevice& device) {
            return std::ranges::find(keys, device.facts->key) != keys.end();
          });
      if (!has_device || !suggestion.taken.empty()) continue;
      suggestion.taken = fmt::format("{}:{}: {} offers it already, as {}", at.position.source->name,
                                     at.position.line, resource.name(), unit.id);
    }
  }

  void sort_doubtful() {
    if (!options_.all) return;
    const auto doubtful =
        std::ranges::stable_partition(report_.suggestions, [](const Suggestion& suggestion) {
          return suggestion.proposal.candidate->kind->doubtful.empty();
        });
    std::ranges::move(doubtful, std::back_inserter(report_.doubtful));
    report_.suggestions.erase(doubtful.begin(), doubtful.end());
  }

  const SuggestOptions& options_;
  host::HostOptions host_;
  Candidates candidates_;  ///< All units of this machine.
  Candidates choices_;     ///< Those to propose rules for.
  SuggestionReport report_;
};

}  // namespace

int suggest(const SuggestOptions& options) {
  if (auto fits = suggest::check_name({.domain = options.domain, .name = options.name}); !fits) {
    return report_failure(fits.error());
  }
  const auto known = suggest::kinds();
  auto host = host_options(options.host, *suggest::plan_of(known), false);
  if (!host) return report_failure(host.error());
  const auto report = Suggester(options, *std::move(host)).run();
  if (!report) return report_failure(report.error());
  const bool nothing = report->suggestions.empty() && report->doubtful.empty();
  if (options.json) {
    const int printed = exit_code_of(print(json_text(suggestion_json(*report), 2)));
    return printed == kOk && nothing ? int{kNotSuggested} : printed;
  }
  if (nothing || !options.all) {
    for (const NotSuggested& other : report->others) {
      print_error(fmt::format("patchbay: {}: nothing is suggested: {}\n", shown(other.device),
                              shown(other.reason)));
    }
  }
  if (nothing) return kNotSuggested;
  return exit_code_of(print(suggestion_text(*report, options.resources_only)));
}

}  // namespace patchbay::cli
