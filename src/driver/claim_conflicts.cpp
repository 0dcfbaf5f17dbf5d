#include "driver/claim_conflicts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::driver {
namespace {

/// The content of each path and variable of a ResourceClaim, in all its requests. The key is the
/// end of the warning about it.
using Contents = std::map<std::string, std::set<std::string>>;

Contents contents_of(const ClaimRecord& record) {
  Contents contents;
  const auto add_paths = [&](const auto& nodes) {
    for (const auto& node : nodes) {
      contents[fmt::format("give different content at {}: write $(claim) in containerPath",
                           printable(node.container_path))]
          .insert(node.host_path);
    }
  };
  for (const RecordedDevice& device : record.devices) {
    add_paths(device.nodes);
    add_paths(device.mounts);
  }
  for (const auto& [request, envs] : record.envs) {
    for (const auto& [name, value] : envs) {
      contents[fmt::format("give different content for the variable {}: write $(claim) in the name",
                           printable(name))]
          .insert(value);
    }
  }
  return contents;
}

/// A Pod whose containers can have both ResourceClaims. Null if there is none.
const ClaimPod* common_pod(const ClaimRecord& a, const ClaimRecord& b) {
  for (const ClaimRecord* record : {&a, &b}) {
    if (record->phase == ClaimPhase::releasing || record->phase == ClaimPhase::release_failed) {
      return nullptr;
    }
  }
  const auto pod = std::ranges::find_if(a.pods, [&](const ClaimPod& one) {
    return std::ranges::find(b.pods, one.uid, &ClaimPod::uid) != b.pods.end();
  });
  return pod == a.pods.end() ? nullptr : &*pod;
}

std::string full_name(const std::string& name_space, const std::string& name) {
  return printable(name_space) + '/' + printable(name);
}

}  // namespace

std::map<std::string, std::vector<std::string>> find_claim_conflicts(const ClaimRecords& records) {
  std::map<std::string, std::vector<std::string>> texts;
  for (auto first = records.begin(); first != records.end(); ++first) {
    const ClaimRecord& a = first->second;
    for (auto second = std::next(first); second != records.end(); ++second) {
      const ClaimRecord& b = second->second;
      const ClaimPod* const pod = common_pod(a, b);
      if (pod == nullptr) continue;
      const Contents of_b = contents_of(b);
      for (const auto& [conflict, contents] : contents_of(a)) {
        const auto other = of_b.find(conflict);
        if (other == of_b.end() || other->second == contents) continue;
        texts[first->first].push_back(fmt::format(
            "Pod {}: ResourceClaims {} and {} {}", full_name(a.name_space, pod->name),
            full_name(a.name_space, a.name), full_name(b.name_space, b.name), conflict));
      }
    }
  }
  return texts;
}

}  // namespace patchbay::driver
