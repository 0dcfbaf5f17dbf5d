#include "daemon/configuration.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/loader.h"
#include "config/manifest.h"
#include "config/spec_reader.h"
#include "paths/resource_exhaustion.h"
#include "rules/compile.h"
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
  const auto read = [&](const auto& files, std::vector<config::Spec>& specs) {
    for (const auto& file : files) specs.push_back(config::read_spec(file, result.diagnostics));
  };
  std::vector<std::vector<config::Spec>> configurations(1);
  for (const auto& file : *sources) {
    if (!config::contains_manifests(file->text)) {
      read(std::span(&file, 1), configurations.front());
      continue;
    }
    for (const auto& map : config::extract_config_maps(file, result.diagnostics)) {
      read(map, configurations.emplace_back());
    }
  }
  if (configurations.front().empty()) configurations.erase(configurations.begin());
  for (const auto& specs : configurations) {
    result.plans.push_back(rules::compile(specs, {.node = node}, result.diagnostics));
  }
  if (!result.diagnostics.ok()) result.plans.clear();
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

rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan, const paths::HostRoot& root) {
  return rules::filter_for_node(plan, host::read_node_facts(rules::node_query(*plan), root));
}

std::string default_node_name() {
  if (const char* name = std::getenv("NODE_NAME"); name != nullptr && *name != '\0') return name;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

}  // namespace patchbay::daemon
