#include "daemon/configuration.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/loader.h"
#include "config/manifest.h"
#include "config/spec_reader.h"
#include "paths/mounts.h"
#include "paths/resource_exhaustion.h"
#include "rules/compile.h"
#include "rules/needs/granted.h"
#include "rules/needs/needs.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan.h"

namespace patchbay::daemon {
namespace {

/// Returns the path itself if the current directory does not exist.
std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  return failed ? path : whole.native();
}

/// The directory as a prefix of paths: absolute, without a trailing slash; empty for the root.
Result<std::string> prefix_of(const std::string& directory) {
  const std::string shown = "--host-root: " + printable(directory, 500);
  std::error_code error;
  const auto path = std::filesystem::canonical(directory, error);
  if (error) return fail_errno(shown, error.value());
  if (!std::filesystem::is_directory(path, error)) return fail(shown + " is not a directory");
  return path == "/" ? std::string{} : path.string();
}

Result<void> check_rules(const rules::Plan& plan) {
  for (const rules::Rule& rule : plan.index.all()) {
    const auto& match = plan.group(rule).matcher(rule.role);
    if (match.kind() != RuleKind::subsystem && match.kind() != RuleKind::sysfs) continue;
    return fail(fmt::format(
        "{}:{}: a {} rule reads /sys and /run/udev, which --host-root cannot move; mount the "
        "host's directories there and remove --host-root",
        printable(match.at().source->name, 500), match.at().line, rule_word(match.kind())));
  }
  return {};
}

}  // namespace

Configuration read_configuration(std::span<const std::string> paths, const std::string& node,
                                 const Configuration& before) {
  Configuration result;
  for (const std::string& path : paths) {
    if (path != "-") result.files.insert(absolute(path));
  }
  const auto sources = config::load_sources(paths);
  if (!sources) {
    result.unreadable = sources.error().message;
    if (paths::ResourceExhaustion::is_exhaustion(sources.error().number))
      result.exhaustion_errno = sources.error().number;
    return result;
  }
  std::string all;
  for (const auto& file : *sources) {
    if (file->name != config::kStandardInput) result.files.insert(absolute(file->name));
    all += fmt::format("{} {}\n{}", file->name, file->text.size(), file->text);
  }
  result.digest = stable_hash(all);
  if (result.digest == before.digest && result.files == before.files) return before;
  Configuration compiled = compile_configuration(*sources, node);
  compiled.files = std::move(result.files);
  compiled.digest = result.digest;
  return compiled;
}

Configuration compile_configuration(std::span<const std::shared_ptr<const config::Source>> sources,
                                    const std::string& node) {
  Configuration result;
  std::vector<config::Spec> specs;
  for (const auto& file : sources) {
    for (const auto& source : config::extract_configurations(file, result.diagnostics)) {
      specs.push_back(config::read_spec(source, result.diagnostics));
    }
  }
  auto plan = rules::compile(specs, {.node = node}, result.diagnostics);
  if (result.diagnostics.ok()) result.plan = result.full_plan = std::move(plan);
  return result;
}

CheckedConfigurations check_configurations(std::span<const std::string> paths,
                                           const std::string& node) {
  CheckedConfigurations result;
  const auto sources = config::load_sources(paths);
  if (!sources) {
    result.unreadable = sources.error().message;
    return result;
  }
  config::Manifests manifests;
  std::vector<std::shared_ptr<const config::Source>> files;
  for (const auto& file : *sources) {
    if (!config::contains_manifests(file->text)) {
      files.push_back(file);
      continue;
    }
    config::Manifests found = config::read_manifests(file, result.diagnostics);
    std::ranges::move(found.config_maps, std::back_inserter(manifests.config_maps));
    std::ranges::move(found.daemon_sets, std::back_inserter(manifests.daemon_sets));
  }
  const auto reads = [](const config::DaemonSet& daemons, const std::string& config_map) {
    return std::ranges::find(daemons.config_maps, config_map) != daemons.config_maps.end();
  };
  const auto compile = [&](const auto& texts, const auto& is_reader) {
    std::vector<config::Spec> specs;
    for (const auto& text : texts) specs.push_back(config::read_spec(text, result.diagnostics));
    CheckedConfiguration& checked =
        result.all.emplace_back(rules::compile(specs, {.node = node}, result.diagnostics));
    std::ranges::copy_if(manifests.daemon_sets, std::back_inserter(checked.daemon_sets), is_reader);
    if (checked.daemon_sets.empty()) checked.daemon_sets = manifests.daemon_sets;
  };
  if (!files.empty()) {
    compile(files, [&](const config::DaemonSet& daemons) {
      return std::ranges::none_of(manifests.config_maps, [&](const config::ConfigMap& map) {
        return reads(daemons, map.name);
      });
    });
  }
  for (const config::ConfigMap& map : manifests.config_maps) {
    compile(map.configurations, [&](const auto& daemons) { return reads(daemons, map.name); });
  }
  if (result.all.empty() && result.diagnostics.ok()) {
    result.diagnostics.error({sources->front(), 1, 1},
                             "no ConfigMap in these Kubernetes manifests contains a configuration");
  }
  if (!result.diagnostics.ok()) result.all.clear();
  return result;
}

