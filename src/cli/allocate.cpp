#include "inventory/allocate.h"

#include "cli/allocation_view.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/find_unit.h"
#include "cli/host_look.h"
#include "cli/json_text.h"
#include "cli/terminal.h"
#include "serve/messages.h"
#include "standin/messages.h"

namespace patchbay::cli {
namespace {

/// As Allocate answers it; or why it would not.
Result<inventory::Allocation> answer(const inventory::Inventory& inventory,
                                     const host::HostRoot& root, const AllocateOptions& options) {
  const auto resource = find_resource(*inventory.plan(), options.resource);
  if (!resource) return std::unexpected(resource.error());
  for (const std::string& id : options.ids) {
    if (auto known = check_unit(inventory.last(), *resource, id); !known) {
      return std::unexpected(std::move(known).error());
    }
  }
  const auto exists = [&](const std::string& path) { return root.exists(path); };
  return inventory::allocate(*inventory.last().resources[*resource].snapshot, options.ids, exists);
}

/// As the kubelet would get it.
std::string json_of(const inventory::Allocation& allocation) {
  return json_text(Json::parse(standin::to_json_text(serve::to_response(allocation))));
}

}  // namespace

int allocate(const AllocateOptions& options) {
  return look_once(
      options.config, options.host,
      [&](const inventory::Inventory& inventory, const host::HostRoot& root) {
        const auto given = answer(inventory, root, options);
        if (!given) return unable(given.error());
        return exit_code_of(print(options.output == OutputFormat::json ? json_of(*given)
                                                                       : allocation_table(*given)));
      });
}

}  // namespace patchbay::cli
