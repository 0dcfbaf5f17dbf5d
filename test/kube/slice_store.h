#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/whole_number.h"
#include "kube/slice.h"

namespace patchbay::kube {

/// The pool of all tests.
inline const Pool kPool{.driver = "patchbay.lab.example.com", .node = "node-1"};

/// The ResourceSlices of an API server. It executes request bodies, checks versions like the
/// server, and records the events of a watch. One thread.
class SliceStore {
 public:
  struct Reply {
    int status = 0;
    Json body;
  };
  struct Event {
    uint64_t version = 0;
    Json json;  ///< type and object
  };

  /// A field of devices that the server does not know, and drops.
  std::string unknown_field;

  Reply create(const std::string& body) {
    Json object = Json::parse(body);
    std::string name = object["metadata"]["generateName"];
    name.resize(std::min<size_t>(name.size(), 58));
    // Like the random characters, the number does not follow the order of creation.
    std::string random = std::to_string(10000 + (version_ + 1) * 7919 % 90000);
    object["metadata"]["name"] = name + random;
    object["metadata"]["uid"] = "uid-" + std::to_string(version_ + 1);
    return store("ADDED", std::move(object));
  }

  Reply replace(const std::string& name, const std::string& body) {
    if (!objects_.contains(name)) return refuse(404, "resourceslices \"" + name + "\" not found");
    Json object = Json::parse(body);
    if (object["metadata"]["resourceVersion"] != objects_[name]["metadata"]["resourceVersion"]) {
      return refuse(409, "the object has been modified");
    }
    return store("MODIFIED", std::move(object));
  }

  /// `body` "": without preconditions, as another program deletes.
  Reply remove(const std::string& name, const std::string& body = "") {
    const auto found = objects_.find(name);
    if (found == objects_.end()) return refuse(404, "resourceslices \"" + name + "\" not found");
    Json object = found->second;
    if (!body.empty()) {
      const Json conditions = Json::parse(body)["preconditions"];
      for (const char* key : {"uid", "resourceVersion"}) {
        if (conditions[key] != object["metadata"][key]) return refuse(409, "precondition failed");
      }
    }
    objects_.erase(found);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    events_.push_back({version_, {{"type", "DELETED"}, {"object", object}}});
    return {200, std::move(object)};
  }

  /// Another program changes a field that is not ours.
  void touch(const std::string& name) {
    Json object = objects_.at(name);
    object["metadata"]["labels"]["touched"] = std::to_string(version_);
    store("MODIFIED", std::move(object));
  }

  /// The slices of a driver; of all drivers without a name.
  [[nodiscard]] Json list(const std::string& driver = {}) const {
    Json items = Json::array();
    for (const auto& [name, object] : objects_) {
      if (driver.empty() || object["spec"]["driver"] == driver) items.push_back(object);
    }
    return {{"kind", "ResourceSliceList"},
            {"metadata", {{"resourceVersion", std::to_string(version_)}}},
            {"items", std::move(items)}};
  }

  [[nodiscard]] uint64_t version() const { return version_; }
  [[nodiscard]] const std::map<std::string, Json>& objects() const { return objects_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

  static Reply refuse(int status, const std::string& message) {
    return {status, {{"kind", "Status"}, {"code", status}, {"message", message}}};
  }

 private:
  Reply store(const char* type, Json object) {
    Json& devices = object["spec"]["devices"];
    if (devices.size() > 64) return refuse(422, "spec.devices: must have at most 64 items");
    for (Json& device : devices) device.erase(unknown_field);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    object["metadata"]["managedFields"] = Json::array({{{"manager", "patchbay-kube"}}});
    const std::string name = object["metadata"]["name"];
    objects_[name] = object;
    events_.push_back({version_, {{"type", type}, {"object", object}}});
    return {type == std::string("ADDED") ? 201 : 200, std::move(object)};
  }

  uint64_t version_ = 100;
  std::map<std::string, Json> objects_;
  std::vector<Event> events_;
};

}  // namespace patchbay::kube
