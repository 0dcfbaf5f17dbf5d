#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace patchbay::kube {

/// JSON with sorted keys, so that two objects with equal fields have equal texts.
using Json = nlohmann::json;

/// The field of a JSON object, or null if `json` is not an object or lacks the field.
[[nodiscard]] const Json& field(const Json& json, std::string_view key);
/// The text of a field; "" if the field is absent or not a string.
[[nodiscard]] std::string text_field(const Json& json, std::string_view key);

/// metadata.resourceVersion, which Kubernetes 1.35 defines as a number; 0: absent.
[[nodiscard]] uint64_t version_of(const Json& object);

/// Whether the text is a name of Kubernetes (DNS subdomain), so that it cannot change a path.
[[nodiscard]] bool is_object_name(std::string_view text);

/// The pool that this program owns. It is named like the node.
struct Pool {
  std::string driver;
  std::string node;
};

/// A ResourceSlice as the server has it.
struct Slice {
  std::string name;
  std::string uid;
  uint64_t version = 0;  ///< See version_of().
  std::string pool;
  int64_t generation = 0;
  int64_t count = 0;    ///< resourceSliceCount.
  std::string devices;  ///< The array as JSON text with sorted keys.
  std::string object;   ///< The other fields, without managedFields, as JSON text.
};

/// Reads the answer or the event of the server. Returns nullopt if a field is absent that every
/// stored ResourceSlice has.
[[nodiscard]] std::optional<Slice> parse_slice(Json object);

/// The index that starts a name made by create_body(); nullopt: another program made the name.
[[nodiscard]] std::optional<size_t> index_of(std::string_view name);

/// The fields that a write sets. `devices` is an array as JSON text.
struct Content {
  size_t index = 0;
  int64_t generation = 0;
  int64_t count = 0;
  std::string devices;
};

/// The object that creates a slice. The Node owns it, so Kubernetes deletes it with the Node.
[[nodiscard]] std::string create_body(const Pool& pool, const std::string& node_uid,
                                      const Content& content);
/// The object that replaces `stored`, with the fields that this program does not know.
[[nodiscard]] std::string update_body(const Slice& stored, const Content& content);
/// The options of a deletion that fails if the slice is not `stored` any more.
[[nodiscard]] std::string delete_body(const Slice& stored);

/// Adds the fields of `sent` that `stored` lacks, such as "spec.devices[].taints". Without an
/// error, the server drops the fields of features that are switched off. `path`: where both values
/// are.
void find_dropped(const Json& sent, const Json& stored, const std::string& path,
                  std::set<std::string>& dropped);

}  // namespace patchbay::kube
