#include "cli/standalone/preference_query.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/config_input.h"
#include "cli/commands/find_unit.h"
#include "inventory/snapshot.h"

namespace patchbay::cli {
namespace {

using List = ListPrinter::List;

/// The reason why the kubelet would not give that unit.
std::optional<std::string> fault_of(const std::string& id, const std::string& resource,
                                    const List& list) {
  const auto found = list.find(id);
  if (found != list.end()) {
    if (found->second.healthy) return std::nullopt;
    return fmt::format("unit '{}' of {} is Unhealthy", printable(id), resource);
  }
  std::vector<std::string> known;
  for (const auto& [listed, device] : list) known.push_back(listed);
  return fmt::format("{} has no unit '{}'", resource, printable(id)) + did_you_mean(id, known);
}

/// The kubelet's list has the shares of a shared unit.
std::string noun_of(const List& list) {
  const bool shared = std::ranges::any_of(
      list, [](const auto& entry) { return inventory::split_share_id(entry.first).has_value(); });
  return shared ? "share" : "unit";
}

Result<void> check_named(const LineCommand& line, const std::string& resource, const List& list) {
  std::set<std::string> named;
  for (const std::string& id : line.ids) {
    if (const auto fault = fault_of(id, resource, list)) return fail(*fault);
    if (!named.insert(id).second) return fail(fmt::format("'{}' is named twice", printable(id)));
  }
  if (std::cmp_greater(named.size(), line.count)) {
    return fail(fmt::format("{} named, but only {} asked for",
                            count_text(named.size(), noun_of(list)), line.count));
  }
  return {};
}

}  // namespace

Result<standin::PreferenceQuery> preference_query(const LineCommand& line,
                                                  const std::string& resource, const List& list) {
  if (const auto checked = check_named(line, resource, list); !checked) {
    return std::unexpected(checked.error());
  }
  standin::PreferenceQuery query{.available = {}, .must_include = line.ids, .size = line.count};
  for (const auto& [id, device] : list) {
    if (device.healthy) query.available.push_back(id);
  }
  const size_t healthy = query.available.size();
  if (std::cmp_less(healthy, line.count)) {
    return fail(fmt::format("{} has {}, fewer than {}", resource,
                            count_text(healthy, "healthy " + noun_of(list)), line.count));
  }
  std::ranges::sort(query.available, natural_less);
  return query;
}

}  // namespace patchbay::cli
