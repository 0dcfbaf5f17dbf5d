#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/fact.h"
#include "config/choices.h"
#include "config/diagnostics.h"

/// The YAML as written: passive structs, nothing checked beyond the shape. rules::compile() turns a
/// Spec into a Plan and does every check of meaning.
///
/// To add a key: the struct here · its line in its reader's table (*_reader.cpp) · compile
/// (rules/compile*.cpp) · an example · a golden test of its errors. CONTRIBUTING.md has the list.
namespace patchbay::config {

using Milliseconds = std::chrono::milliseconds;

/// A condition on one value. Exactly one of the three forms is used.
struct ConditionSpec {
  enum class Form { text, list, mapping };
  Position at;
  Form form = Form::text;
  std::string text;                 ///< Form::text: a glob.
  std::vector<ConditionSpec> list;  ///< Form::list: any of these.
  /// Form::mapping: all of those given.
  std::optional<Located<std::string>> is;
  std::optional<Located<std::string>> regex;
  std::optional<Located<std::string>> gt;
  std::optional<Located<std::string>> ge;
  std::optional<Located<std::string>> lt;
  std::optional<Located<std::string>> le;
  std::optional<Located<bool>> exists;
  std::vector<ConditionSpec> negated;  ///< `not`: none or one.
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
      name;  ///< Where the fact has one: of an attribute, the template of a path, …
  ConditionSpec condition;
};

/// A `match` or a `when`, or a block in one.
struct MatchSpec {
  Position at;
  std::vector<Located<std::string>> sysfs;
  std::vector<Located<std::string>> glob;
  std::vector<Located<std::string>> static_names;  ///< `static`
  std::vector<FactConditionSpec> conditions;
  std::vector<MatchSpec> any;
  std::vector<MatchSpec> all;
  std::vector<MatchSpec> except;
  std::vector<MatchSpec> ancestor;  ///< None or one.
  /// Where each key stands, for errors such as "type is for glob rules": key name and position.
  std::vector<Located<std::string>> keys;
  /// Something in it could not be read, which has been reported: what seems to be missing may be
  /// there.
  bool broken = false;

  /// The first condition on the fact; null if there is none.
  [[nodiscard]] const ConditionSpec* find(Fact fact) const;
};

/// One of `members`: which further devices join a unit.
struct MemberSpec {
  Located<std::string> name;
  MatchSpec match;
  std::optional<Located<std::string>> by;
  std::optional<Located<std::string>> count;
  std::optional<Located<ClaimMode>> claim;
};

/// Either `count`, or `total` and `each`; and what one container gets of it.
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

/// When a probe runs and what counts, of one probe or of all of a file.
struct ProbeOptionsSpec {
  std::optional<Located<Milliseconds>> period;
  std::optional<Located<Milliseconds>> timeout;
  std::optional<Located<std::string>> failure_threshold;
  std::optional<Located<std::string>> success_threshold;
};

/// One item of `health`. The key that it has says what is given.
struct ProbeSpec {
  Position at;
  Located<Check::Kind> kind;
  Located<std::string> text;                    ///< open: the path; tcp: the address.
  std::optional<Located<OpenMode>> mode;        ///< open
  std::vector<NamedConditionSpec> conditions;   ///< attribute, property, file: at least one.
  std::vector<Located<std::string>> arguments;  ///< exec: at least one.
  ProbeOptionsSpec options;
  std::optional<Located<InitialHealth>> initial;
  std::optional<Located<OnError>> on_error;
};

struct FlapSpec {
  Position at;
  Located<std::string> changes;
  Located<Milliseconds> within;
  Located<Milliseconds> hold;
};

/// One item of `preStart`. The key that it has says what is given.
struct StepSpec {
  Position at;
  Located<Step::Kind> kind;
  std::vector<Located<std::string>> arguments;  ///< exec: at least one.
  Located<std::string> path;                    ///< write, wait
  Located<std::string> value;                   ///< write
  Located<bool> usb_reset;
  std::optional<Located<Milliseconds>> wait_for;  ///< wait
};

/// `cdi`: `write`, or names of devices in others' specs.
struct CdiSpec {
  Position at;
  bool write = false;
  std::vector<Located<std::string>> names;
};

/// One group. A key that was given beside `groups:` has been copied into the groups that lack it.
struct GroupSpec {
  Position at;
  std::optional<MatchSpec> when;  ///< Of a group in a list only; else the resource's.
  MatchSpec match;
  std::optional<Located<std::string>> by;
  std::optional<Located<std::string>> count;
  std::vector<MemberSpec> members;
  std::optional<Located<std::string>> id;
  std::optional<ShareSpec> share;
  std::optional<std::vector<DeviceEntrySpec>> devices;
  std::vector<MountSpec> mounts;
  std::vector<EnvSpec> envs;
  std::vector<AnnotationSpec> annotations;
  std::optional<CdiSpec> cdi;
  std::vector<ProbeSpec> health;
  std::optional<FlapSpec> flap;
  std::vector<StepSpec> pre_start;
};

struct ResourceSpec {
  Position at;
  Located<std::string> name;  ///< As written; the domain is put before it when compiled.
  std::string description;
  std::optional<MatchSpec> when;
  std::optional<Located<ClaimMode>> claim;
  std::optional<Located<Milliseconds>> settle;
  std::optional<Located<Milliseconds>> linger;
  std::vector<Located<Preference>> prefer;  ///< In order; empty: not given.
  std::optional<Located<Topology>> topology;
  std::optional<Located<DeviceInfoFormat>> device_info;
  std::vector<GroupSpec> groups;  ///< At least one.
};

struct DefaultsSpec {
  std::optional<Located<std::string>> domain;
  std::optional<Located<Milliseconds>> settle;
  std::optional<Located<Milliseconds>> linger;
  ProbeOptionsSpec probe;
};

/// One file.
struct Spec {
  DefaultsSpec defaults;
  std::vector<ResourceSpec> resources;
};

}  // namespace patchbay::config
