#include "cli/list_printer.h"

#include <algorithm>

#include "base/text.h"
#include "cli/config_input.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

std::string shown(const std::string& id) { return printable(id, 200); }

std::string line(char sign, const std::string& resource, const std::string& id, bool healthy) {
  return std::string(1, sign) + " " + resource + "  " + shown(id) +
         (sign == '-' ? ""
          : healthy   ? "  Healthy"
                      : "  Unhealthy") +
         "\n";
}

}  // namespace

std::string ListPrinter::changed(const std::string& resource,
                                 const std::vector<standin::ListedDevice>& devices) {
  List next;
  for (const auto& device : devices) next[device.id] = device.healthy;
  const auto found = lists_.find(resource);
  std::string text;
  if (found == lists_.end()) text = resource + ": " + count_of(next.size(), "unit") + "\n";
  const List before = found == lists_.end() ? List{} : found->second;
  std::vector<std::string> ids;
  for (const auto& [id, healthy] : next) ids.push_back(id);
  for (const auto& [id, healthy] : before) {
    if (!next.contains(id)) ids.push_back(id);
  }
  std::ranges::sort(ids, natural_less);
  for (const std::string& id : ids) {
    const auto old = before.find(id);
    const auto now = next.find(id);
    if (now == next.end()) {
      text += line('-', resource, id, false);
    } else if (old == before.end()) {
      text += line('+', resource, id, now->second);
    } else if (old->second != now->second) {
      text += line('~', resource, id, now->second);
    }
  }
  lists_[resource] = std::move(next);
  return text;
}

std::string ListPrinter::table() const {
  std::vector<std::vector<std::string>> rows{{"RESOURCE", "UNIT", "HEALTH"}};
  for (const auto& [resource, list] : lists_) {
    std::vector<std::string> ids;
    for (const auto& [id, healthy] : list) ids.push_back(id);
    std::ranges::sort(ids, natural_less);
    for (const std::string& id : ids) {
      rows.push_back({resource, shown(id), list.at(id) ? "Healthy" : "Unhealthy"});
    }
    if (ids.empty()) rows.push_back({resource, "-", ""});
  }
  return format_table(rows);
}

}  // namespace patchbay::cli
