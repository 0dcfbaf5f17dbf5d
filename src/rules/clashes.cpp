#include "rules/clashes.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/position.h"

namespace patchbay::rules {
namespace {

/// What several resources can give a container only once under one name.
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

/// One thing that a container may get.
struct Given {
  Space space = Space::env;
  const Template* name = nullptr;
  /// What it is; where it is the same, the name cannot clash. Null: it may differ each time.
  std::optional<std::string> thing;
};

/// The text, if it is the same for every unit.
std::optional<std::string> fixed(const Template& text) {
  if (!text.uses().empty()) return std::nullopt;
  return text.text();
}

/// What is at a container path. Where that is the host's path, equal paths mean equal things.
std::optional<std::string> thing_at(const std::string& kind, const Template& host,
                                    const std::optional<Template>& container) {
  if (!container || host.text() == container->text()) return kind;
  const auto path = fixed(host);
  if (!path) return std::nullopt;
  return fmt::format("{} {}", kind, *path);
}

/// Whether it is given at its own path, which is another for each device; and a device is of one
/// resource.
bool at_its_own_path(const Template& host, const std::optional<Template>& container) {
  return !container && !fixed(host);
}

void add(const GroupPlan& group, std::vector<Given>& given) {
  for (const EnvEntry& env : group.envs) {
    given.push_back({Space::env, &env.name, fixed(env.value)});
  }
  for (const AnnotationEntry& annotation : group.annotations) {
    given.push_back({Space::annotation, &annotation.name, fixed(annotation.value)});
  }
  for (const DeviceEntry& device : group.devices) {
    if (!device.host_path || at_its_own_path(*device.host_path, device.container_path)) continue;
    const Template& name = device.container_path ? *device.container_path : *device.host_path;
    given.push_back({Space::path, &name,
                     thing_at("device " + device.permissions + device.access.to_text(),
                              *device.host_path, device.container_path)});
  }
  for (const MountEntry& mount : group.mounts) {
    if (at_its_own_path(mount.host_path, mount.container_path)) continue;
    const Template& name = mount.container_path ? *mount.container_path : mount.host_path;
    given.push_back({Space::path, &name,
                     thing_at(mount.read_only ? "mount ro" : "mount rw", mount.host_path,
                              mount.container_path)});
  }
}

bool clash(const Given& a, const Given& b) {
  const bool same_thing = a.thing && a.thing == b.thing;
  return a.space == b.space && !same_thing && a.name->may_equal(*b.name);
}

class ClashFinder {
 public:
  ClashFinder(const Plan& plan, config::Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics) {
    for (const ResourcePlanPtr& resource : plan.resources) {
      auto& given = given_.emplace_back();
      for (const GroupPlan& group : resource->groups) add(group, given);
    }
  }

  void run() {
    for (size_t later = 1; later < given_.size(); ++later) {
      for (const Given& given : given_[later]) look_before(given, later);
    }
  }

 private:
  /// Warns of the first resource before that one which gives something else.
  void look_before(const Given& given, size_t later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      for (const Given& other : given_[earlier]) {
        if (!clash(given, other)) continue;
        diagnostics_.warning(
            given.name->at(),
            fmt::format("{} could give a container the same {} as {} ({})",
                        plan_.resources[later]->name, word(given.space),
                        plan_.resources[earlier]->name, place(other.name->at())),
            "the kubelet then takes one of the two; give them different names, or take care that "
            "no container asks for both resources");
        return;
      }
    }
  }

  const Plan& plan_;
  config::Diagnostics& diagnostics_;
  std::vector<std::vector<Given>> given_;  ///< By resource.
};

}  // namespace

void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics) {
  ClashFinder(plan, diagnostics).run();
}

}  // namespace patchbay::rules
