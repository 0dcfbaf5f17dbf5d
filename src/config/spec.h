#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "config/diagnostics.h"
#include "model/check.h"
#include "model/fact.h"

/// A configuration as written: structs with the values and positions of its keys. Only the keys and
/// the types of their values are checked. rules::compile() checks the rest and makes a Plan.
///
/// Stage: from the YAML files to a Spec. loader.h reads the files, and read_spec() makes a Spec of
/// each one with the tables in *_reader.cpp.
///
/// To add a key, add:
/// - a field for its value in this file;
/// - a row in the table of its reader (*_reader.cpp): name, help, example, default, choices,
///   whether it is required. Then write the schema: build/dev/src/patchbay schema >
///   schemas/patchbay.v1.schema.json;
/// - a field in rules/plan/plan.h, and its validation and compilation in src/rules;
/// - a case for each mistake in test/config/cases or test/rules/cases. The names that udev, the
///   generic device plugin, the SR-IOV plugin, NVIDIA's plugin or Akri use for the key go into
///   config/foreign_words.cpp;
/// - a test of its effect, in the stage that has the effect;
/// - a row in docs/configuration.md;
/// - an example with a transcript, if no example shows the key's use.
namespace patchbay::config {

/// `claim`: whether a device can be in several units.
enum class ClaimMode { exclusive, shared };

/// `prefer`: how a container's units are chosen among the free ones.
enum class Preference {
  packed,   ///< The fewest units; then the fullest units; then the fullest NUMA nodes.
  spread,   ///< The least used units; then the least used NUMA nodes.
  numa,     ///< All from one NUMA node, if possible.
  closest,  ///< Units that are near to each other in the PCI and USB tree.
};

/// `topology`: whether NUMA nodes are reported to the kubelet.
enum class Topology { automatic, none };

/// `deviceInfo`: the consumer of the device-info files.
enum class DeviceInfoFormat { pci };

/// `serve`: the Kubernetes API through which Pods get the units.
enum class Serve { device_plugin, dra };

/// The type of an attribute of a DRA device.
enum class AttributeType { text, integer, boolean, version };

/// `mode`: how a probe opens a path.
enum class OpenMode { read, write, both };

using Milliseconds = std::chrono::milliseconds;

/// A condition on one value. It has exactly one of the three forms.
struct ConditionSpec {
  enum class Form { text, list, mapping };
  Position at;
  Form form = Form::text;
  std::string text;                 ///< Form::text: a glob.
  std::vector<ConditionSpec> list;  ///< Form::list: alternatives.
  /// Form::mapping: all given fields must match.
  std::optional<Located<std::string>> regex;
  std::optional<Located<std::string>> gt;
  std::optional<Located<std::string>> ge;
  std::optional<Located<std::string>> lt;
  std::optional<Located<std::string>> le;
  std::optional<Located<bool>> exists;
  std::vector<ConditionSpec> negated;  ///< The condition under `not`: at most one.
};

/// A condition on a named value: an attribute or a property.
struct NamedConditionSpec {
  Located<std::string> name;
  ConditionSpec condition;
};

/// A condition on a fact of a device, or of the node.
struct FactConditionSpec {
  Fact fact = Fact::name;
  Located<std::string>
      name;  ///< For a fact with several named values, such as `attribute`: the name of the value.
  ConditionSpec condition;
};

/// A `match`, a `when`, or a block in one.
struct MatchSpec {
  Position at;
  std::vector<Located<std::string>> sysfs;
  std::vector<Located<std::string>> glob;
  std::vector<Located<std::string>> static_names;  ///< `static`
  std::vector<FactConditionSpec> conditions;
  std::vector<MatchSpec> any;
  std::vector<MatchSpec> all;
  std::vector<MatchSpec> except;
  std::vector<MatchSpec> ancestor;  ///< At most one.
  /// The name and position of each key, for errors such as "type is for glob rules".
  std::vector<Located<std::string>> keys;
  /// Whether a value could not be read. This mistake is already reported, so later stages report no
  /// missing keys.
  bool broken = false;

