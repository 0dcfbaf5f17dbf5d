#include <algorithm>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/assemble.h"
#include "rules/plan/share.h"

namespace patchbay::inventory {
namespace {

constexpr size_t kBytesPerItem = 24;  ///< Upper limit of the framing.

/// Joins the edits of one container. One instance builds one allocation.
class EditJoiner {
 public:
  Result<void> add(const Edit& edit) {
    return std::visit([&](const auto& what) { return add(what, edit.cdi_device); }, edit.what);
  }
  Result<Allocation> finish();

 private:
  /// The values of one name.
  struct Joined {
    std::vector<std::string> values;
    std::string join;
  };
  using Values = std::map<std::string, Joined>;

  Result<void> add(const AllocatedDevice& device, const std::string& cdi_device) {
    return add_at(out_.devices, device, cdi_device,
                  fmt::format("device {} ({}{})", device.host_path, device.permissions,
                              device.access.to_text()));
  }
  Result<void> add(const AllocatedMount& mount, const std::string& cdi_device) {
    return add_at(out_.mounts, mount, cdi_device,
                  fmt::format("mount of {} ({})", mount.host_path, mount.read_only ? "ro" : "rw"));
  }
  Result<void> add(const NamedValue& value, const std::string& cdi_device);
  Result<void> add(const CdiName& cdi, const std::string& /*cdi_device*/) {
    out_.cdi_devices.push_back(cdi.name);
    return {};
  }
  template <typename Node>
  Result<void> add_at(std::vector<Node>& nodes, const Node& node, const std::string& cdi_device,
                      const std::string& what);
  static std::map<std::string, std::string> joined(const Values& values);
  [[nodiscard]] Result<void> check_size() const;

  Allocation out_;
  std::map<std::string, std::string> taken_;  ///< The content of each container path.
  Values envs_;
  Values annotations_;
};

template <typename Node>
Result<void> EditJoiner::add_at(std::vector<Node>& nodes, const Node& node,
                                const std::string& cdi_device, const std::string& what) {
  const auto [at, is_new] = taken_.emplace(node.container_path, what);
  if (!is_new && at->second != what) {
    return fail(fmt::format("two entries at the container path {}: {} and {}",
                            printable(node.container_path), printable(at->second),
                            printable(what)));
  }
  if (!cdi_device.empty()) {
    out_.cdi_devices.push_back(cdi_device);
  } else if (is_new) {
    nodes.push_back(node);
  }
  return {};
}

Result<void> EditJoiner::add(const NamedValue& value, const std::string& /*cdi_device*/) {
  Values& values = value.kind == NamedValue::Kind::env ? envs_ : annotations_;
  Joined& joined = values.try_emplace(value.name, Joined{{}, value.join}).first->second;
  if (joined.join != value.join) {
    return fail(fmt::format("env '{}' has two separators: '{}' and '{}'", value.name,
                            printable(joined.join), printable(value.join)));
  }
  joined.values.push_back(value.value);
  return {};
}

std::map<std::string, std::string> EditJoiner::joined(const Values& values) {
  std::map<std::string, std::string> out;
  for (const auto& [name, of_name] : values) out[name] = join(of_name.values, of_name.join);
  return out;
}

Result<void> EditJoiner::check_size() const {
  size_t bytes = 0;
  const auto count = [&](const std::string& a, const std::string& b) {
    bytes += a.size() + b.size() + kBytesPerItem;
  };
  for (const auto& [name, value] : out_.envs) count(name, value);
  for (const auto& [name, value] : out_.annotations) count(name, value);
  for (const std::string& name : out_.cdi_devices) count(name, {});
  for (const AllocatedDevice& device : out_.devices) count(device.host_path, device.container_path);
  for (const AllocatedMount& mount : out_.mounts) count(mount.host_path, mount.container_path);
  if (bytes <= rules::kMaxKubeletMessageBytes) return {};
  return fail("the response is larger than the kubelet accepts");
}

Result<Allocation> EditJoiner::finish() {
  out_.envs = joined(envs_);
  out_.annotations = joined(annotations_);
  // Runtimes apply the devices in this order.
  std::ranges::sort(out_.cdi_devices, natural_less);
  const auto repeated = std::ranges::unique(out_.cdi_devices);
  out_.cdi_devices.erase(repeated.begin(), repeated.end());
  if (auto fits = check_size(); !fits) return std::unexpected(fits.error());
  return std::move(out_);
}

}  // namespace

Result<Allocation> join_edits(std::span<const Edit> edits) {
  EditJoiner joiner;
  for (const Edit& edit : edits) {
    const auto added = joiner.add(edit);
    if (added) continue;
    const bool sole =
        std::ranges::all_of(edits, [&](const Edit& other) { return other.unit == edit.unit; });
    if (sole) return std::unexpected(added.error());
    return fail(fmt::format("unit '{}'", edit.unit->id), added.error());
  }
  return joiner.finish();
}

}  // namespace patchbay::inventory
