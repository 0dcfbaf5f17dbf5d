#include "inventory/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/explanation_view.h"
#include "cli/commands/host_discovery.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "host/examine.h"
#include "host/facts/device_tree.h"
#include "host/named_devices.h"
#include "loop/executor.h"
#include "rules/compile.h"

namespace patchbay::cli {
namespace {

bool is_path_or_static_key(const std::string& word) {
  return word.starts_with('/') || word.starts_with(static_key(""));
}

/// The devices of the unit with that id, offered or not, without duplicates.
std::vector<std::string> devices_of(const inventory::Resolution& resolution,
                                    const std::string& id) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (const auto& resource : resolution.resources) {
    const auto listed = resource.snapshot->find_listed(id);
    const inventory::Unit* unit = listed ? listed->unit : resource.snapshot->find(id);
    if (unit == nullptr) continue;
    for (const auto& device : unit->members->devices) add(device.facts->key);
  }
  for (const auto& resource : resolution.resources) {
    for (const inventory::Refusal& refusal : resource.refusals) {
      if (refusal.id == id) add(refusal.device);
    }
  }
  return keys;
}

Error no_such_unit(const inventory::Resolution& resolution, const std::string& word) {
  std::vector<std::string_view> ids;
  for (const auto& resource : resolution.resources) {
    for (const inventory::Unit& unit : resource.snapshot->units) ids.push_back(unit.id);
  }
  const auto nearest = nearest_word(word, ids);
  return {
      fmt::format("'{}' is not a unit id or kernel device name{}; name a device node, a path, "
                  "static:NAME, a unit id or a kernel device name",
                  printable(word), nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "")};
}

/// The keys or paths for the word that a person typed.
Result<std::vector<std::string>> find_entities(const inventory::Resolution& resolution,
                                               const paths::HostRoot& root,
                                               const std::string& word) {
  if (is_path_or_static_key(word)) return std::vector{word};
  auto keys = devices_of(resolution, word);
  if (keys.empty()) keys = host::kernel_devices_named(host::DeviceTree(root), word);
  if (keys.empty()) return std::unexpected(no_such_unit(resolution, word));
  return keys;
}

/// The forms of a device; nullopt if it is unresponsive.
std::optional<Result<std::vector<DeviceFactsPtr>>> examine_with_timeout(const HostQueryPtr& query,
                                                                        const paths::HostRoot& root,
                                                                        const std::string& entity) {
  const auto forms = std::make_shared<std::optional<Result<std::vector<DeviceFactsPtr>>>>();
  const bool answered = loop::Executor().run(
      [forms, query, root, entity] { *forms = host::examine(query, root, entity); },
      loop::kHungAfter);
  return answered ? std::move(*forms) : std::nullopt;
}

/// A query without the patterns that are known to be unresponsive.
HostQueryPtr query_of(const inventory::Inventory& inventory) {
  auto query = std::make_shared<HostQuery>(*rules::examination_query(inventory.plan()));
  for (const Unanswered& silent : inventory.unanswered()) {
    if (!silent.key.empty()) continue;
    std::erase_if(query->glob_patterns, [&](const std::string& pattern) {
      return std::ranges::find(silent.patterns, pattern) != silent.patterns.end();
    });
  }
  return query;
}

struct Explained {
  std::vector<Explanation> explanations;
  std::vector<std::string> pending;  ///< Unresponsive devices.
};

Result<Explained> explain_all(const inventory::Inventory& inventory, const paths::HostRoot& root,
                              const std::string& word) {
  const auto entities = find_entities(inventory.last(), root, word);
  if (!entities) return std::unexpected(entities.error());
  const HostQueryPtr query = query_of(inventory);
  Explained out;
  for (const std::string& entity : *entities) {
    auto forms = examine_with_timeout(query, root, entity);
    if (!forms) {
      out.pending.push_back(entity);
      continue;
    }
    if (!*forms) return std::unexpected(std::move(*forms).error());
    auto verdicts =
        inventory::explain(*inventory.plan(), inventory.devices(), inventory.last(), **forms);
    out.explanations.push_back({**std::move(forms), std::move(verdicts)});
  }
  return out;
}

}  // namespace

int explain(const ExplainOptions& options) {
  return discover_and_answer(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const paths::HostRoot& root) {
        const auto explained = explain_all(inventory, root, options.device);
        if (!explained) return report_failure(explained.error());
        const rules::Plan& plan = *inventory.plan();
        const auto& [explanations, pending] = *explained;
        const int printed = exit_code_of(print(
            options.output == OutputFormat::json ? explanation_json(plan, explanations, pending)
                                                 : explanation_text(plan, explanations, pending)));
        return printed == kOk && !pending.empty() ? int{kUnresponsive} : printed;
      });
}

}  // namespace patchbay::cli
