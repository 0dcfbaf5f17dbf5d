#include "suggest/suggester.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "loop/executor.h"
#include "suggest/device_values.h"
#include "suggest/kinds.h"
#include "suggest/named_device.h"
#include "suggest/title.h"
#include "suggest/trial.h"
#include "suggest/udev_wait.h"
#include "suggest/unknown_hardware.h"

namespace patchbay::suggest {
namespace {

using Candidates = std::vector<CandidatePtr>;

/// Reading the devices takes much less, if all drivers answer.
constexpr loop::Milliseconds kTimeout{10'000};
/// How long new devices wait for udev.
constexpr std::chrono::seconds kUdevTimeout{2};

/// Names of devices in one line.
constexpr size_t kMostNames = 4;

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

std::string name_of(const Wanted& wanted) { return wanted.path.empty() ? wanted.key : wanted.path; }

/// Whether the unit is in lists of all units.
bool is_listed(const CandidatePtr& unit) {
  return !unit->superseded && unit->kind->refused.empty();
}

/// "sda, sdb, sdc, sdd and 3 more".
std::string first_names(const std::vector<std::string>& devices) {
  std::vector<std::string> names;
  for (const std::string& device : devices) names.emplace_back(base_name(device));
  const std::string first = join(std::span(names).first(std::min(names.size(), kMostNames)), ", ");
  return names.size() <= kMostNames
             ? first
             : fmt::format("{} and {} more", first, names.size() - kMostNames);
}

/// One call of suggest().
class Suggester {
 public:
  Suggester(const Request& request, const paths::HostRoot& root, const Scan& scan,
            const Choose& choose)
      : request_(request), root_(root), scan_(scan), choose_(choose) {}

  Result<Report> run() {
    report_.recorded = root_.is_recorded();
    for (const auto stage : {&Suggester::find_choices, &Suggester::propose, &Suggester::try_all,
                             &Suggester::compare_with_active}) {
      if (auto done = (this->*stage)(); !done) return std::unexpected(done.error());
    }
    if (request_.all) sort_doubtful();
    return std::move(report_);
  }

 private:
  Result<void> find_choices() {
    if (auto found = find_units(request_.kinds, kinds()); !found) return found;
    if (request_.all && !unresponsive_.empty()) return timed_out();
    std::vector<Wanted> named = request_.devices;
    if (!request_.all && named.empty()) {
      auto chosen = ask();
      if (!chosen) return std::unexpected(chosen.error());
      named.push_back(*std::move(chosen));
    }
    if (auto added = add_kinds(named); !added) return added;
    return request_.all ? choose_all() : choose(named);
  }

  Result<void> find_units(const rules::PlanPtr& plan, std::span<const KindPtr> kinds) {
    const auto resolution = scan_(plan);
    if (!resolution) return std::unexpected(resolution.error());
    units_ = find_candidates(*resolution, kinds, root_);
    unresponsive_.clear();
    for (const auto& resource : resolution->resources) {
      if (!resource.unresponsive.empty()) unresponsive_ = resource.unresponsive.front().what;
    }
    return {};
  }

  [[nodiscard]] Result<void> timed_out() const {
    return fail(printable(unresponsive_) + ": reading the devices timed out");
  }

  Result<Wanted> ask() {
    Candidates units;
    std::ranges::copy_if(units_, std::back_inserter(units), is_listed);
    if (units.empty()) return fail("no device of a known kind was found");
    using Titles = std::vector<std::string>;
    const auto titles = within_timeout<Titles>([units, root = root_]() -> Result<Titles> {
      DeviceReader reader(root);
      Titles all;
      for (const CandidatePtr& unit : units) all.push_back(full_title_of(*unit, reader));
      return all;
    });
    if (!titles) return std::unexpected(titles.error());
    const auto chosen = choose_(*titles);
    if (!chosen) return std::unexpected(chosen.error());
    const DeviceFacts& device = *units.at(*chosen)->matched.front();
    return Wanted{.key = device.key, .path = device.devnode};
  }

  /// Adds kinds for devices of no known kind, and their units. Removes devices without a kind.
  Result<void> add_kinds(std::vector<Wanted>& named) {
    std::vector<KindPtr> added;
    std::erase_if(named, [&](const Wanted& wanted) {
      if (!candidates_for(wanted, units_).empty()) return false;
      const auto kind = within_timeout<KindPtr>(
          [wanted, all = units_, root = root_] { return make_kind(wanted, all, root); });
      if (kind) {
        added.push_back(*kind);
      } else {
        report_.others.push_back({name_of(wanted), kind.error().message});
      }
      return !kind;
    });
    if (!report_.others.empty() && !unresponsive_.empty()) return timed_out();
    if (request_.all) {
      auto found = within_timeout<std::vector<KindPtr>>(
          [all = units_, root = root_]() -> Result<std::vector<KindPtr>> {
            return make_kinds(all, root);
          });
      if (!found) return std::unexpected(found.error());
      added = *std::move(found);
    }
    if (added.empty()) return {};
    added.insert(added.begin(), kinds().begin(), kinds().end());
    const auto plan = plan_of(added);
    if (!plan) return fail("the kinds of the devices cannot be in one configuration");
    return find_units(plan, added);
  }

  Result<void> choose(const std::vector<Wanted>& named) {
    std::set<CandidatePtr> seen;
    for (Wanted wanted : named) {
      const Candidates choices = candidates_for(wanted, units_);
      if (choices.empty() && !unresponsive_.empty()) return timed_out();
      if (choices.empty()) {
        report_.others.push_back({name_of(wanted), "no rule for it was found"});
        continue;
      }
      for (const CandidatePtr& choice : choices) {
        if (seen.insert(choice).second) choices_.push_back(choice);
      }
      wanted.by_node = true;
      const Candidates with_node = candidates_for(wanted, units_);
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
    const auto unknown =
        within_timeout<DevicesBySubsystem>([known, root = root_]() -> Result<DevicesBySubsystem> {
          return find_unknown(known, root);
        });
    if (!unknown) return std::unexpected(unknown.error());
    for (const auto& [subsystem, devices] : *unknown) {
      report_.others.push_back(
          {subsystem, first_names(devices) + ": no rule for their kind or state is known"});
    }
    return {};
  }

  Result<void> propose() {
    auto proposed = within_timeout<Proposed>(
        [choices = choices_, all = units_, options = request_.rules, root = root_] {
          return Result<Proposed>(propose_all(choices, all, options, root));
        });
    if (!proposed) return std::unexpected(proposed.error());
    report_.suggestions = std::move(proposed->suggestions);
    report_.sees_node = proposed->sees_node;
    for (const auto& [device, why] : proposed->refused) {
      report_.others.push_back({device, why + (request_.all ? "" : "; --force proposes a rule")});
    }
    return {};
  }

  Result<void> try_all() {
    if (report_.suggestions.empty()) return {};
    auto trial = compile_trial(report_.suggestions, request_.node);
    std::ranges::move(trial.failed, std::back_inserter(report_.others));
    if (trial.plan == nullptr) {
      if (report_.suggestions.empty()) return {};
      return fail("the proposed rules cannot be in one configuration");
    }
    const auto resolution = scan_(trial.plan);
    if (!resolution) return std::unexpected(resolution.error());
    std::ranges::move(describe_trial(*resolution, report_.suggestions),
                      std::back_inserter(report_.others));
    return {};
  }

  /// Finds the devices in the units of the active configuration.
  Result<void> compare_with_active() {
    if (request_.active == nullptr || report_.suggestions.empty()) return {};
    const auto resolution = scan_(request_.active);
    if (!resolution) return std::unexpected(resolution.error());
    find_taken(*resolution, report_.suggestions);
    if (request_.all) remove_taken();
    return {};
  }

  void remove_taken() {
    std::erase_if(report_.suggestions, [&](const Suggestion& suggestion) {
      if (suggestion.taken.empty()) return false;
      report_.others.push_back({title_of(*suggestion.proposal.candidate), suggestion.taken});
      return true;
    });
  }

  void sort_doubtful() {
    const auto doubtful =
        std::ranges::stable_partition(report_.suggestions, [](const auto& suggestion) {
          return suggestion.proposal.candidate->kind->doubtful.empty();
        });
    std::ranges::move(doubtful, std::back_inserter(report_.doubtful));
    report_.suggestions.erase(doubtful.begin(), doubtful.end());
  }

  const Request& request_;
  const paths::HostRoot& root_;
  const Scan& scan_;
  const Choose& choose_;
  Candidates units_;          ///< All units of this machine.
  std::string unresponsive_;  ///< A device or path without an answer. Empty: all units are known.
  Candidates choices_;        ///< Those to propose rules for.
  Report report_;
};

}  // namespace

Result<NamedDevices> find_devices(std::vector<std::string> names, const paths::HostRoot& root) {
  return within_timeout<NamedDevices>([names = std::move(names), root]() -> Result<NamedDevices> {
    NamedDevices all;
    const auto deadline = std::chrono::steady_clock::now() + kUdevTimeout;  // For all.
    for (const std::string& name : names) {
      auto found = find_named_devices(name, root);
      if (!found) return std::unexpected(found.error());
      for (Wanted& wanted : *found) {
        if (!wait_for_udev(wanted, root, deadline)) all.incomplete.push_back(name_of(wanted));
        all.devices.push_back(std::move(wanted));
      }
    }
    return all;
  });
}

Result<Report> suggest(const Request& request, const paths::HostRoot& root, const Scan& scan,
                       const Choose& choose) {
  return Suggester(request, root, scan, choose).run();
}

}  // namespace patchbay::suggest
