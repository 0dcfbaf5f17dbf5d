#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/condition.h"
#include "rules/mismatch.h"

namespace patchbay::rules {

/// The value of one of our own process's environment variables; null if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Of no variables.
[[nodiscard]] inline Environment no_environment() {
  return [](const std::string&) { return std::nullopt; };
}

/// What node conditions are asked of. A view: must not outlive what it looks at.
struct NodeScope {
  const NodeFacts& facts;  ///< What query() asked for.
  std::string_view node;   ///< Its name.
  const Environment& environment;
};

/// A compiled `when`: on which nodes something is offered. Data that can be printed and compared;
/// all of it must hold. Immutable; any thread. Facts are read beforehand.
class NodeCondition {
 public:
  /// Null if something is wrong with it, so that nothing is offered on more nodes than its author
  /// wrote; every mistake is reported.
  [[nodiscard]] static std::optional<NodeCondition> compile(const config::NodeConditionSpec& spec,
                                                            config::Diagnostics& diagnostics);

  [[nodiscard]] bool holds(const NodeScope& scope) const;

  /// Every condition of it that does not hold there; empty if it holds.
  [[nodiscard]] std::vector<Mismatch> mismatches(const NodeScope& scope) const;

  /// Adds what it wants to know of the node; the lists stay sorted, without repeats.
  void query(NodeQuery& query) const;

  /// As a person would write it, on one line.
  [[nodiscard]] std::string to_text() const;

  /// Equal when they mean the same, wherever they stand and in whatever order.
  friend bool operator==(const NodeCondition& a, const NodeCondition& b);

 private:
  friend class NodeConditionCompiler;

  enum class Field { node, glob, file, env };

  struct Test {
    config::Position at;
    Field field = Field::node;
    std::string argument;                ///< The pattern of a glob, path of a file, name of an env.
    std::optional<Condition> condition;  ///< None: the pattern finds something.
    [[nodiscard]] std::string to_text() const;
    friend bool operator==(const Test& a, const Test& b) {
      return a.field == b.field && a.argument == b.argument && a.condition == b.condition;
    }
  };

  static std::vector<std::string> values(const Test& test, const NodeScope& scope);
  /// None if the test holds.
  static std::optional<Mismatch> mismatch(const Test& test, const NodeScope& scope);
  static std::string blocks_text(std::string_view key, std::span<const NodeCondition> blocks);
  /// Why `except` does not hold, since this block of it holds.
  [[nodiscard]] Mismatch excepted() const;
  [[nodiscard]] Mismatch none_of_any(const NodeScope& scope) const;

  config::Position at_;
  std::vector<Test> tests_;  ///< Sorted by field and argument.
  std::vector<NodeCondition> any_;
  std::vector<NodeCondition> except_;
};

}  // namespace patchbay::rules
