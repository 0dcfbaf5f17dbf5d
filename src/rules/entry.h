#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/node_access.h"
#include "rules/template.h"

namespace patchbay::rules {

/// What an entry is given for, which follows from its variables.
struct Multiplicity {
  bool per_unit = false;              ///< For each unit; else once per container.
  bool shares = false;                ///< For each share of it that the container has.
  bool matched = false;               ///< For each matched device of it.
  std::vector<std::string> members;   ///< For each device of these members. Sorted.
  std::vector<std::string> required;  ///< Not at all where one of these has none. Sorted.

  /// Of all its texts.
  [[nodiscard]] static Multiplicity of(std::span<const Template* const> texts);
  friend bool operator==(const Multiplicity&, const Multiplicity&) = default;
};

/// Whether the text is the same for all units that a container can get.
[[nodiscard]] bool is_same_for_all_units(const Template& text);

/// One item of `devices`, compiled.
struct DeviceEntry {
  /// Without a template: the device node of the matched devices, or of a member's, or none if they
  /// have none (the default where `devices` is not given).
  std::optional<Template> host_path;
  std::string member;                      ///< Whose own node it is; empty: the matched devices'.
  std::optional<Template> container_path;  ///< Null: the same path as on the host.
  std::string permissions = "rw";
  NodeAccess access{};    ///< In the CDI spec.
  bool links = false;     ///< Also at each udev link of the device.
  bool optional = false;  ///< Left out where the host path does not exist.
  Multiplicity multiplicity;

  /// The default: the nodes of the matched devices, or of the member of that name.
  [[nodiscard]] static DeviceEntry own_nodes(std::string member);

  /// What `$(slot)` counts the repetitions of.
  [[nodiscard]] const std::string& series() const;
  /// Adds the facts of one thing that it needs: see Template::want().
  void want(WantedFacts& wanted, std::string_view of) const;
  friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

/// One item of `mounts`, compiled.
struct MountEntry {
  Template host_path;
  std::optional<Template> container_path;  ///< Null: the same path as on the host.
  bool read_only = true;
  bool optional = false;  ///< Left out where the host path does not exist.
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const;
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const MountEntry&, const MountEntry&) = default;
};

/// One of `envs`, compiled.
struct EnvEntry {
  Template name;
  Template value;
  std::string join = ",";  ///< Between several values under one name.
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const EnvEntry&, const EnvEntry&) = default;
};

/// One of `annotations`, compiled.
struct AnnotationEntry {
  Template name;
  Template value;
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const AnnotationEntry&, const AnnotationEntry&) = default;
};

/// One of the names in `cdi`, compiled.
struct CdiEntry {
  Template name;  ///< "vendor.com/class=device"
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const { name.want(wanted, member); }
  friend bool operator==(const CdiEntry&, const CdiEntry&) = default;
};

/// Each is null if something is wrong with it; every mistake is reported. `writes_cdi`: the group
/// has `cdi: write`.
[[nodiscard]] std::optional<DeviceEntry> compile_entry(const config::DeviceEntrySpec& spec,
                                                       const TemplateRules& rules, bool writes_cdi,
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
/// A qualified name of a CDI device, as written.
[[nodiscard]] std::optional<CdiEntry> compile_cdi_name(const config::Located<std::string>& written,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
