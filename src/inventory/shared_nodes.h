#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

/// Finds device nodes that several exclusive units give to their containers. This happens if the
/// host path has a variable with the same value for several devices, such as
/// /dev/vfio/$(iommuGroup). Loop thread.
class SharedNodes {
 public:
  explicit SharedNodes(const rules::Plan& plan);

  /// Sets ResolvedResource::shared_nodes. Checks only the units of groups with such host paths, and
  /// only if one of their resources changed since the last call.
  void update(std::vector<ResolvedResource>& resources);

 private:
  /// A group of an exclusive resource with such a host path.
  struct NodeGroup {
    size_t resource = 0;
    size_t group = 0;
    std::string variable;            ///< "$(iommuGroup)"
    std::string prefix;              ///< "/dev/vfio/"
    std::vector<std::string> fixed;  ///< Host paths that all units of the group give.
  };
  /// The ids of the units that give one node, by resource.
  using IdsByResource = std::map<size_t, std::vector<std::string>>;
  struct Node {
    std::string variable;
    IdsByResource ids_by_resource;
  };
  using Nodes = std::map<std::string, Node, NaturalLess>;
  [[nodiscard]] bool changed(const std::vector<ResolvedResource>& resources);

  static void add_unit(const NodeGroup& group, const Unit& unit, Nodes& nodes);

  std::vector<NodeGroup> groups_;
  std::vector<SnapshotPtr> last_;  ///< The snapshots of the last update(), in the order of groups_.
};

}  // namespace patchbay::inventory
