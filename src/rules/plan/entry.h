#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/facts.h"
#include "rules/plan/node_access.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// How often an entry is added to a container. This follows from the variables in its texts.
struct Multiplicity {
  bool per_unit = false;              ///< Once per unit. False: once per container.
  bool shares = false;                ///< Once per share of the unit that the container has.
  bool matched = false;               ///< Once per matched device of the unit.
  std::vector<std::string> members;   ///< Once per device of each of these members. Sorted.
  std::vector<std::string> required;  ///< Omitted if one of these members has no device. Sorted.

  /// The multiplicity of all texts together.
  [[nodiscard]] static Multiplicity of(std::span<const Template* const> texts);
  friend bool operator==(const Multiplicity&, const Multiplicity&) = default;
};

/// Whether the text is the same for all units that a container can get by one ResourceClaim.
[[nodiscard]] bool is_same_for_all_units(const Template& text);

/// A compiled item of `devices`.
struct DeviceEntry {
  /// Null if the entry stands for the device nodes of the matched devices, or of the devices of
  /// `member`. Devices without a node are skipped. A group without `devices` has such an entry by
  /// default.
  std::optional<Template> host_path;
  std::string member;                      ///< If host_path is null. Empty: the matched devices.
  std::optional<Template> container_path;  ///< Null: same path as on the host.
  std::string permissions = "rw";
  NodeAccess access{};    ///< Node access in the CDI spec.
  bool links = false;     ///< The node also appears at the path of each udev link of the device.
  bool optional = false;  ///< Omitted if the host path does not exist.
  Multiplicity multiplicity;

  /// Returns the default entry: the nodes of the matched devices, or of the member with this name.
  [[nodiscard]] static DeviceEntry own_nodes(std::string member);

  /// Returns the text that identifies a series for `$(slot)`. In a container, entries with the same
  /// text get the slots 0, 1, 2 and so on.
  [[nodiscard]] const std::string& series() const;
  /// Adds the facts that the entry needs of one device: see Template::want().
  void want(WantedFacts& wanted, std::string_view of) const;
  friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

/// A compiled item of `mounts`.
struct MountEntry {
  Template host_path;
  std::optional<Template> container_path;  ///< Null: same path as on the host.
  bool read_only = true;
  bool optional = false;  ///< Omitted if the host path does not exist.
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const;
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const MountEntry&, const MountEntry&) = default;
};

/// A compiled item of `envs`.
struct EnvEntry {
  Template name;
  Template value;
  std::string join = ",";  ///< Separator of several values under one name.
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const EnvEntry&, const EnvEntry&) = default;
};

/// A compiled item of `annotations`.
struct AnnotationEntry {
  Template name;
  Template value;
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const;
  friend bool operator==(const AnnotationEntry&, const AnnotationEntry&) = default;
};

/// A compiled name in `cdi`.
struct CdiEntry {
  Template name;  ///< "vendor.com/class=device"
  Multiplicity multiplicity;

  [[nodiscard]] const std::string& series() const { return name.text(); }
  void want(WantedFacts& wanted, std::string_view member) const { name.want(wanted, member); }
  friend bool operator==(const CdiEntry&, const CdiEntry&) = default;
};

/// Compile one item. Report every mistake, and then return null.
[[nodiscard]] std::optional<DeviceEntry> compile_entry(const config::DeviceEntrySpec& spec,
                                                       const TemplateRules& rules, EditsIn edits_in,
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
/// Compiles the qualified name of a CDI device.
[[nodiscard]] std::optional<CdiEntry> compile_cdi_name(const config::Located<std::string>& written,
                                                       const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
