#include "pods/pod_list.h"

#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "proto/podresources_v1.pb.h"

namespace patchbay::pods {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

class PodListReader {
 public:
  PodListReader(CodedInputStream& in, const ResourceNames& resources)
      : in_(in), resources_(resources) {}

  Result<std::vector<DeviceAllocation>> read() {
    const bool whole = fields([this](int number, int) {
      return number != v1::ListPodResourcesResponse::kPodResourcesFieldNumber || pod();
    });
    if (!fault_.empty()) return fail(fault_);
    if (!whole) return fail("it cannot be read");
    return std::move(allocations_);
  }

 private:
  using Pod = v1::PodResources;
  using ContainerOfPod = v1::ContainerResources;
  using Devices = v1::ContainerDevices;

  /// A device of a container before the name of its Pod is known, which may come last.
  struct Found {
    std::string container;
    std::string resource;
    std::string device;
  };

  bool pod() {
    std::string name;
    std::string its_namespace;
    std::vector<Found> found;
    const bool whole = fields([&](int number, int length) {
      if (number == Pod::kNameFieldNumber) return text(name, length);
      if (number == Pod::kNamespaceFieldNumber) return text(its_namespace, length);
      return number != Pod::kContainersFieldNumber || container(found);
    });
    if (!whole) return false;
    std::shared_ptr<const observe::Container> last;
    for (Found& one : found) {
      if (!last || last->name != one.container) {
        last = std::make_shared<const observe::Container>(observe::Container{
            .pod_namespace = its_namespace, .pod = name, .name = std::move(one.container)});
      }
      allocations_.push_back({.resource = std::move(one.resource),
                              .device = std::move(one.device),
                              .container = last});
    }
    return true;
  }

  bool container(std::vector<Found>& found) {
    const size_t first = found.size();
    std::string name;
    const bool whole = fields([&](int number, int length) {
      if (number == ContainerOfPod::kNameFieldNumber) return text(name, length);
      return number != ContainerOfPod::kDevicesFieldNumber || devices(found);
    });
    for (size_t i = first; i < found.size(); ++i) found[i].container = name;
    return whole;
  }

  bool devices(std::vector<Found>& found) {
    std::string resource;
    const size_t first = found.size();
    const bool whole = fields([&](int number, int length) {
      if (number == Devices::kResourceNameFieldNumber) return text(resource, length);
      if (number != Devices::kDeviceIdsFieldNumber) return true;
      if (found.size() + allocations_.size() >= kMaxAllocations + kMaxOfOtherResources)
        return too_many();
      return text(found.emplace_back().device, length);
    });
    if (!resources_.contains(resource)) {
      found.resize(first);
    } else {
      for (size_t i = first; i < found.size(); ++i) found[i].resource = resource;
      if (found.size() + allocations_.size() > kMaxAllocations) return too_many();
    }
    return whole;
  }

  bool too_many() {
    fault_ = fmt::format("it lists more than {} devices", kMaxAllocations);
    return false;
  }

  bool text(std::string& value, int length) {
    if (static_cast<size_t>(length) <= kMaxNameBytes) return in_.ReadString(&value, length);
    fault_ = fmt::format("it has a name of {} bytes; the limit is {}", length, kMaxNameBytes);
    return false;
  }

  /// Calls `on_field` for each length-delimited field; it may leave bytes of the field unread.
  /// False: the message is truncated, or `on_field` returned false.
  template <typename OnField>
  bool fields(const OnField& on_field) {
    while (const uint32_t tag = in_.ReadTag()) {
      if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
        if (!WireFormatLite::SkipField(&in_, tag)) return false;
        continue;
      }
      int length = 0;
      if (!in_.ReadVarintSizeAsInt(&length)) return false;
      const int room = in_.BytesUntilLimit();
      if (room >= 0 && length > room) return false;
      const auto limit = in_.PushLimit(length);
      if (!on_field(WireFormatLite::GetTagFieldNumber(tag), length)) return false;
      if (!in_.Skip(in_.BytesUntilLimit())) return false;
      in_.PopLimit(limit);
    }
    return in_.ConsumedEntireMessage();
  }

  /// Limit for ids of one entry before its resource is known: the name may come last.
  static constexpr size_t kMaxOfOtherResources = kMaxAllocations;

  CodedInputStream& in_;
  const ResourceNames& resources_;
  std::vector<DeviceAllocation> allocations_;
  std::string fault_;
};

}  // namespace

Result<std::vector<DeviceAllocation>> read_pod_list(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ResourceNames& resources) {
  CodedInputStream in(&bytes);
  return PodListReader(in, resources).read();
}

}  // namespace patchbay::pods
