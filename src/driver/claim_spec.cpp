#include "driver/claim_spec.h"

#include <utility>

#include "base/json_text.h"
#include "paths/host_root.h"
#include "specs/spec_directory.h"

namespace patchbay::driver {
namespace {

constexpr std::string_view kClass = "/claim";
/// The minor version of CDI in which a device's name can begin with a digit, as most uids do.
constexpr int kNamesWithDigitFirst = 5;
/// More than 32 devices, the limit of Kubernetes, can need.
constexpr size_t kMaxSpecBytes = size_t{16} << 20U;

std::string kind_of(const ClaimRecord& record) { return record.driver + std::string(kClass); }

std::string request_name(const ClaimRecord& record, const std::string& request) {
  return record.uid + '-' + request;
}

std::string device_name(const ClaimRecord& record, const RecordedDevice& device) {
  return request_name(record, device.request) + '_' + device.device;
}

std::string spec_path(const std::string& directory, std::string_view uid) {
  return directory + '/' + claim_spec_name(uid);
}

bool has_edits(const RecordedDevice& device) {
  return !device.nodes.empty() || !device.mounts.empty();
}

/// Returns null if the request has no variables.
const std::map<std::string, std::string>* envs_of(const ClaimRecord& record,
                                                  const std::string& request) {
  const auto found = record.envs.find(request);
  return found == record.envs.end() || found->second.empty() ? nullptr : &found->second;
}

Json envs_json(const std::map<std::string, std::string>& envs) {
  Json list = Json::array();
  for (const auto& [name, value] : envs) list.push_back(name + '=' + value);
  return {{"env", std::move(list)}};
}

}  // namespace

std::vector<std::string> cdi_ids(const ClaimRecord& record, const RecordedDevice& device) {
  const std::string prefix = kind_of(record) + '=';
  std::vector<std::string> ids;
  if (has_edits(device)) ids.push_back(prefix + device_name(record, device));
  ids.insert(ids.end(), device.cdi_names.begin(), device.cdi_names.end());
  if (envs_of(record, device.request) != nullptr) {
    ids.push_back(prefix + request_name(record, device.request));
  }
  return ids;
}

std::optional<std::string> claim_spec(const ClaimRecord& record,
                                      const specs::ResolveLinks& resolve) {
  specs::CdiVersion version;
  version.require(kNamesWithDigitFirst);
  Json devices = Json::array();
  const auto add = [&](std::string name, Json edits) {
    devices.push_back({{"name", std::move(name)}, {"containerEdits", std::move(edits)}});
  };
  for (const RecordedDevice& device : record.devices) {
    if (!has_edits(device)) continue;
    inventory::Allocation given;
    given.devices = device.nodes;
    given.mounts = device.mounts;
    add(device_name(record, device), specs::edits_json(given, resolve, version));
  }
  for (const auto& [request, envs] : record.envs) {
    if (!envs.empty()) add(request_name(record, request), envs_json(envs));
  }
  if (devices.empty()) return std::nullopt;
  return json_text(
      {{"cdiVersion", version.text()}, {"kind", kind_of(record)}, {"devices", std::move(devices)}});
}

std::string claim_spec_name(std::string_view uid) {
  return "patchbay-claim-" + std::string(uid) + ".json";
}

Result<void> write_claim_spec(const std::string& directory, const ClaimRecord& record,
                              const specs::ResolveLinks& resolve) {
  const auto spec = claim_spec(record, resolve);
  if (!spec) return remove_claim_spec(directory, record.uid);
  return specs::write_spec_file({spec_path(directory, record.uid), *spec});
}

std::optional<ClaimSpecNames> read_claim_spec(const std::string& directory, std::string_view uid) {
  const auto text = paths::HostRoot().read_file(spec_path(directory, uid), kMaxSpecBytes);
  if (!text) return std::nullopt;
  try {
    const Json spec = Json::parse(*text);
    const auto kind = spec.at("kind").get<std::string>();
    if (!kind.ends_with(kClass)) return std::nullopt;
    ClaimSpecNames names{.driver = kind.substr(0, kind.size() - kClass.size()), .devices = {}};
    for (const Json& device : spec.at("devices")) {
      const auto name = device.at("name").get<std::string>();
      const size_t separator = name.find('_');
      if (separator != std::string::npos) names.devices.push_back(name.substr(separator + 1));
    }
    return names;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Result<void> remove_claim_spec(const std::string& directory, std::string_view uid) {
  return specs::remove_spec_file(spec_path(directory, uid));
}

}  // namespace patchbay::driver
