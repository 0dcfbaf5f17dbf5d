#include "rules/needs/needs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/needs/granted.h"
#include "rules/needs/path_need.h"
#include "rules/plan/plan.h"
#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

bool is_of_this_machine(std::string_view host) {
  constexpr std::array<std::string_view, 4> kHosts{"localhost", "::1", "::", "0.0.0.0"};
  return host.starts_with("127.") || std::ranges::find(kHosts, host) != kHosts.end();
}

Need written_directory(std::string_view path) {
  return {.kind = Need::Kind::writable, .path = std::string(path), .grant = std::string(path)};
}

/// Says what is missing if the Pod has the directory of the host at another path.
void note_moved_path(const config::DaemonSet& daemons, Need& need) {
  for (const auto& [path, writable, host_path] : daemons.mounts) {
    const std::string_view host = host_path == "/" ? std::string_view() : host_path;
    if (host_path.empty() || !is_mount(need) || !is_within(need.path, host)) continue;
    if (need.kind == Need::Kind::writable && !writable) continue;
    const std::string in_pod = path + need.path.substr(host.size());
    const std::string_view option = option_of(need.path);
    need.hint = option.empty()
                    ? fmt::format("it is mounted at {}: mount it at the same path", in_pod)
                    : fmt::format("it is mounted at {0}: add the argument {1}={0}", in_pod, option);
    need.grant.clear();
  }
}

/// Collects the needs of one resource.
class NeedCollector {
 public:
  explicit NeedCollector(std::vector<Need>& needs) : needs_(needs) {}

  void add_resource(const ResourcePlan& resource);

 private:
  void add(std::optional<Need> need, const config::Position& at, std::string_view what);
  void add_read(const Template& text);
  void add_matcher(const Matcher& matcher);
  void add_group(const GroupPlan& group);
  void add_probe(const ProbePlan& probe, const GroupPlan& group);
  void add_open(const ProbePlan& probe, const GroupPlan& group);
  void add_step(const StepPlan& step, const GroupPlan& group);
  void add_write(const Template& path, const GroupPlan& group);
  void add_dra(const config::Position& at);

  std::vector<Need>& needs_;
};

void NeedCollector::add(std::optional<Need> need, const config::Position& at,
                        std::string_view what) {
  if (!need) return;
  need->at = at;
  need->what = what;
  needs_.push_back(*std::move(need));
}

void NeedCollector::add_read(const Template& text) {
  if (const auto path = known_path(text)) add(need_to_read(*path), text.at(), text.text());
}

void NeedCollector::add_matcher(const Matcher& matcher) {
  std::vector<Matcher::HostReference> named;
  matcher.add_host_references(named);
  for (const Matcher::HostReference& one : named) {
    if (one.path != nullptr) {
      add_read(*one.path);
    } else if (one.fact == Fact::env) {
      add(Need{.kind = Need::Kind::variable, .grant = std::string(one.text)}, one.at, one.text);
    } else {
      const KnownPath path = one.fact == Fact::glob ? known_path_of_pattern(one.text)
                                                    : KnownPath{std::string(one.text), true};
      add(need_to_read(path), one.at, one.text);
    }
  }
}

/// Whether the path is known to be a device node.
bool opens_node(const Template& path, const GroupPlan& group) {
  if (const auto known = known_path(path)) return is_within(known->path, "/dev");
  return std::ranges::all_of(group.match.patterns(), [](const std::string& pattern) {
    return pattern.starts_with("/dev/");
  });
}

void NeedCollector::add_open(const ProbePlan& probe, const GroupPlan& group) {
  const Template& path = probe.texts.front();
  if (opens_node(path, group)) {
    return add(Need{.kind = Need::Kind::privileged}, path.at(), "open: " + path.text());
  }
  const auto known = known_path(path);
  if (!known) return;
  add(probe.write ? need_to_write(*known) : need_to_read(*known), path.at(),
      "open: " + path.text());
}

void NeedCollector::add_probe(const ProbePlan& probe, const GroupPlan& group) {
  switch (probe.kind) {
    case Check::Kind::open:
      return add_open(probe, group);
    case Check::Kind::exec:
      return add(need_to_run(probe.texts.front().text()), probe.texts.front().at(),
                 probe.texts.front().text());
    case Check::Kind::tcp: {
      const Template& text = probe.texts.front();
      const auto address = parse_address(text.with("1"));
      if (!address || !is_of_this_machine(address->host)) return;
      return add(Need{.kind = Need::Kind::host_network}, text.at(), "tcp: " + text.text());
    }
    case Check::Kind::files:
      for (const ProbePlan::Test& test : probe.tests) add_read(*test.path);
      return;
    case Check::Kind::attributes:
    case Check::Kind::properties:
      return;  // /sys and /run/udev are mounted.
  }
}

