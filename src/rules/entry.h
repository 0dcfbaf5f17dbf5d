#pragma once

#include <optional>
#include <string>

#include "base/facts.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/template.h"

namespace patchbay::rules {

/// One item of `devices`, compiled.
struct DeviceEntry {
  /// Without a template: the device node of the matched device, or none if it has none (the default
  /// where `devices` is not given).
  std::optional<Template> host_path;
  std::optional<Template> container_path;  ///< Null: the same path as on the host.
  std::string permissions = "rw";
  bool links = false;     ///< Also at each udev link of the device.
  bool optional = false;  ///< Left out where the host path does not exist.
  bool per_unit = true;   ///< Given for each unit; else once per container.

  /// What `$(slot)` counts the repetitions of.
  [[nodiscard]] const std::string& series() const;
  void want(WantedFacts& wanted) const;
  friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

/// One item of `mounts`, compiled.
struct MountEntry {
  Template host_path;
  std::optional<Template> container_path;  ///< Null: the same path as on the host.
  bool read_only = true;
  bool per_unit = true;

  [[nodiscard]] const std::string& series() const;
  void want(WantedFacts& wanted) const;
  friend bool operator==(const MountEntry&, const MountEntry&) = default;
};

/// One of `envs`, compiled.
struct EnvEntry {
  Template name;
  Template value;
  std::string join = ",";  ///< Between several values under one name.
  bool per_unit = true;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted) const;
  friend bool operator==(const EnvEntry&, const EnvEntry&) = default;
};

/// One of `annotations`, compiled.
struct AnnotationEntry {
  Template name;
  Template value;
  bool per_unit = true;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted) const;
  friend bool operator==(const AnnotationEntry&, const AnnotationEntry&) = default;
};

/// Each is null if something is wrong with it; every mistake is reported.
[[nodiscard]] std::optional<DeviceEntry> compile_entry(const config::DeviceEntrySpec& spec,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);
[[nodiscard]] std::optional<MountEntry> compile_entry(const config::MountSpec& spec,
                                                      const TemplateRules& rules,
                                                      config::Diagnostics& diagnostics);
[[nodiscard]] std::optional<EnvEntry> compile_entry(const config::EnvSpec& spec,
                                                    const TemplateRules& rules,
                                                    config::Diagnostics& diagnostics);
[[nodiscard]] std::optional<AnnotationEntry> compile_entry(const config::AnnotationSpec& spec,
                                                           const TemplateRules& rules,
                                                           config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
