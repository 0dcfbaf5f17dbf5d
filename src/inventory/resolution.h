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

/// A device that a group of a resource matched, or the first of several that belong together, which
/// is not offered, and why.
struct Refusal {
  enum class Kind {
    refused,     ///< It would be offered, were it not for its values, its id or a limit.
    incomplete,  ///< Devices that belong to it are not there.
    claimed,     ///< Another group comes first, as the order of the config says.
  };
  size_t group = 0;      ///< Index into the resource's groups.
  std::string device{};  ///< DeviceFacts::key.
  std::string id{};      ///< As far as one could be made.
  std::string reason{};
  Kind kind = Kind::refused;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

using Refusals = std::vector<Refusal>;
/// By resource of a plan, in its order.
using RefusalsByResource = std::vector<Refusals>;

/// A group that does not see all that one of its patterns matches, or its members' patterns.
struct Degraded {
  size_t group = 0;
  std::string pattern{};  ///< As written.
  std::string reason{};
  friend bool operator==(const Degraded&, const Degraded&) = default;
};

/// Something that rules of a resource look at, and that does not answer or cannot be read.
struct UnresponsivePath {
  std::string what{};    ///< For people: a path.
  bool slow = false;     ///< It may only be slow: a first list waits for it.
  bool refused = false;  ///< It answers, but we have no descriptors or memory to read it.
  /// Why it is, for people: what `what` does.
  [[nodiscard]] std::string_view why() const {
    return refused ? "cannot be read: out of descriptors or memory" : "does not answer";
  }
  friend auto operator<=>(const UnresponsivePath&, const UnresponsivePath&) = default;
};

/// A device node that several exclusive units give: no two containers should have it.
struct SharedNode {
  std::string path{};
  std::string variable{};             ///< Which of its host path is the same: "$(iommuGroup)".
  std::vector<std::string> units{};   ///< Those of this resource that give it: ids.
  std::vector<std::string> others{};  ///< Other resources that give it: names.
  friend bool operator==(const SharedNode&, const SharedNode&) = default;
};

/// What became of one resource.
struct ResolvedResource {
  SnapshotPtr snapshot;            ///< What it offers; never null.
  Refusals refusals;               ///< In natural order of device.
  std::vector<Degraded> degraded;  ///< In the order of its groups.

  std::vector<UnresponsivePath> unresponsive;  ///< Sorted.
  std::vector<SharedNode> shared_nodes;        ///< By path.

  /// What there is for it may not be known yet, but will be in a moment.
  [[nodiscard]] bool is_awaiting() const {
    return std::ranges::any_of(unresponsive, &UnresponsivePath::slow);
  }
  [[nodiscard]] const std::string& name() const { return snapshot->resource->name; }
};

/// What became of all resources, after everything that is known has been taken in.
struct Resolution {
  std::vector<ResolvedResource> resources;  ///< In the order of the plan.
  /// When the next lost unit is due to be dropped; resolve again then.
  std::optional<std::chrono::steady_clock::time_point> next_change;
};

}  // namespace patchbay::inventory

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<inventory::Refusal::Kind>{
    "refused", "incomplete", "claimed"};
}  // namespace patchbay