void filter_for_this_node(Configuration& configuration, host::NodeFactReader& node,
                          std::chrono::milliseconds timeout) {
  if (!configuration.full_plan) return;
  const NodeFacts facts = node.read(rules::node_query(*configuration.full_plan), timeout);
  configuration.host_files = {facts.watch_paths.begin(), facts.watch_paths.end()};
  configuration.plan = rules::filter_for_node(configuration.full_plan, facts);
  configuration.exhaustion_errno = facts.exhaustion_errno;
}

void reject_dra(Configuration& configuration) {
  if (!configuration.full_plan) return;
  for (const rules::ResourcePlanPtr& resource : configuration.full_plan->resources) {
    if (resource->serve != config::Serve::dra) continue;
    configuration.diagnostics.error(
        resource->at.position,
        fmt::format("'{}' has 'serve: dra', which --standalone cannot serve: its stand-in for the "
                    "kubelet has device plugins only",
                    resource->name),
        "remove 'serve: dra' to try the rules, or print the ResourceSlices: patchbay discover "
        "--dra");
  }
  if (!configuration.diagnostics.ok()) configuration.plan = configuration.full_plan = nullptr;
}

void find_missing_mounts(Configuration& configuration,
                         std::map<std::string, std::string> arguments) {
  configuration.missing_mounts = {};
  // Kubernetes sets it in each container.
  if (!configuration.plan || std::getenv("KUBERNETES_SERVICE_HOST") == nullptr) return;
  config::DaemonSet pod{.arguments = std::move(arguments)};
  const paths::Mounts mounts = paths::Mounts::read();
  for (const paths::Mounts::Mount& mount : mounts.all()) {
    if (mount.directory != "/") pod.mounts.push_back({mount.directory, mount.writable});
  }
  for (const rules::Need& need : rules::needs(*configuration.plan, {&pod, 1})) {
    if (!rules::is_mount(need)) continue;
    const bool to_write = need.kind == rules::Need::Kind::writable;
    std::error_code failed;
    const auto path = std::filesystem::weakly_canonical(rules::path_in_pod(pod, need.path), failed);
    if (rules::has_mount(pod, path.native(), to_write)) continue;
    if (!to_write && std::filesystem::exists(path, failed)) continue;
    rules::warn_of_missing_mount(need, "this Pod", configuration.missing_mounts);
  }
}

rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan, const paths::HostRoot& root) {
  return rules::filter_for_node(plan, host::read_node_facts(rules::node_query(*plan), root));
}

Result<paths::HostRoot> host_root(const std::string& directory, const rules::Plan& plan) {
  if (directory.empty()) return paths::HostRoot();
  auto prefix = prefix_of(directory);
  if (!prefix) return std::unexpected(std::move(prefix).error());
  if (prefix->empty()) return paths::HostRoot();
  if (auto fits = check_rules(plan); !fits) return std::unexpected(std::move(fits).error());
  return paths::HostRoot(*std::move(prefix));
}

std::string default_node_name() {
  if (const char* name = std::getenv("NODE_NAME"); name != nullptr && *name != '\0') return name;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

}  // namespace patchbay::daemon
