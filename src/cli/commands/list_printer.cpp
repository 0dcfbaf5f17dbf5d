#include "cli/commands/list_printer.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "cli/commands/config_input.h"
#include "cli/terminal/table.h"
#include "inventory/snapshot.h"

namespace patchbay::cli {
namespace {

using standin::ListedDevice;
using DeviceList = std::map<std::string, ListedDevice>;  ///< By id.

std::string health_of(const ListedDevice& device) {
  return device.healthy ? "Healthy" : "Unhealthy";
}

/// "0", or "0,1" for a unit with several nodes.
std::string nodes_of(const ListedDevice& device) {
  std::vector<std::string> nodes;
  for (const int64_t node : device.numa_nodes) nodes.push_back(std::to_string(node));
  return join(nodes, ",");
}

std::string line(char sign, const std::string& resource, const ListedDevice& device) {
  std::string text = std::string(1, sign) + " " + resource + "  " + printable(device.id);
  if (sign == '-') return text + "\n";
  text += "  " + health_of(device);
  if (!device.numa_nodes.empty()) text += "  NUMA " + nodes_of(device);
  return text + "\n";
}

/// The new state of a unit that stays in the list.
std::string line(const std::string& resource, const ListedDevice& before, const ListedDevice& now) {
  if (before == now) return "";
  std::string text = line('~', resource, now);
  if (now.numa_nodes.empty() && !before.numa_nodes.empty()) {
    text.insert(text.size() - 1, "  no NUMA node");
  }
  return text;
}

/// "2 units"; for shared units also the number of shares in the list.
std::string size_of(const DeviceList& list) {
  std::set<std::string_view> units;
  for (const auto& [id, device] : list) {
    const auto share = inventory::split_share_id(id);
    units.insert(share ? share->unit : std::string_view(id));
  }
  const std::string count = count_text(units.size(), "unit");
  return units.size() == list.size() ? count : count + ", " + count_text(list.size(), "share");
}

/// The ids of both lists, in natural order.
std::vector<std::string> ids_of(const DeviceList& now, const DeviceList& before) {
  std::vector<std::string> ids;
  for (const auto& [id, device] : now) ids.push_back(id);
  for (const auto& [id, device] : before) {
    if (!now.contains(id)) ids.push_back(id);
  }
  std::ranges::sort(ids, natural_less);
  return ids;
}

}  // namespace

std::string ListPrinter::changed(const std::string& resource,
                                 const std::vector<ListedDevice>& devices) {
  List next;
  for (const auto& device : devices) next[device.id] = device;
  std::string text;
  if (!lists_.contains(resource)) text = resource + ": " + size_of(next) + "\n";
  List& before = lists_[resource];
  for (const std::string& id : ids_of(next, before)) {
    const auto old = before.find(id);
    const auto now = next.find(id);
    if (now == next.end()) {
      text += line('-', resource, old->second);
    } else if (old == before.end()) {
      text += line('+', resource, now->second);
    } else {
      text += line(resource, old->second, now->second);
    }
  }
  before = std::move(next);
  return text;
}

}  // namespace patchbay::cli
