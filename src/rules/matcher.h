#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/condition.h"
#include "rules/mismatch.h"
#include "rules/position.h"
#include "rules/template.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// A compiled match block, or a `when`, which is one of the node: data that can be printed and
/// compared. All tests must hold. Immutable; any thread. Facts are read beforehand, so matching
/// does no I/O.
class Matcher {
 public:
  /// Null if something is wrong with the block, so that a broken rule can never match more than its
  /// author wrote; every mistake is reported.
  [[nodiscard]] static std::optional<Matcher> compile(const config::MatchSpec& spec,
                                                      config::Diagnostics& diagnostics);

  /// The same of a `when`: equal ones mean the same, in whatever order they are written.
  [[nodiscard]] static std::optional<Matcher> compile_when(const config::MatchSpec& spec,
                                                           config::Diagnostics& diagnostics);

  /// What a block looks at, also one with mistakes; null if it does not say, or says two things.
  [[nodiscard]] static std::optional<RuleKind> kind_of(const config::MatchSpec& spec);

  /// Whether the device matches; if it does, the named groups of the regexes are in `captures`.
  [[nodiscard]] bool matches(const DeviceFacts& facts, Captures& captures) const;

  /// Whether the device can match, as far as the facts tell that cost nothing (HostQuery::wanted).
  [[nodiscard]] bool could_match(const DeviceFacts& cheap) const;
  /// Adds the costly facts that matching looks at.
  void want(WantedFacts& wanted) const;
  /// The same of a `when`; the lists stay sorted, without repeats.
  void want(NodeQuery& query) const;
  /// Adds the files of the host that matching looks at, if all else holds: see HostQuery::files.
  void want_files(const DeviceFacts& facts, std::vector<std::string>& files) const;

  /// The same of all files that its conditions name, whatever else holds.
  void add_files(const DeviceFacts& facts, std::vector<std::string>& files) const;

  /// Whether the rule looks at such things at all: of its kind, found by it, in its subsystem.
  [[nodiscard]] bool is_in_scope(const DeviceFacts& facts) const;
  /// Every condition that does not hold; empty if the device matches. Of a thing that the rule does
  /// not look at, only that. The facts must hold all that want() and add_files() ask for.
  [[nodiscard]] std::vector<Mismatch> mismatches(const DeviceFacts& facts) const;

  /// Something of the host that it names, whether there are devices or not. Views into the matcher.
  struct HostReference {
    Fact fact = Fact::glob;  ///< glob, file or env.
    std::string_view text;
    config::Position at;
    const Template* path = nullptr;  ///< Of the file of a device.
  };
  /// Adds its patterns, files and variables of the environment, those of its blocks as well.
  void add_host_references(std::vector<HostReference>& named) const;

  [[nodiscard]] RuleKind kind() const { return kind_; }
  [[nodiscard]] const config::Position& at() const { return at_.position; }
  /// The patterns of a sysfs or glob rule, or the names of a static one, as written.
  [[nodiscard]] std::span<const std::string> patterns() const { return patterns_; }
  /// Names and fnmatch patterns that cover the subsystems of a subsystem rule; else none.
  [[nodiscard]] std::vector<std::string> subsystems() const;
  [[nodiscard]] std::vector<std::string> capture_names() const;
  /// The device's path as the first of the rule's patterns found it; of a static name, that. Empty
  /// if none did.
  [[nodiscard]] std::string_view found_path(const DeviceFacts& facts) const;

  /// How many devices up the blocks of `ancestor` hold for a device that matches: 1 for the device
  /// directly above it, 0 without such blocks. The captures of a block are values of that device.
  [[nodiscard]] size_t ancestor_depth(const DeviceFacts& facts) const;

  /// As a person would write it, on one line.
  [[nodiscard]] std::string to_text() const;

  /// Whether every device has a node to give to a container.
  [[nodiscard]] bool ensures_node() const;

  /// A key for what it means, see rules/canonical_key.h.
  [[nodiscard]] std::string canonical_key() const;
  /// Whether both match the same devices and capture the same, however they are written.
  friend bool operator==(const Matcher& a, const Matcher& b);

 private:
  friend class MatchCompiler;

  struct Test {
    Fact fact = Fact::subsystem;
    std::string argument;  ///< Which property, attribute or file, or which part of usb or pci.
    std::optional<Template> path;  ///< Of a file.
    Condition condition;
    WrittenAt at;
    Cost cost = Cost::none;  ///< The highest of what it looks at, with its variables.
  };

  /// What is compared.
  struct Subject {
    const DeviceFacts& facts;  ///< The device, or one above it.
    DeviceScope device;        ///< Whose values the variables have: the device itself.
    /// What counts for a condition that lacks a value for a variable, in it or in a file's path.
    Undecided undecided = Undecided::fails;
  };
  [[nodiscard]] Subject subject(const DeviceFacts& facts) const;
  static Subject at_ancestor(const DeviceFacts& facts, const Subject& below);
  static Subject inverted(const Subject& subject);

  /// What a test found.
  struct TestResult {
    bool matched = false;
    std::optional<Result<std::string>> path{};  ///< Of a file.
    Values values{};
  };
  using Mismatches = std::vector<Mismatch>;

  /// Adds the keys of all that must hold, those of a single block of `any` among them.
  void add_canonical_keys(std::vector<std::string>& keys) const;
  static Cost cost_of(const Test& test);
  static TestResult run(const Test& test, const Subject& subject, Captures* captures = nullptr);
  /// Whether all of it holds. With `why`, everything that does not is added there; without, the
  /// first such thing ends it.
  bool evaluate(const Subject& subject, Captures& captures, Mismatches* why = nullptr) const;
  [[nodiscard]] size_t ancestor_depth(const Subject& subject) const;
  [[nodiscard]] bool any_ancestor_matches(const Subject& subject, Captures& captures) const;
  [[nodiscard]] bool could_match_subject(const Subject& cheap) const;
  [[nodiscard]] bool is_found(const DeviceFacts& facts) const;
  [[nodiscard]] bool cheap_tests_match(const Subject& subject, Cost most) const;
  void want_compared(WantedFacts& wanted) const;
  void want_variables(WantedFacts& wanted) const;
  void add_files(const Subject& subject, std::vector<std::string>& files) const;

  static std::string name_of(const Test& test);
  static std::string to_text(const Test& test);
  static std::string blocks_text(std::string_view key, std::span<const Matcher> blocks);
  [[nodiscard]] std::string found_text() const;

  static Mismatch mismatch(const Test& test, const Subject& subject, const TestResult& result);
  /// Its test of the subsystem, if that does not hold; else null.
  [[nodiscard]] const Test* other_subsystem(const Subject& subject) const;
  [[nodiscard]] Mismatch scope_mismatch(const DeviceFacts& facts) const;
  [[nodiscard]] Mismatch except_mismatch() const;
  [[nodiscard]] Mismatch any_mismatch(const Subject& subject) const;
  [[nodiscard]] Mismatch ancestor_mismatch(const Subject& subject) const;
  [[nodiscard]] Mismatches block_mismatches(const Subject& subject) const;

  WrittenAt at_;
  RuleKind kind_ = RuleKind::subsystem;
  std::vector<std::string> patterns_;
  std::vector<WrittenAt> patterns_at_;  ///< Of each of them.
  std::vector<Test> tests_;             ///< In order of cost.
  std::vector<Matcher> any_;  ///< Here and below, blocks: they have neither kind nor patterns.
  std::vector<Matcher> all_;
  std::vector<Matcher> except_;
  std::vector<Matcher> ancestors_;  ///< None or one.
};

}  // namespace patchbay::rules
