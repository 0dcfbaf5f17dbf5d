#include "kube/slice.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::kube {
namespace {

constexpr size_t kIndexDigits = 5;
/// The server cuts a generateName after this many characters, and appends five random ones.
constexpr size_t kMaxGenerateName = 58;

void fill(Json& spec, const Content& content) {
  spec["pool"]["generation"] = content.generation;
  spec["pool"]["resourceSliceCount"] = content.count;
  spec["devices"] = Json::parse(content.devices);
}

}  // namespace

const Json& field(const Json& json, std::string_view key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string text_field(const Json& json, std::string_view key) {
  const Json& value = field(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

uint64_t version_of(const Json& object) {
  const std::string text = text_field(field(object, "metadata"), "resourceVersion");
  return parse_whole<uint64_t>(text).value_or(0);
}

bool is_object_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  return !text.empty() && text.size() <= 253 && text.front() != '.' && text.front() != '-' &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<Slice> parse_slice(Json object) {
  const Json& metadata = field(object, "metadata");
  const Json& spec = field(object, "spec");
  const Json& pool = field(spec, "pool");
  Slice slice;
  slice.name = text_field(metadata, "name");
  slice.uid = text_field(metadata, "uid");
  slice.version = version_of(object);
  if (slice.name.empty() || slice.uid.empty() || slice.version == 0 || !pool.is_object()) {
    return std::nullopt;
  }
  slice.pool = text_field(pool, "name");
  slice.generation = pool.value("generation", int64_t{0});
  slice.count = pool.value("resourceSliceCount", int64_t{0});
  const Json& devices = field(spec, "devices");
  slice.devices = devices.is_array() ? devices.dump() : "[]";
  object["metadata"].erase("managedFields");
  object["spec"].erase("devices");  // update_body() replaces them.
  slice.object = object.dump();
  return slice;
}

std::optional<size_t> index_of(std::string_view name) {
  const size_t end = name.find('-');
  if (end == std::string_view::npos || end < kIndexDigits) return std::nullopt;
  if (name.find_first_not_of(kHexDigits) != end) return std::nullopt;
  return parse_whole<size_t>(name.substr(0, end), 16);
}

std::string create_body(const Pool& pool, const std::string& node_uid, const Content& content) {
  std::string prefix = fmt::format("{:05x}-{}-{}-", content.index, pool.driver, pool.node);
  prefix.resize(std::min(prefix.size(), kMaxGenerateName));
  const Json owner = {{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"name", pool.node},
                      {"uid", node_uid},
                      {"controller", true}};
  Json object = {
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "ResourceSlice"},
      {"metadata", {{"generateName", prefix}, {"ownerReferences", Json::array({owner})}}},
      {"spec", {{"driver", pool.driver}, {"nodeName", pool.node}, {"pool", {{"name", pool.node}}}}},
  };
  fill(object["spec"], content);
  return object.dump();
}

std::string update_body(const Slice& stored, const Content& content) {
  Json object = Json::parse(stored.object);
  fill(object["spec"], content);
  return object.dump();
}

std::string delete_body(const Slice& stored) {
  return Json{
      {"apiVersion", "v1"},
      {"kind", "DeleteOptions"},
      {"preconditions", {{"uid", stored.uid}, {"resourceVersion", std::to_string(stored.version)}}}}
      .dump();
}

void find_dropped(const Json& sent, const Json& stored, const std::string& path,
                  std::set<std::string>& dropped) {
  if (stored.is_null()) {
    dropped.insert(path);
  } else if (sent.is_object()) {
    for (const auto& [key, value] : sent.items()) {
      find_dropped(value, field(stored, key), path + "." + key, dropped);
    }
  } else if (sent.is_array()) {
    for (size_t i = 0; i < std::min(sent.size(), stored.size()); ++i) {
      find_dropped(sent[i], stored[i], path + "[]", dropped);
    }
  }
}

}  // namespace patchbay::kube
