#include "health/tracked_unit.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "health/repeated_check.h"

namespace patchbay::health {

using inventory::Health;

namespace {

/// The values are not stored: files may be long, and units many.
uint64_t hash_of(const CheckResult& result) {
  std::string text = result.reason;
  for (const auto& [name, values] : result.values) {
    text += '\0' + name;
    for (const std::string& value : values) text += '\0' + value;
  }
  return stable_hash(text);
}

}  // namespace

TrackedUnit::TrackedUnit(const Context& context, rules::ResourcePlanPtr resource,
                         const inventory::MadeUnit& unit)
    : context_(context),
      resource_(std::move(resource)),
      id_(unit.id),
      group_(unit.members->group),
      checks_(unit.checks),
      same_resource_(resource_),
      same_checks_(checks_),
      health_(group(), *checks_) {
  for (const auto& path : checks_->paths) context_.paths.need(path, *this);
  health_.set_path_faults(path_faults());
  probes_.resize(checks_->probes.size());
  for (size_t probe = 0; probe < probes_.size(); ++probe) add_probe(probe);
}

TrackedUnit::~TrackedUnit() {
  for (const auto& path : checks_->paths) context_.paths.release(path, *this);
}

const rules::GroupPlan& TrackedUnit::group() const { return resource_->groups[group_]; }

const rules::ProbePlan& TrackedUnit::plan_of(size_t probe) const {
  return group().health[checks_->probes[probe].probe];
}

void TrackedUnit::add_probe(size_t index) {
  const rules::ProbePlan& plan = plan_of(index);
  Probe& probe = probes_[index];
  probe.check = std::make_unique<RepeatedCheck>(
      context_.checks, checks_->probes[index].check, plan.timing.period,
      RepeatedCheck::Callbacks{
          .begun = [this, index] { probes_[index].run = health_.begin(index); },
          .done = [this, index](
                      const CheckResult& result,
                      RepeatedCheck::Trigger cause) { probe_done(index, result, cause); }});
  if (plan.kind == Check::Kind::files && context_.files != nullptr) {
    probe.trigger = std::make_unique<host::FileTrigger>(
        context_.checks.loop, *context_.files,
        [check = probe.check.get()] { check->run_now(RepeatedCheck::Trigger::file_changed); });
  }
  // Its first result decides, so that a broken unit is listed as healthy for a short time only.
  probe.check->run_now(RepeatedCheck::Trigger::other);
}

bool TrackedUnit::has_same_checks(const rules::ResourcePlanPtr& resource,
                                  const inventory::MadeUnit& unit) {
  if (resource == same_resource_ && unit.checks == same_checks_) return true;
  const rules::GroupPlan& other = resource->groups[unit.members->group];
  if (other.health != group().health || *unit.checks != *checks_) return false;
  same_resource_ = resource;
  same_checks_ = unit.checks;
  return true;
}

void TrackedUnit::refresh() {
  for (const Probe& probe : probes_) probe.check->run_now(RepeatedCheck::Trigger::other);
  for (const auto& path : checks_->paths) context_.paths.refresh(path);
}

void TrackedUnit::probe_done(size_t index, const CheckResult& result,
                             RepeatedCheck::Trigger cause) {
  const auto& trigger = probes_[index].trigger;
  const auto& files = checks_->probes[index].check.names;
  const auto has_content = [&](const std::string& file) {
    const auto values = result.values.find(file);
    return values != result.values.end() && !values->second.front().empty();
  };
  if (trigger && trigger->should_defer(std::ranges::all_of(files, has_content))) return;
  if (is_new_result(index, result, cause)) apply_result(index, result);
  // A file that gave no answer would not answer follow() either.
  const bool was_read = result.kind == CheckResult::Kind::done;
  if (was_read && trigger) trigger->follow(files);
}

/// One write may cause several events, for example when a file is replaced. Each event causes a
/// read, but equal results count once.
bool TrackedUnit::is_new_result(size_t index, const CheckResult& result,
                                RepeatedCheck::Trigger cause) {
  if (!probes_[index].trigger) return true;
  const uint64_t hash = hash_of(result);
  const bool is_same = std::exchange(probes_[index].found, hash) == hash;
  return cause != RepeatedCheck::Trigger::file_changed || !is_same;
}

void TrackedUnit::apply_result(size_t index, const CheckResult& result) {
  const auto& [probe, check, conditions] = checks_->probes[index];
  const Health before = health();
  const rules::Verdict verdict = rules::judge(check, conditions, result);
  store_result(index, verdict);
  if (health_.take(index, probes_[index].run, verdict)) warn(index, result);
  if (before != health()) context_.changed();
}

/// Stores the result for status output.
void TrackedUnit::store_result(size_t index, const rules::Verdict& verdict) {
  const loop::Time now = context_.checks.loop.now();
  Probe& probe = probes_[index];
  probe.last = {.verdict = verdict, .at = now, .lasted = now - probe.check->began()};
  count(index, *probe.last);
}

void TrackedUnit::count(size_t index, const status::ProbeResult& result) const {
  if (context_.counters == nullptr) return;
  auto& counters = context_.counters->of(resource_->name)->probes(plan_of(index).kind);
  using Kind = rules::Verdict::Kind;
  (result.verdict.kind == Kind::passed   ? counters.passed
   : result.verdict.kind == Kind::failed ? counters.failed
                                         : counters.not_run)
      .add();
  counters.seconds.add(result.lasted);
}

void TrackedUnit::describe(status::ProbesStatus& status, bool each, loop::Time now) const {
  status::UnitProbes* const all = each ? &status.units.emplace_back() : nullptr;
  for (size_t index = 0; index < probes_.size(); ++index) {
    const RepeatedCheck& check = *probes_[index].check;
    const bool late = check.is_overdue(now);
    status.running += check.running() ? 1 : 0;
    status.late += late ? 1 : 0;
    if (all == nullptr) continue;
    all->push_back({.probe = checks_->probes[index].probe,
                    .last = probes_[index].last,
                    .runs_since = check.running() ? std::optional(check.began()) : std::nullopt,
                    .late = late});
  }
}

void TrackedUnit::warn(size_t index, const CheckResult& result) const {
  log::warning({"probe cannot run", log::EventKind::degraded}, {{"resource", resource_->name},
                                                                {"unit", id_},
                                                                {"probe", plan_of(index).to_text()},
                                                                {"reason", result.reason}});
}

void TrackedUnit::paths_changed() {
  const Health before = health();
  health_.set_path_faults(path_faults());
  if (before != health()) context_.changed();
  const bool misdirected = std::ranges::any_of(
      checks_->paths, [&](const auto& path) { return context_.paths.leads_to_other_device(path); });
  if (!std::exchange(is_misdirected_, misdirected) && misdirected)
    context_.path_target_changed(*this);
}

std::vector<std::string> TrackedUnit::path_faults() const {
  std::vector<std::string> faults;
  for (const auto& path : checks_->paths) {
    const std::string& fault = context_.paths.fault(path);
    if (!fault.empty()) faults.push_back(printable(path.path) + " " + fault);
  }
  return faults;
}

}  // namespace patchbay::health
