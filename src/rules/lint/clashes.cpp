#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

/// Namespaces of a container in which a name can be used only once.
enum class Space { env, annotation, path };

std::string_view word(Space space) {
  switch (space) {
    case Space::env:
      return "environment variable";
    case Space::annotation:
      return "annotation";
    case Space::path:
      return "container path";
  }
  return "";
}

/// One entry that a container may get.
struct GrantedName {
  Space space = Space::env;
  const Template* name = nullptr;
  /// The content of the entry; equal contents do not clash. Null: the content can differ each time.
  std::optional<std::string> content;
};

/// The text if it is the same for every unit.
std::optional<std::string> fixed(const Template& text) {
  if (!text.uses().empty()) return std::nullopt;
  return text.text();
}

/// The content at a container path. With the host's path, equal paths have equal content.
std::optional<std::string> content_at(const std::string& kind, const Template& host,
                                      const std::optional<Template>& container) {
  if (!container || host.text() == container->text()) return kind;
  const auto path = fixed(host);
  if (!path) return std::nullopt;
  return fmt::format("{} {}", kind, *path);
}

/// Whether the entry keeps its host path, which differs for each device. A device belongs to one
/// resource.
bool keeps_host_path(const Template& host, const std::optional<Template>& container) {
  return !container && !fixed(host);
}

void add(const GroupPlan& group, std::vector<GrantedName>& granted) {
  for (const EnvEntry& env : group.envs) {
    granted.push_back({Space::env, &env.name, fixed(env.value)});
  }
  for (const AnnotationEntry& annotation : group.annotations) {
    granted.push_back({Space::annotation, &annotation.name, fixed(annotation.value)});
  }
  for (const DeviceEntry& device : group.devices) {
    if (!device.host_path || keeps_host_path(*device.host_path, device.container_path)) continue;
    const Template& name = device.container_path ? *device.container_path : *device.host_path;
    granted.push_back({Space::path, &name,
                       content_at("device " + device.permissions + device.access.to_text(),
                                  *device.host_path, device.container_path)});
  }
  for (const MountEntry& mount : group.mounts) {
    if (keeps_host_path(mount.host_path, mount.container_path)) continue;
    const Template& name = mount.container_path ? *mount.container_path : mount.host_path;
    granted.push_back({Space::path, &name,
                       content_at(mount.read_only ? "mount ro" : "mount rw", mount.host_path,
                                  mount.container_path)});
  }
}

bool clash(const GrantedName& a, const GrantedName& b) {
  const bool same_content = a.content && a.content == b.content;
  return a.space == b.space && !same_content && a.name->may_equal(*b.name);
}

class ClashFinder {
 public:
  ClashFinder(const Plan& plan, config::Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics) {
    for (const ResourcePlanPtr& resource : plan.resources) {
      auto& granted = granted_.emplace_back();
      for (const GroupPlan& group : resource->groups) add(group, granted);
    }
  }

  void run() {
    for (size_t later = 1; later < granted_.size(); ++later) {
      for (const GrantedName& granted : granted_[later]) compare_with_earlier(granted, later);
    }
  }

 private:
  /// Notes the first earlier resource that gives different content.
  void compare_with_earlier(const GrantedName& granted, size_t later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      for (const GrantedName& other : granted_[earlier]) {
        if (!clash(granted, other)) continue;
        diagnostics_.note(
            granted.name->at(),
            fmt::format("{} could give a container the same {} as {} ({})",
                        plan_.resources[later]->name, word(granted.space),
                        plan_.resources[earlier]->name, location_text(other.name->at())),
            "the kubelet then uses only one of the two; give them different names, or make sure "
            "that no container requests both resources");
        return;
      }
    }
  }

  const Plan& plan_;
  config::Diagnostics& diagnostics_;
  std::vector<std::vector<GrantedName>> granted_;  ///< Entries by resource.
};

}  // namespace

void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics) {
  ClashFinder(plan, diagnostics).run();
}

}  // namespace patchbay::rules