  /// The first condition on the fact; null if there is none.
  [[nodiscard]] const ConditionSpec* find(Fact fact) const;
};

/// One of `members`: a rule for further devices that join a unit.
struct MemberSpec {
  Located<std::string> name;
  MatchSpec match;
  std::optional<Located<std::string>> by;
  std::optional<Located<std::string>> size;
  std::optional<Located<ClaimMode>> claim;
};

/// `share`: either `count`, or `total` and `each`; and the maximum of shares per container.
struct ShareSpec {
  Position at;
  std::optional<Located<std::string>> count;
  std::optional<Located<std::string>> total;
  std::optional<Located<std::string>> each;
  std::optional<Located<std::string>> per_container;
};

struct DeviceEntrySpec {
  Position at;
  Located<std::string> host_path;
  std::optional<Located<std::string>> container_path;
  std::optional<Located<std::string>> permissions;
  std::optional<Located<std::string>> mode;
  std::optional<Located<std::string>> uid;
  std::optional<Located<std::string>> gid;
  Located<bool> links;
  Located<bool> optional;
};

struct MountSpec {
  Position at;
  Located<std::string> host_path;
  std::optional<Located<std::string>> container_path;
  bool read_only = true;
  bool optional = false;
};

struct EnvSpec {
  Located<std::string> name;
  Located<std::string> value;
  std::optional<Located<std::string>> join;
};

struct AnnotationSpec {
  Located<std::string> name;
  Located<std::string> value;
};

/// The times and thresholds of a probe.
struct ProbeOptionsSpec {
  std::optional<Located<Milliseconds>> period;
  std::optional<Located<Milliseconds>> timeout;
  std::optional<Located<std::string>> failure_threshold;
  std::optional<Located<std::string>> success_threshold;
};

/// One item of `health`. `kind` determines the fields that are set.
struct ProbeSpec {
  Position at;
  Located<Check::Kind> kind;
  Located<std::string> text;                    ///< open: the path; tcp: the address.
  std::optional<Located<OpenMode>> mode;        ///< open
  std::vector<NamedConditionSpec> conditions;   ///< attribute, property, file: at least one.
  std::vector<Located<std::string>> arguments;  ///< exec: at least one.
  ProbeOptionsSpec options;
};

/// One item of `preStart` or `release`. `kind` determines the fields that are set.
struct StepSpec {
  Position at;
  Located<Step::Kind> kind;
  std::vector<Located<std::string>> arguments;  ///< exec: at least one.
  Located<std::string> path;                    ///< write, wait
  Located<std::string> value;                   ///< write
  Located<bool> usb_reset;
  std::optional<Located<Milliseconds>> wait_for;  ///< wait
};

/// `cdi`: `write`, or names of CDI devices that other programs define.
struct CdiSpec {
  Position at;
  bool write = false;
  std::vector<Located<std::string>> names;
};

/// One of `dra.attributes`.
struct AttributeSpec {
  Located<std::string> name;
  AttributeType type = AttributeType::text;
  Located<std::string> value;
};

/// `dra` of a resource or group.
struct GroupDraSpec {
  Position at;
  std::vector<AttributeSpec> attributes;
};

/// One group. Values that the resource has for all its groups are already copied into it.
struct GroupSpec {
  Position at;
  std::optional<MatchSpec> when;  ///< Only for an item of `groups`; see also ResourceSpec::when.
  MatchSpec match;
  std::optional<Located<std::string>> by;
  std::optional<Located<std::string>> size;
  std::vector<MemberSpec> members;
  std::optional<Located<std::string>> expect;
  std::optional<Located<std::string>> id;
  std::optional<ShareSpec> share;
  std::optional<std::vector<DeviceEntrySpec>> devices;
  std::vector<MountSpec> mounts;
  std::vector<EnvSpec> envs;
  std::vector<AnnotationSpec> annotations;
  std::optional<CdiSpec> cdi;
  std::vector<ProbeSpec> health;
  std::vector<StepSpec> pre_start;
  std::vector<StepSpec> release;
  std::optional<GroupDraSpec> dra;
};

struct ResourceSpec {
  Position at;
  Located<std::string> name;  ///< As written; compile() adds the default domain.
  std::string description;
  std::optional<MatchSpec> when;
  std::optional<Located<ClaimMode>> claim;
  std::optional<Located<Milliseconds>> linger;
  std::vector<Located<Preference>> prefer;  ///< In order; empty if absent.
  std::optional<Located<Topology>> topology;
  std::optional<Located<DeviceInfoFormat>> device_info;
  std::optional<Located<Serve>> serve;
  std::vector<GroupSpec> groups;  ///< At least one.
};

struct DefaultsSpec {
  std::optional<Located<std::string>> domain;
  std::optional<Located<Milliseconds>> linger;
};

/// `dra` of a file.
struct DraSpec {
  Located<std::string> driver;
  std::optional<Located<Milliseconds>> release_timeout;
};

/// The content of one configuration file.
struct Spec {
  DefaultsSpec defaults;
  std::optional<DraSpec> dra;
  std::vector<ResourceSpec> resources;
};

}  // namespace patchbay::config

namespace patchbay {

template <>
inline constexpr std::array<std::string_view, 2> kWords<config::ClaimMode>{"exclusive", "shared"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<config::Preference>{"packed", "spread",
                                                                            "numa", "closest"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<config::Topology>{"auto", "none"};
template <>
inline constexpr std::array<std::string_view, 1> kWords<config::DeviceInfoFormat>{"pci"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<config::Serve>{"devicePlugin", "dra"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<config::AttributeType>{"text", "int",
                                                                               "bool", "version"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<config::OpenMode>{"r", "w", "rw"};

}  // namespace patchbay
