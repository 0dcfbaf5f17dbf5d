#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "config/diagnostics.h"
#include "rules/position.h"
#include "rules/text_use.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// What the templates of one thing of a unit, the matched device or a member, may use.
struct EntityRules {
  RuleKind kind = RuleKind::subsystem;
  /// The named groups of its match; null while it has mistakes of its own.
  std::optional<std::vector<std::string>> captures{};
};

struct MemberRules {
  std::string name;
  EntityRules entity;
  bool broken = false;  ///< What is wrong with it has been said; of its uses, nothing can be.
};

/// What a group's templates may use.
struct TemplateRules {
  EntityRules entity{};
  std::vector<MemberRules> members{};
  bool grouped = false;  ///< The group has a `by`,
  bool shared = false;   ///< and a `share`.
  RenderStage stage = RenderStage::allocation;
  std::string_view reason{};  ///< Why not later, where that is not plain.

  /// The same for a template that is rendered then.
  [[nodiscard]] TemplateRules at(RenderStage then, std::string_view why = {}) const;
};

/// A text with $(…), parsed: data that can be printed and compared. Immutable; any thread.
class Template {
 public:
  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<Template> compile(const config::Located<std::string>& text,
                                                       TextUse use, const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// When a fallback counts.
  enum class Fallbacks { where_absent, always };
  /// The text for one device, or why there is none. Values are never expanded again. In a condition
  /// a value that cannot be compared counts as absent.
  [[nodiscard]] Result<std::string> render(const RenderScope& scope,
                                           Fallbacks fallbacks = Fallbacks::where_absent) const;

  /// As written.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const config::Position& at() const { return at_.position; }
  /// Every variable in it. Those with a fallback, and those in one, are not `required`.
  struct VariableUse {
    const VariableRef* variable = nullptr;
    bool required = true;
  };
  [[nodiscard]] std::vector<VariableUse> uses() const;
  /// The variable that it is nothing but; null if it is more.
  [[nodiscard]] const VariableRef* sole_variable() const;
  /// The text with `value` for each variable, and what stands before each of them. Of fallbacks
  /// nothing.
  [[nodiscard]] std::string with(std::string_view value) const;
  [[nodiscard]] std::vector<std::string> before_variables(std::string_view value) const;
  /// Whether both can render the same text, as far as can be known without a device.
  [[nodiscard]] bool may_equal(const Template& other) const;
  /// Adds the facts of one thing that rendering needs: of the member of that name, or, if it is
  /// empty, of the matched device.
  void want(WantedFacts& wanted_of_device, std::string_view member = {}) const;

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
                      Fallbacks fallbacks, std::string& out) const;
  /// What it begins and ends with, whatever variables are; empty: it is a variable.
  [[nodiscard]] std::string_view begin() const;
  [[nodiscard]] std::string_view end() const;
  static void add_uses(const std::vector<Piece>& pieces, bool required,
                       std::vector<VariableUse>& uses);

  std::string text_;
  WrittenAt at_;
  TextUse use_ = TextUse::value;
  std::vector<Piece> pieces_;
};

}  // namespace patchbay::rules
