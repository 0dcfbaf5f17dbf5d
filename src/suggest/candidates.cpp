#include "suggest/candidates.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/device_tree.h"
#include "host/facts/sysfs_files.h"
#include "inventory/allocate.h"

namespace patchbay::suggest {
namespace {

bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory + '/');
}

/// Whether one of the keys is below the device.
bool has_below(const std::set<std::string>& keys, const std::string& device) {
  const auto below = keys.lower_bound(device + '/');
  return below != keys.end() && is_below(*below, device);
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

Candidate candidate_of(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                       KindPtr kind, const paths::HostRoot& root) {
  Candidate candidate;
  for (const inventory::UnitDevice& device : unit.members->devices) {
    if (device.role == 0) candidate.matched.push_back(device.facts);
    candidate.keys.push_back(device.facts->key);
    if (!device.facts->devnode.empty()) candidate.nodes.push_back(device.facts->devnode);
  }
  candidate.kind = std::move(kind);
  const std::vector<std::string> ids{unit.listed_id(0)};
  const auto exists = [&](const std::string& path, bool device) {
    return root.exists(path, device);
  };
  const auto allocation = inventory::allocate(snapshot, ids, exists);
  if (allocation) {
    for (const inventory::AllocatedDevice& device : allocation->devices) {
      if (!has(candidate.nodes, device.host_path)) candidate.nodes.push_back(device.host_path);
    }
  }
  for (const std::string& node : candidate.nodes) {
    if (const auto number = number_of(root, node)) candidate.numbers.push_back(*number);
  }
  return candidate;
}

}  // namespace

bool is_plain_usb(const Candidate& candidate) {
  const DeviceFacts& first = *candidate.matched.front();
  return first.subsystem == "usb" && first.devtype == "usb_device";
}

std::vector<CandidatePtr> find_candidates(const inventory::Resolution& resolution,
                                          std::span<const KindPtr> kinds,
                                          const paths::HostRoot& root) {
  std::vector<Candidate> all;
  std::set<std::string> taken;  // Keys.
  for (size_t i = 0; i < resolution.resources.size(); ++i) {
    const inventory::Snapshot& snapshot = *resolution.resources[i].snapshot;
    for (const inventory::Unit& unit : snapshot.units) {
      Candidate candidate = candidate_of(snapshot, unit, kinds[i], root);
      candidate.superseded = std::ranges::any_of(
          candidate.matched, [&](const auto& device) { return taken.contains(device->key); });
      if (!candidate.superseded) taken.insert(candidate.keys.begin(), candidate.keys.end());
      all.push_back(std::move(candidate));
    }
  }
  std::vector<CandidatePtr> shared;
  for (Candidate& candidate : all) {
    // A rule for any USB device fits also those that have a better rule.
    if (is_plain_usb(candidate) && has_below(taken, candidate.matched.front()->key)) {
      candidate.superseded = true;
    }
    shared.push_back(std::make_shared<const Candidate>(std::move(candidate)));
  }
  return shared;
}

std::optional<DeviceNumber> number_of(const paths::HostRoot& root, const std::string& path) {
  const auto status = root.status(path);
  return status ? device_number_of(status->st_mode, status->st_rdev) : std::nullopt;
}

DevicesBySubsystem find_unknown(std::span<const CandidatePtr> all, const paths::HostRoot& root) {
  std::set<std::string> known;
  std::set<std::string> keys;
  std::set<DeviceNumber> numbers;
  for (const CandidatePtr& candidate : all) {
    numbers.insert(candidate->numbers.begin(), candidate->numbers.end());
    known.insert(candidate->nodes.begin(), candidate->nodes.end());
    keys.insert(candidate->keys.begin(), candidate->keys.end());
  }
  const auto is_known_number = [&](const std::optional<DeviceNumber>& number) {
    return number && numbers.contains(*number);
  };
  const host::DeviceTree tree(root);
  DevicesBySubsystem unknown;
  for (const std::string& device : host::list_kernel_devices(tree, {"*"})) {
    const auto uevent = host::read_uevent_file(tree.files, device);
    if (!uevent || uevent->devnode.empty() || known.contains(uevent->devnode)) continue;
    // The node of a USB device belongs to the units below it.
    if (has_below(keys, device) || is_known_number(number_of(root, uevent->devnode))) continue;
    const auto subsystem = host::link_name(tree.files, device + "/subsystem");
    unknown[subsystem.value_or("none")].push_back(device);
  }
  for (auto& [subsystem, devices] : unknown) {
    std::ranges::sort(devices, natural_less,
                      [](const std::string& device) { return base_name(device); });
  }
  return unknown;
}

std::vector<CandidatePtr> candidates_for(const Wanted& wanted, std::span<const CandidatePtr> all) {
  std::vector<CandidatePtr> same;
  std::vector<CandidatePtr> superseded;
  std::vector<CandidatePtr> below;
  std::vector<CandidatePtr> above;
  size_t nearest = 0;  // The longest path above the device.
  for (const CandidatePtr& candidate : all) {
    const bool same_node = wanted.number && std::ranges::find(candidate->numbers, *wanted.number) !=
                                                candidate->numbers.end();
    if (same_node || (!wanted.by_node && has(candidate->keys, wanted.key))) {
      (candidate->superseded ? superseded : same).push_back(candidate);
      continue;
    }
    if (wanted.key.empty() || wanted.by_node || candidate->superseded) continue;
    const auto is_under = [&](const auto& device) { return is_below(device->key, wanted.key); };
    if (std::ranges::any_of(candidate->matched, is_under)) below.push_back(candidate);
    for (const auto& device : candidate->matched) {
      const bool is_above = wanted.path.empty() && is_below(wanted.key, device->key) &&
                            device->key.starts_with(wanted.hardware);
      if (!is_above || device->key.size() < nearest) continue;
      if (device->key.size() > nearest) above.clear();
      nearest = device->key.size();
      above.push_back(candidate);
    }
  }
  if (!same.empty()) return same;
  if (wanted.by_node) return superseded;
  return below.empty() ? above : below;
}

}  // namespace patchbay::suggest