void NeedCollector::add_write(const Template& path, const GroupPlan& group) {
  const std::string what = "write: " + path.text();
  const auto known = known_path(path);
  // A file that a pattern found is also read by the rule.
  for (const std::string& pattern : group.match.patterns()) {
    if (!known) add(need_to_write(known_path_of_pattern(pattern)), path.at(), what);
  }
  if (known) add(need_to_write(*known), path.at(), what);
  const bool of_interface = path.text().starts_with("$(syspath)") &&
                            group.match.subsystems() == std::vector<std::string>{"net"};
  if (of_interface || path.text().starts_with("/sys/class/net/") ||
      path.text().find("/net/") != std::string::npos) {
    add(Need{.kind = Need::Kind::net_admin}, path.at(), what);
  }
}

void NeedCollector::add_step(const StepPlan& step, const GroupPlan& group) {
  switch (step.kind) {
    case Step::Kind::exec:
      return add(need_to_run(step.texts.front().text()), step.texts.front().at(),
                 step.texts.front().text());
    case Step::Kind::write:
      return add_write(step.texts.front(), group);
    case Step::Kind::usb_reset:
      return add(Need{.kind = Need::Kind::privileged}, step.at.position, "usbReset");
    case Step::Kind::wait:
      return add_read(step.texts.front());
  }
}

void NeedCollector::add_group(const GroupPlan& group) {
  if (group.when) add_matcher(*group.when);
  for (Role role = 0; role < group.roles(); ++role) add_matcher(group.matcher(role));
  for (const DeviceEntry& device : group.devices) {
    if (device.host_path) add_read(*device.host_path);
  }
  for (const MountEntry& mount : group.mounts) add_read(mount.host_path);
  for (const ProbePlan& probe : group.health) add_probe(probe, group);
  for (const StepList list : kStepLists) {
    for (const StepPlan& step : group.*list) add_step(step, group);
  }
}

void NeedCollector::add_resource(const ResourcePlan& resource) {
  if (resource.when) add_matcher(*resource.when);
  for (const GroupPlan& group : resource.groups) add_group(group);
  if (std::ranges::any_of(resource.groups, &GroupPlan::writes_cdi)) {
    add(written_directory(kCdiDirectory), resource.at.position, "cdi: write");
  }
  if (resource.writes_device_info) {
    add(written_directory(kDeviceInfoDirectory), resource.at.position, "deviceInfo: pci");
  }
  if (resource.serve == config::Serve::dra) add_dra(resource.at.position);
}

/// A mount alone would not be enough: the rights come with the same switch.
void NeedCollector::add_dra(const config::Position& at) {
  using Kind = Need::Kind;
  const auto add_one = [&](Kind kind, std::string_view path) {
    add(Need{.kind = kind,
             .path = std::string(path),
             .hint = "set the chart's value dra.enabled, or add the kustomize component dra"},
        at, path.empty() ? "serve: dra" : fmt::format("serve: dra ({})", path));
  };
  add_one(Kind::mount, kPodResourcesDirectory);
  for (const auto& path : {kCdiDirectory, kPluginsRegistry, kDriverDirectory}) {
    add_one(Kind::writable, path);
  }
  add_one(Kind::token, {});
}

}  // namespace

std::vector<Need> needs(const Plan& plan, std::span<const config::DaemonSet> daemons) {
  if (daemons.empty()) daemons = {&manifest_daemon_set(), 1};
  std::vector<Need> all;
  NeedCollector collector(all);
  for (const ResourcePlanPtr& resource : plan.resources) collector.add_resource(*resource);
  // Keys beside `groups` are repeated in each group.
  std::set<std::tuple<Need::Kind, const config::Source*, int, int, std::string>> seen;
  std::vector<Need> needs;
  for (Need& need : all) {
    const config::Position& at = need.at;
    const auto met = [&](const config::DaemonSet& one) { return meets(one, need); };
    if (std::ranges::any_of(daemons, met)) continue;
    if (!seen.emplace(need.kind, at.source.get(), at.line, at.column, need.what).second) continue;
    note_moved_path(daemons.front(), need);
    needs.push_back(std::move(need));
  }
  std::ranges::stable_sort(needs, {}, &Need::kind);
  return needs;
}

void warn_of_missing_mount(const Need& need, std::string_view pod,
                           config::Diagnostics& diagnostics) {
  const bool writable = need.kind == Need::Kind::writable;
  const std::string value = need.path == kCdiDirectory ? "cdi.enabled, the kustomize component cdi"
                            : need.path == kDeviceInfoDirectory
                                ? "deviceInfo.enabled, the kustomize component device-info"
                                : fmt::format("hostPaths with {{path: {}{}}}", need.grant,
                                              writable ? ", writable: true" : "");
  const std::string hint = "add it to the DaemonSet first: the chart's value " + value +
                           ", or the patch of `patchbay validate`";
  diagnostics.warning(need.at,
                      fmt::format("'{}' is not mounted{} in {}", printable(need.path),
                                  writable ? " for writing" : "", pod),
                      need.hint.empty() ? hint : need.hint);
}

}  // namespace patchbay::rules
