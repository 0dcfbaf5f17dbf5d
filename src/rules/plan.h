#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "config/diagnostics.h"
#include "rules/entry.h"
#include "rules/matcher.h"
#include "rules/template.h"

namespace patchbay::rules {

/// One group, compiled. Immutable data: it can be printed and compared.
struct GroupPlan {
  config::Position at;
  Matcher match;
  std::optional<Template> id;  ///< Null: default_id().
  std::vector<DeviceEntry> devices;
  std::vector<MountEntry> mounts;
  std::vector<EnvEntry> envs;                ///< In order of their names as written: the order of
  std::vector<AnnotationEntry> annotations;  ///< keys in a file means nothing.

  /// The costly facts that matching and the templates look at.
  [[nodiscard]] WantedFacts wanted() const;
  /// The id of a unit, or why there is none.
  [[nodiscard]] Result<std::string> render_id(const RenderScope& scope) const;
  /// Equal when they mean the same, wherever they stand.
  friend bool operator==(const GroupPlan& a, const GroupPlan& b);
};

/// One resource, compiled.
struct ResourcePlan {
  std::string name;  ///< Whole: "lab.example.com/ftdi-uart".
  config::Position at;
  std::string description;
  std::chrono::milliseconds settle{};
  std::chrono::milliseconds linger{};
  std::vector<GroupPlan> groups;  ///< In order: the first that matches a device has it.

  /// Equal when they mean the same, wherever they stand.
  friend bool operator==(const ResourcePlan& a, const ResourcePlan& b);
};

/// Everything a configuration says, compiled. Immutable once made; any thread may read it.
struct Plan {
  std::vector<ResourcePlan> resources;  ///< In order: the first that matches a device has it.
  std::string node;                     ///< $(node).
};

using PlanPtr = std::shared_ptr<const Plan>;

}  // namespace patchbay::rules
