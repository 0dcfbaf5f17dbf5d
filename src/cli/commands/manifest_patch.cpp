#include "cli/commands/manifest_patch.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/yaml_writer.h"
#include "rules/needs/granted.h"

namespace patchbay::cli {
namespace {

using NeedKind = rules::Need::Kind;

/// A volume with a path of the host.
struct HostVolume {
  std::string name;
  std::string path;
  bool writable = false;
  bool created = false;
};

/// The port that the manifest declares.
constexpr int kDeclaredPort = 9405;

bool has_kind(std::span<const rules::Need> needs, NeedKind kind) {
  return std::ranges::find(needs, kind, &rules::Need::kind) != needs.end();
}

/// The directories, with true for those that are written; without those inside another one.
std::map<std::string, bool> directories_of(std::span<const rules::Need> needs) {
  std::map<std::string, bool> directories;
  for (const rules::Need& need : needs) {
    const bool mounted = need.kind == NeedKind::mount || need.kind == NeedKind::writable ||
                         need.kind == NeedKind::program;
    if (!mounted || need.grant.empty()) continue;
    bool& writable = directories[need.grant];
    writable = writable || need.kind == NeedKind::writable;
  }
  std::map<std::string, bool> kept;
  for (const auto& [path, writable] : directories) {
    // A directory precedes its content in the order.
    const bool brought = std::ranges::any_of(kept, [&](const auto& other) {
      return rules::is_within(path, other.first) && (other.second || !writable);
    });
    if (!brought) kept.emplace(path, writable);
  }
  return kept;
}

/// Volumes in the comments of the manifest keep their names; others get names that differ from
/// those of the manifest.
HostVolume volume_of(const std::string& path, bool writable) {
  HostVolume volume{.name = "host", .path = path, .writable = writable};
  if (path == rules::kCdiDirectory) volume.name = "cdi";
  if (path == rules::kDeviceInfoDirectory) volume.name = "devinfo";
  volume.created = volume.name != "host";
  if (volume.created) return volume;
  constexpr size_t kMaxVolumeName = 50;  // Kubernetes allows 63; the rest is for a number.
  for (const char c : path) {
    if (is_alphanumeric(c)) {
      volume.name += ascii_lower(c);
    } else if (volume.name.back() != '-') {
      volume.name += '-';
    }
  }
  volume.name.resize(std::min(volume.name.size(), kMaxVolumeName));
  while (volume.name.back() == '-') volume.name.pop_back();
  return volume;
}

/// A path that runtimes hide at its own location is mounted elsewhere: /host/sys/firmware.
std::string path_on_host(const std::string& path) {
  constexpr std::string_view kHost = "/host";
  const std::string_view rest = std::string_view(path).substr(std::min(path.size(), kHost.size()));
  const bool moved = rules::is_within(path, kHost) &&
                     (rules::is_within(rest, "/proc") || rules::is_within(rest, "/sys"));
  return moved ? std::string(rest) : path;
}

void add_mounts(std::span<const rules::Need> needs, Json& container, Json& pod) {
  std::set<std::string> names;
  for (const auto& [path, writable] : directories_of(needs)) {
    HostVolume volume = volume_of(path, writable);
    const std::string name = volume.name;
    for (int i = 2; !names.insert(volume.name).second; ++i) {
      volume.name = name + "-" + std::to_string(i);
    }
    Json mount{{"name", volume.name}, {"mountPath", volume.path}};
    if (!volume.writable) mount["readOnly"] = true;
    container["volumeMounts"].push_back(std::move(mount));
    Json host_path{{"path", path_on_host(volume.path)}};
    if (volume.created) host_path["type"] = "DirectoryOrCreate";
    pod["volumes"].push_back(Json{{"name", volume.name}, {"hostPath", std::move(host_path)}});
  }
}

void add_variables(std::span<const rules::Need> needs, Json& container) {
  std::set<std::string> names;
  for (const rules::Need& need : needs) {
    if (need.kind != NeedKind::variable || !names.insert(need.grant).second) continue;
    container["env"].push_back(Json{{"name", need.grant}, {"value", "CHANGE-ME"}});
  }
}

}  // namespace

Json manifest_patch(std::span<const rules::Need> needs,
                    std::span<const config::DaemonSet> daemons) {
  Json pod = Json::object();
  Json container = Json::object();
  if (has_kind(needs, NeedKind::host_network)) {
    pod["hostNetwork"] = true;
    pod["dnsPolicy"] = "ClusterFirstWithHostNet";
    // With the host's network, a declared port becomes a port of the node. Then the scheduler could
    // not place the new Pod of a rolling update beside the old one.
    container["ports"] = Json::array({{{"$patch", "delete"}, {"containerPort", kDeclaredPort}}});
  }
  if (has_kind(needs, NeedKind::host_pid)) pod["hostPID"] = true;
  add_variables(needs, container);
  if (has_kind(needs, NeedKind::privileged)) {
    container["securityContext"] = {{"privileged", true}, {"allowPrivilegeEscalation", true}};
  } else if (has_kind(needs, NeedKind::net_admin)) {
    container["securityContext"] = {{"capabilities", {{"add", Json::array({"NET_ADMIN"})}}}};
  }
  Json volumes = Json::object();
  add_mounts(needs, container, volumes);
  if (!container.empty()) {
    const auto& first = daemons.empty() ? rules::manifest_daemon_set() : daemons.front();
    Json named{{"name", first.container}};
    named.update(container);
    pod["containers"] = Json::array({std::move(named)});
  }
  pod.update(volumes);
  if (pod.empty()) return nullptr;
  return {{"spec", {{"template", {{"spec", std::move(pod)}}}}}};
}

std::string yaml_of(const Json& json) {
  return config::write_yaml(config::yaml_tree(json), {.flow = false});
}

}  // namespace patchbay::cli
