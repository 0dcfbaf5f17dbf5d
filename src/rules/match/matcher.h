#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/facts.h"
#include "rules/match/condition.h"
#include "rules/match/mismatch.h"
#include "rules/text/position.h"
#include "rules/text/template.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// A compiled match, a block of one, or a `when` (a match of the node). It can be printed and
/// compared. A device matches if all tests match. Matching does no I/O, because the facts are
/// already read. Immutable; any thread.
class Matcher {
 public:
  /// Compiles a match. Reports every mistake. Returns null after a mistake, so that a wrong rule
  /// never matches more devices than its author meant.
  [[nodiscard]] static std::optional<Matcher> compile(const config::MatchSpec& spec,
                                                      config::Diagnostics& diagnostics);

  /// Compiles a `when`.
  [[nodiscard]] static std::optional<Matcher> compile_when(const config::MatchSpec& spec,
                                                           config::Diagnostics& diagnostics);

  /// Returns the kind of a match, even of a match with mistakes. Null if no key or several keys of
  /// the match determine the kind.
  [[nodiscard]] static std::optional<RuleKind> kind_of(const config::MatchSpec& spec);

  /// Whether the device matches. On a match, `captures` gets the named groups of the regexes.
  [[nodiscard]] bool matches(const DeviceFacts& facts, Captures& captures) const;

  /// Whether the device can match, judged by the facts without a cost (HostQuery::wanted).
  [[nodiscard]] bool could_match(const DeviceFacts& cheap) const;
  /// Adds the facts with a cost that matching needs.
  void want(WantedFacts& wanted) const;
  /// Adds the facts that a `when` needs. The lists stay sorted and without duplicates.
  void want(NodeQuery& query) const;
  /// Adds the host files that the conditions compare (HostQuery::files). Adds no file if a
  /// top-level test of another fact does not match. Then the device cannot match.
  void want_files(const DeviceFacts& facts, std::vector<std::string>& files) const;

  /// Adds all host files that the conditions compare, even if the device cannot match.
  void add_files(const DeviceFacts& facts, std::vector<std::string>& files) const;

  /// Whether the kind, the patterns and the subsystem of the rule fit the device.
  [[nodiscard]] bool is_in_scope(const DeviceFacts& facts) const;
  /// Returns every condition that does not match. Empty if the device matches. If the device is not
  /// in scope, returns one Mismatch with that reason. The facts must contain everything that want()
  /// and add_files() request.
  [[nodiscard]] std::vector<Mismatch> mismatches(const DeviceFacts& facts) const;

  /// A pattern, file or environment variable that the matcher names. A view: valid while the
  /// matcher exists.
  struct HostReference {
    Fact fact = Fact::glob;  ///< glob, file or env.
    std::string_view text;
    config::Position at;
    const Template* path = nullptr;  ///< The path of a file. Null for other facts.
  };
  /// Adds the patterns, files and environment variables of the matcher and its blocks.
  void add_host_references(std::vector<HostReference>& named) const;

  [[nodiscard]] RuleKind kind() const { return kind_; }
  [[nodiscard]] const config::Position& at() const { return at_.position; }
  /// The patterns of a sysfs or glob rule, or the names of a static rule, as written.
  [[nodiscard]] std::span<const std::string> patterns() const { return patterns_; }
  /// The subsystems that a subsystem rule can match, as names and fnmatch patterns. Empty for other
  /// rules.
  [[nodiscard]] std::vector<std::string> subsystems() const;
  [[nodiscard]] std::vector<std::string> capture_names() const;
  /// The path at which the rule's first matching pattern found the device, or the static name.
  /// Empty if no pattern matched.
  [[nodiscard]] std::string_view found_path(const DeviceFacts& facts) const;

  /// The distance from a matching device to the farthest ancestor that an `ancestor` block matches.
  /// It is 1 for the parent, and 0 without `ancestor` blocks. The captures of the block are values
  /// of that ancestor, so all devices below the ancestor can have the same captures.
  [[nodiscard]] size_t ancestor_depth(const DeviceFacts& facts) const;

  /// The match as written in YAML, on one line.
  [[nodiscard]] std::string to_text() const;

  /// Whether every matching device is known to have a device node.
  [[nodiscard]] bool ensures_device_node() const;

  /// As Condition::canonical_key().
  [[nodiscard]] std::string canonical_key() const;
  /// Compares the canonical keys. Equal matchers match the same devices and capture the same
  /// groups. Unequal matchers may do the same.
  friend bool operator==(const Matcher& a, const Matcher& b);

 private:
  friend class MatchCompiler;

  struct Test {
    Fact fact = Fact::subsystem;
    std::string argument;  ///< Name of the property, attribute, file, glob, variable, or field of
                           ///< usb or pci.
    std::optional<Template> path;  ///< Path of a file.
    Condition condition;
    WrittenAt at;
    Cost cost = Cost::none;  ///< Highest cost of the facts in the test and its variables.
  };

  /// Input of a test.
  struct Subject {
    const DeviceFacts& facts;  ///< The tested facts: those of `device` or of one of its ancestors.
    DeviceScope device;        ///< The device of the rule. It supplies the variables.
    /// The result if a variable of the condition or of its file path has no value.
    Undecided undecided = Undecided::fails;
  };
  [[nodiscard]] Subject subject(const DeviceFacts& facts) const;
  static Subject at_ancestor(const DeviceFacts& facts, const Subject& below);
  static Subject inverted(const Subject& subject);

  /// The result of a test, and the values that it compared.
  struct TestResult {
    bool matched = false;
    std::optional<Result<std::string>> path{};  ///< Path of a file.
    Values values{};
  };
  using Mismatches = std::vector<Mismatch>;

  /// Adds the canonical keys of all tests and blocks that must match, including an `any` with
  /// exactly one block.
  void add_canonical_keys(std::vector<std::string>& keys) const;
  static Cost cost_of(const Test& test);
  static TestResult run(const Test& test, const Subject& subject, Captures* captures = nullptr);
  /// Whether all tests and blocks match. With `why`, adds each mismatch to `why`. Without `why`,
  /// stops at the first mismatch.
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
  /// Whether `any` is a list of patterns under `glob` of a `when`.
  [[nodiscard]] bool any_lists_patterns() const;
  [[nodiscard]] std::string any_text() const;
  [[nodiscard]] std::string found_text() const;

  static Mismatch mismatch(const Test& test, const Subject& subject, const TestResult& result);
  /// Returns the test of the subsystem if this test does not match; otherwise null.
  [[nodiscard]] const Test* other_subsystem(const Subject& subject) const;
  [[nodiscard]] Mismatch scope_mismatch(const DeviceFacts& facts) const;
  [[nodiscard]] Mismatch except_mismatch() const;
  [[nodiscard]] Mismatch any_mismatch(const Subject& subject) const;
  [[nodiscard]] Mismatch ancestor_mismatch(const Subject& subject) const;
  [[nodiscard]] Mismatches block_mismatches(const Subject& subject) const;

  WrittenAt at_;
  RuleKind kind_ = RuleKind::subsystem;
  std::vector<std::string> patterns_;
  std::vector<WrittenAt> patterns_at_;  ///< Position of each pattern.
  std::vector<Test> tests_;             ///< In order of cost.
  std::vector<Matcher> any_;            ///< Blocks have no patterns.
  std::vector<Matcher> all_;
  std::vector<Matcher> except_;
  std::vector<Matcher> ancestors_;  ///< The block `ancestor`: at most one.
};

}  // namespace patchbay::rules
