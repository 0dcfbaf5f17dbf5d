#include "driver/claim_record.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::driver {
namespace {

/// The format of the files. Added fields do not change it: older programs keep them.
constexpr int kFormat = 1;
constexpr size_t kMaxUidBytes = 64;

Json node_record(const inventory::AllocatedDevice& node) {
  Json json{{"hostPath", node.host_path},
            {"containerPath", node.container_path},
            {"permissions", node.permissions}};
  if (node.access.mode) json["mode"] = *node.access.mode;
  if (node.access.uid) json["uid"] = *node.access.uid;
  if (node.access.gid) json["gid"] = *node.access.gid;
  return json;
}

Json mount_record(const inventory::AllocatedMount& mount) {
  return {{"hostPath", mount.host_path},
          {"containerPath", mount.container_path},
          {"readOnly", mount.read_only}};
}

Json step_record(const Step& step) {
  return {{"kind", word_of(step.kind)},
          {"arguments", step.arguments},
          {"path", step.path},
          {"value", step.value},
          {"limitMs", step.limit.count()}};
}

template <typename Item>
Json list_record(const std::vector<Item>& items, Json (*record_of)(const Item&)) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(record_of(item));
  return list;
}

Json pod_record(const ClaimPod& pod) { return {{"name", pod.name}, {"uid", pod.uid}}; }

Json device_record(const RecordedDevice& device) {
  Json json{{"request", device.request},
            {"pool", device.pool},
            {"device", device.device},
            {"resource", device.resource},
            {"unit", device.unit},
            {"adminAccess", device.admin_access},
            {"published", device.published},
            {"keys", device.keys},
            {"nodes", list_record(device.nodes, node_record)},
            {"mounts", list_record(device.mounts, mount_record)},
            {"cdiNames", device.cdi_names},
            {"steps", list_record(device.steps, step_record)},
            {"release", list_record(device.release, step_record)}};
  json.update(device.unknown);
  return json;
}

/// Moves a field out of an object, so that unknown fields are left at the end. Throws an exception
/// if the field is missing or has another type.
template <typename Value>
Value take(Json& object, const char* field) {
  const Json json = object.at(field);
  object.erase(field);
  return json.get<Value>();
}

template <typename Enum>
Enum take_word(Json& object, const char* field) {
  const auto word = take<std::string>(object, field);
  if (const auto value = from_word<Enum>(word)) return *value;
  throw std::invalid_argument(fmt::format("unknown {} '{}'", field, printable(word, kMaxShown)));
}

std::optional<uint32_t> take_optional(Json& object, const char* field) {
  if (!object.contains(field)) return std::nullopt;
  return take<uint32_t>(object, field);
}

std::chrono::milliseconds take_milliseconds(Json& object, const char* field) {
  return std::chrono::milliseconds(take<int64_t>(object, field));
}

template <typename Item>
std::vector<Item> take_list(Json& object, const char* field, Item (*read)(Json)) {
  std::vector<Item> items;
  for (auto& json : take<std::vector<Json>>(object, field)) items.push_back(read(std::move(json)));
  return items;
}

inventory::AllocatedDevice read_node(Json json) {
  return {.host_path = take<std::string>(json, "hostPath"),
          .container_path = take<std::string>(json, "containerPath"),
          .permissions = take<std::string>(json, "permissions"),
          .access = {.mode = take_optional(json, "mode"),
                     .uid = take_optional(json, "uid"),
                     .gid = take_optional(json, "gid")}};
}

inventory::AllocatedMount read_mount(Json json) {
  return {.host_path = take<std::string>(json, "hostPath"),
          .container_path = take<std::string>(json, "containerPath"),
          .read_only = take<bool>(json, "readOnly")};
}

Step read_step(Json json) {
  return {.kind = take_word<Step::Kind>(json, "kind"),
          .arguments = take<std::vector<std::string>>(json, "arguments"),
          .path = take<std::string>(json, "path"),
          .value = take<std::string>(json, "value"),
          .limit = take_milliseconds(json, "limitMs")};
}

