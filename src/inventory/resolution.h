#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "inventory/snapshot.h"

namespace patchbay::inventory {

/// Why a matched device, or the first device of an incomplete unit, is not offered.
struct Refusal {
  enum class Kind {
    refused,     ///< Its values, its id or a limit prevent the offer.
    incomplete,  ///< Other devices of the unit are missing.
    claimed,     ///< Another group claimed it first, by the order of the configuration.
  };
  size_t group = 0;       ///< Index into the resource's groups.
  std::string device{};   ///< DeviceFacts::key.
  std::string devnode{};  ///< DeviceFacts::devnode.
  std::string id{};       ///< Empty if the id could not be made.
  std::string reason{};
  Kind kind = Kind::refused;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

using Refusals = std::vector<Refusal>;
/// One element for each resource of a plan, in the order of the plan.
using RefusalsByResource = std::vector<Refusals>;

/// A pattern, of a group or of one of its members, that does not find all matching paths.
struct Degraded {
  size_t group = 0;
  std::string pattern{};  ///< As in the configuration.
  std::string reason{};
  friend bool operator==(const Degraded&, const Degraded&) = default;
};

/// A path that rules of a resource use, and that does not answer or cannot be read.
struct UnresponsivePath {
  std::string what{};    ///< The path, for messages.
  bool slow = false;     ///< It may still answer: the first list waits for it.
  bool refused = false;  ///< It answers, but descriptors or memory for reading it are exhausted.
  /// The state of `what`, as text.
  [[nodiscard]] std::string_view why() const {
    return refused ? "cannot be read: out of descriptors or memory" : "is unresponsive";
  }
  friend auto operator<=>(const UnresponsivePath&, const UnresponsivePath&) = default;
};

/// A device node that several exclusive units give to their containers. Two containers should not
/// share it.
struct SharedNode {
  std::string path{};
  std::string variable{};             ///< The variable in the path: "$(iommuGroup)".
  std::vector<std::string> units{};   ///< Ids of the units of this resource that give the node.
  std::vector<std::string> others{};  ///< Names of other resources that give the node.
  friend bool operator==(const SharedNode&, const SharedNode&) = default;
};

/// The current state of one resource.
struct ResolvedResource {
  SnapshotPtr snapshot;            ///< The units that it offers; never null.
  Refusals refusals;               ///< In natural order of device.
  std::vector<Degraded> degraded;  ///< In the order of its groups.

  std::vector<UnresponsivePath> unresponsive;  ///< Sorted.
  std::vector<SharedNode> shared_nodes;        ///< By path.

  /// Whether devices of the resource may still be unknown because a source is slow.
  [[nodiscard]] bool has_slow_path() const {
    return std::ranges::any_of(unresponsive, &UnresponsivePath::slow);
  }
  [[nodiscard]] const std::string& name() const { return snapshot->resource->name; }
};

/// The state of all resources after all known facts are applied.
struct Resolution {
  std::vector<ResolvedResource> resources;  ///< In the order of the plan.
  /// When the linger time of the next lost unit ends. Resolve again then.
  std::optional<std::chrono::steady_clock::time_point> next_change;
};

}  // namespace patchbay::inventory

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<inventory::Refusal::Kind>{
    "refused", "incomplete", "claimed"};
}  // namespace patchbay
