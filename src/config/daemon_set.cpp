#include "config/daemon_set.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace patchbay::config {
namespace {

/// The value at a path of keys; a null node if it is absent.
const YamlNode& value_at(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  static const YamlNode absent;
  const YamlNode* value = &node;
  for (const std::string_view key : keys) {
    if (value != nullptr) value = value_of(*value, key);
  }
  return value == nullptr ? absent : *value;
}

bool is_true(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  return value_at(node, keys).text == "true";
}

std::vector<std::string> texts_of(const YamlNode& list) {
  std::vector<std::string> texts;
  for (const YamlNode& item : list.items) texts.push_back(item.text);
  return texts;
}

/// Without empty components and a slash at the end.
std::string normalised(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().native();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

/// The command without its program, and the arguments.
std::vector<std::string> words_of(const YamlNode& container) {
  auto words = texts_of(value_at(container, {"command"}));
  if (!words.empty()) words.erase(words.begin());
  std::ranges::move(texts_of(value_at(container, {"args"})), std::back_inserter(words));
  return words;
}

/// The name of the command's program, else of the image.
std::string program_of(const YamlNode& container) {
  const auto& command = value_at(container, {"command"}).items;
  const std::string whole = command.empty() ? text_of(container, "image") : command.front().text;
  const std::string name = whole.substr(whole.rfind('/') + 1);
  return command.empty() ? name.substr(0, name.find_first_of(":@")) : name;
}

bool runs_patchbay(const YamlNode& container) {
  const auto words = words_of(container);
  if (words.empty() || words.front() != "run") return false;
  const auto& mounts = value_at(container, {"volumeMounts"}).items;
  return program_of(container) == "patchbay" ||
         std::ranges::any_of(mounts, [](const YamlNode& mount) {
           return normalised(text_of(mount, "mountPath")) == "/var/lib/kubelet/device-plugins";
         });
}

std::map<std::string, std::string> arguments_of(const YamlNode& container) {
  std::map<std::string, std::string> arguments;
  const auto words = words_of(container);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals != std::string::npos) {
      arguments[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    } else if (i + 1 < words.size()) {
      arguments[words[i]] = words[i + 1];
    }
  }
  for (auto& [option, value] : arguments) {
    if (value.starts_with('/')) value = normalised(value);
  }
  return arguments;
}

std::vector<DaemonSet::Mount> mounts_of(const YamlNode& container, const YamlNode& volumes) {
  std::vector<DaemonSet::Mount> mounts;
  for (const YamlNode& mount : value_at(container, {"volumeMounts"}).items) {
    const auto volume = std::ranges::find_if(volumes.items, [&](const YamlNode& one) {
      return text_of(one, "name") == text_of(mount, "name");
    });
    std::string host;
    if (volume != volumes.items.end()) host = value_at(*volume, {"hostPath", "path"}).text;
    mounts.push_back({.path = normalised(text_of(mount, "mountPath")),
                      .writable = !is_true(mount, {"readOnly"}),
                      .host_path = normalised(host)});
  }
  return mounts;
}

}  // namespace

std::optional<DaemonSet> read_daemon_set(const YamlNode& manifest) {
  const YamlNode& pod = value_at(manifest, {"spec", "template", "spec"});
  const auto& containers = value_at(pod, {"containers"}).items;
  const auto container = std::ranges::find_if(containers, runs_patchbay);
  if (container == containers.end()) return std::nullopt;
  const YamlNode& volumes = value_at(pod, {"volumes"});
  DaemonSet daemons{.name = value_at(manifest, {"metadata", "name"}).text,
                    .name_space = value_at(manifest, {"metadata", "namespace"}).text,
                    .container = text_of(*container, "name"),
                    .mounts = mounts_of(*container, volumes),
                    .has_volumes = true,
                    .arguments = arguments_of(*container),
                    .privileged = is_true(*container, {"securityContext", "privileged"}),
                    .host_network = is_true(pod, {"hostNetwork"}),
                    .host_pid = is_true(pod, {"hostPID"}),
                    .has_token = value_at(pod, {"automountServiceAccountToken"}).text != "false"};
  for (const YamlNode& volume : volumes.items) {
    daemons.config_maps.push_back(value_at(volume, {"configMap", "name"}).text);
  }
  for (const YamlNode& variable : value_at(*container, {"env"}).items) {
    daemons.variables.push_back(text_of(variable, "name"));
  }
  const YamlNode& added = value_at(*container, {"securityContext", "capabilities", "add"});
  daemons.capabilities = texts_of(added);
  return daemons;
}

}  // namespace patchbay::config
