#include "plugin/plugin_messages.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "base/text.h"
#include "inventory/list_changes.h"

namespace patchbay::plugin {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

/// Maximum number of logged ids of a call.
constexpr size_t kMaxLoggedIds = 32;

/// Encodes the part of a device's message after the id, which is its first field. It is encoded
/// once for all units that differ only in their ids.
class EncodedSuffixCache {
 public:
  explicit EncodedSuffixCache(bool reports_nodes) : reports_nodes_(reports_nodes) {}

  /// The result lives as long as this object.
  const std::string& of(const inventory::Unit& unit) {
    // Most units equal the previous one.
    if (last_ == nullptr || !matches(last_->first, unit)) last_ = &find(unit);
    return last_->second;
  }

 private:
  struct Key {
    bool healthy = true;
    std::vector<int> nodes;  ///< Those reported.
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Entry = std::pair<const Key, std::string>;

  [[nodiscard]] bool matches(const Key& key, const inventory::Unit& unit) const {
    return key.healthy == unit.healthy && (!reports_nodes_ || key.nodes == unit.nodes);
  }

  const Entry& find(const inventory::Unit& unit) {
    Key key{.healthy = unit.healthy, .nodes = reports_nodes_ ? unit.nodes : std::vector<int>{}};
    const auto [entry, is_new] = by_key_.try_emplace(std::move(key));
    if (is_new) {
      v1beta1::Device device;
      device.set_health(unit.healthy ? "Healthy" : "Unhealthy");
      for (const int node : entry->first.nodes) {
        device.mutable_topology()->add_nodes()->set_id(node);
      }
      entry->second = device.SerializeAsString();
    }
    return *entry;
  }

  bool reports_nodes_;
  std::map<Key, std::string> by_key_;
  const Entry* last_ = nullptr;
};

/// Size of a device's message.
size_t encoded_size(size_t id, const std::string& suffix) {
  constexpr size_t kTag = 1;
  return kTag + WireFormatLite::LengthDelimitedSize(id) + suffix.size();
}

/// Upper limit of its size in the list.
size_t max_encoded_size(const inventory::Unit& unit, const std::string& suffix) {
  const size_t longest = unit.shares == 0 ? unit.id.size() : unit.listed_id(unit.shares - 1).size();
  return unit.listed() * encoded_size(encoded_size(longest, suffix), {});
}

uint8_t* write_device(const std::string& id, const std::string& suffix, uint8_t* to) {
  to = WireFormatLite::WriteTagToArray(v1beta1::ListAndWatchResponse::kDevicesFieldNumber,
                                       WireFormatLite::WIRETYPE_LENGTH_DELIMITED, to);
  to = CodedOutputStream::WriteVarint32ToArray(
      static_cast<uint32_t>(encoded_size(id.size(), suffix)), to);
  to = WireFormatLite::WriteStringToArray(v1beta1::Device::kIDFieldNumber, id, to);
  return CodedOutputStream::WriteRawToArray(suffix.data(), static_cast<int>(suffix.size()), to);
}

/// Writes all shares of a shared unit. Their ids differ in the number at the end.
uint8_t* write_shares(const inventory::Unit& unit, const std::string& suffix, uint8_t* to) {
  std::string id = unit.listed_id(0);
  const size_t number = id.size() - 1;
  for (size_t share = 0; share < unit.shares; ++share) {
    id.resize(number);
    fmt::format_to(std::back_inserter(id), "{}", share);
    to = write_device(id, suffix, to);
  }
  return to;
}

}  // namespace

std::string encode_list(const inventory::Snapshot& snapshot) {
  EncodedSuffixCache suffixes(snapshot.reports_nodes());
  size_t room = 0;
  for (const inventory::Unit& unit : snapshot.units)
    room += max_encoded_size(unit, suffixes.of(unit));
  std::string bytes;
  bytes.resize_and_overwrite(room, [&](char* begin, size_t) {
    auto* const first = reinterpret_cast<uint8_t*>(begin);
    uint8_t* to = first;
    for (const inventory::Unit& unit : snapshot.units) {
      const std::string& suffix = suffixes.of(unit);
      if (unit.shares == 0) {
        to = write_device(unit.id, suffix, to);
      } else {
        to = write_shares(unit, suffix, to);
      }
    }
    return to - first;
  });
  return bytes;
}

bool same_list(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  if (&a == &b) return true;
  if (a.units.size() != b.units.size()) return false;
  const bool nodes = a.reports_nodes();
  if (nodes != b.reports_nodes()) return false;
  bool same = true;
  inventory::for_each_change(
      a.units, b.units, [&](const inventory::Unit* x, const inventory::Unit* y) {
        same = same && x != nullptr && y != nullptr && x->shares == y->shares &&
               x->healthy == y->healthy && (!nodes || x->nodes == y->nodes);
      });
  return same;
}

v1beta1::ContainerAllocateResponse to_response(const inventory::Allocation& allocation) {
  v1beta1::ContainerAllocateResponse response;
  for (const auto& [name, value] : allocation.envs) (*response.mutable_envs())[name] = value;
  for (const auto& [name, value] : allocation.annotations) {
    (*response.mutable_annotations())[name] = value;
  }
  for (const inventory::AllocatedMount& from : allocation.mounts) {
    v1beta1::Mount& mount = *response.add_mounts();
    mount.set_container_path(from.container_path);
    mount.set_host_path(from.host_path);
    mount.set_read_only(from.read_only);
  }
  for (const inventory::AllocatedDevice& from : allocation.devices) {
    v1beta1::DeviceSpec& device = *response.add_devices();
    device.set_container_path(from.container_path);
    device.set_host_path(from.host_path);
    device.set_permissions(from.permissions);
  }
  for (const std::string& name : allocation.cdi_devices) response.add_cdi_devices()->set_name(name);
  return response;
}

v1beta1::DevicePluginOptions plugin_options(const inventory::Snapshot& snapshot) {
  const auto& resource = *snapshot.resource;
  v1beta1::DevicePluginOptions options;
  options.set_pre_start_required(resource.has_pre_start_steps());
  options.set_get_preferred_allocation_available(resource.choice_matters());
  return options;
}

bool same_plugin_options(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  return plugin_options(a).SerializeAsString() == plugin_options(b).SerializeAsString();
}

std::string format_ids(const std::vector<std::string>& ids) {
  if (ids.size() <= kMaxLoggedIds) return join(ids, ",");
  return join(std::span(ids).first(kMaxLoggedIds), ",") +
         fmt::format(",… and {} more", ids.size() - kMaxLoggedIds);
}

}  // namespace patchbay::plugin
