#include "daemon/configuration.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "config/loader.h"
#include "config/manifest.h"
#include "config/spec_reader.h"
#include "host/node_facts.h"
#include "rules/compile.h"
#include "rules/for_node.h"

namespace patchbay::daemon {

Configuration read_configuration(std::span<const std::string> paths, const std::string& node) {
  Configuration result;
  const auto sources = config::load_sources(paths);
  if (!sources) {
    result.unreadable = sources.error().message;
    return result;
  }
  std::vector<config::Spec> specs;
  for (const auto& file : *sources) {
    for (const auto& source : config::configurations_in(file, result.diagnostics)) {
      specs.push_back(config::read_spec(source, result.diagnostics));
    }
  }
  auto plan = rules::compile(specs, {.node = node}, result.diagnostics);
  if (result.diagnostics.ok()) result.plan = std::move(plan);
  return result;
}

rules::PlanPtr plan_for_this_node(const rules::PlanPtr& plan, const host::HostRoot& root) {
  return rules::for_node(plan, host::read_node_facts(rules::node_query(*plan), root));
}

std::string default_node_name() {
  if (const char* name = std::getenv("NODE_NAME"); name != nullptr && *name != '\0') return name;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

}  // namespace patchbay::daemon
