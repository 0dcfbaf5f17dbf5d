#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "config/diagnostics.h"
#include "rules/text_use.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// What a group's templates may use.
struct TemplateRules {
  RuleKind kind = RuleKind::subsystem;
  /// The named groups of the match; null while it has mistakes of its own.
  std::optional<std::vector<std::string>> captures;
};

/// A text with $(…), parsed: data that can be printed and compared. Immutable; any thread.
class Template {
 public:
  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<Template> compile(const config::Located<std::string>& text,
                                                       TextUse use, const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// The text for one device, or why there is none. Values are never expanded again.
  [[nodiscard]] Result<std::string> render(const RenderScope& scope) const;

  /// As written.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether it depends on the unit: it has a variable other than `resource` and `node`.
  [[nodiscard]] bool per_unit() const;
  /// Whether it is nothing but that variable.
  [[nodiscard]] bool is_only(Variable variable) const;
  /// Adds the facts that rendering needs.
  void want(WantedFacts& wanted_of_device) const;

  friend bool operator==(const Template&, const Template&) = default;

 private:
  friend class TemplateParser;

  /// A literal, or a variable with what stands for it when it is absent.
  struct Piece {
    std::string literal;
    std::optional<VariableRef> variable;
    bool has_fallback = false;
    std::vector<Piece> fallback;
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  Result<void> append(const std::vector<Piece>& pieces, const RenderScope& scope,
                      std::string& out) const;
  template <typename Visit>
  static void for_each_variable(const std::vector<Piece>& pieces, const Visit& visit);

  std::string text_;
  TextUse use_ = TextUse::value;
  std::vector<Piece> pieces_;
};

}  // namespace patchbay::rules