ClaimPod read_pod(Json json) {
  return {.name = take<std::string>(json, "name"), .uid = take<std::string>(json, "uid")};
}

RecordedDevice read_device(Json json) {
  RecordedDevice device{.request = take<std::string>(json, "request"),
                        .pool = take<std::string>(json, "pool"),
                        .device = take<std::string>(json, "device"),
                        .resource = take<std::string>(json, "resource"),
                        .unit = take<std::string>(json, "unit"),
                        .admin_access = take<bool>(json, "adminAccess"),
                        .published = take<Json>(json, "published"),
                        .keys = take<std::vector<std::string>>(json, "keys"),
                        .nodes = take_list(json, "nodes", read_node),
                        .mounts = take_list(json, "mounts", read_mount),
                        .cdi_names = take<std::vector<std::string>>(json, "cdiNames"),
                        .steps = take_list(json, "steps", read_step),
                        .release = take_list(json, "release", read_step)};
  // Throws an exception without a name, which slices need.
  static_cast<void>(device.published.at("name").get_ref<const std::string&>());
  device.unknown = std::move(json);
  return device;
}

ClaimRecord read_record(Json json) {
  ClaimRecord record{.driver = take<std::string>(json, "driver"),
                     .uid = take<std::string>(json, "uid"),
                     .name_space = take<std::string>(json, "namespace"),
                     .name = take<std::string>(json, "name"),
                     .phase = take_word<ClaimPhase>(json, "phase"),
                     .boot_id = take<std::string>(json, "bootId"),
                     .devices = take_list(json, "devices", read_device),
                     .envs = take<EnvsByRequest>(json, "envs"),
                     .claim = take<std::string>(json, "claim"),
                     .pods = take_list(json, "pods", read_pod),
                     .release_timeout = take_milliseconds(json, "releaseTimeoutMs"),
                     .release_since = std::chrono::system_clock::time_point(
                         take_milliseconds(json, "releaseSinceMs")),
                     .failure = take<std::string>(json, "failure")};
  record.unknown = std::move(json);
  return record;
}

}  // namespace

bool is_claim_uid(std::string_view text) {
  return !text.empty() && text.size() <= kMaxUidBytes && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

std::string claim_text(const std::string& name_space, const std::string& name) {
  return fmt::format("ResourceClaim {}/{}", printable(name_space), printable(name));
}

std::string to_text(const ClaimRecord& record) {
  const auto release_since = std::chrono::floor<std::chrono::milliseconds>(record.release_since);
  Json json{{"version", kFormat},
            {"driver", record.driver},
            {"uid", record.uid},
            {"namespace", record.name_space},
            {"name", record.name},
            {"phase", word_of(record.phase)},
            {"bootId", record.boot_id},
            {"devices", list_record(record.devices, device_record)},
            {"envs", record.envs},
            {"claim", record.claim},
            {"pods", list_record(record.pods, pod_record)},
            {"releaseTimeoutMs", record.release_timeout.count()},
            {"releaseSinceMs", release_since.time_since_epoch().count()},
            {"failure", record.failure}};
  json.update(record.unknown);
  return json_text(json);
}

Result<ClaimRecord> read_claim_record(std::string_view text) {
  try {
    Json json = Json::parse(text);
    const int version = take<int>(json, "version");
    if (version > kFormat) {
      return std::unexpected(
          Error{fmt::format("format {} is newer than this program, which reads {}; "
                            "run the newer version of Patchbay",
                            version, kFormat),
                kNewerFormat});
    }
    if (version < kFormat) return fail(fmt::format("unknown format {}", version));
    return read_record(std::move(json));
  } catch (const std::exception& malformed) {
    return fail(fmt::format("malformed ({})", printable(malformed.what())));
  }
}

}  // namespace patchbay::driver
