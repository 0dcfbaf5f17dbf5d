#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"
#include "model/facts.h"
#include "rules/text/position.h"
#include "rules/text/text_use.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Which variables of one entity of a unit templates can use. The entity is the matched device or a
/// member.
struct EntityRules {
  RuleKind kind = RuleKind::subsystem;
  /// The regex groups of the match, for $(capture.NAME). Null: the match has mistakes.
  std::optional<std::vector<std::string>> captures{};
};

struct MemberRules {
  std::string name;
  EntityRules entity;
  bool broken = false;  ///< The member has a reported mistake, so its uses are not checked.
};

/// The variables that the templates of a group can use.
struct TemplateRules {
  EntityRules entity{};
  std::vector<MemberRules> members{};
  bool grouped = false;  ///< The group has a `by`.
  bool shared = false;   ///< The group has a `share`.
  bool dra = false;      ///< The resource has `serve: dra`: its units have no shares.
  /// Whether $(claim) and $(request) are valid. A Pod's author chooses them, so they never select
  /// anything on the host.
  bool of_pod = false;
  RenderStage stage = RenderStage::allocation;
  std::string_view reason{};  ///< Why the stage is not a later one, if this is not obvious.

  /// Returns the same rules for a template that is rendered at another stage.
  [[nodiscard]] TemplateRules at(RenderStage then, std::string_view why = {}) const;
  /// Returns the same rules for a path or a variable in the container.
  [[nodiscard]] TemplateRules in_container() const;
};

/// A parsed text with variables, $(…). It can be printed and compared. Immutable; any thread.
class Template {
 public:
  /// Reports every mistake. Returns null after a mistake.
  [[nodiscard]] static std::optional<Template> compile(const config::Located<std::string>& text,
                                                       TextUse use, const TemplateRules& rules,
                                                       config::Diagnostics& diagnostics);

  /// When fallbacks are used.
  enum class Fallbacks { where_absent, always };
  /// Returns the text with the values of one device. The error says why this is impossible. A $(…)
  /// in a value is never expanded. In a condition, a value that cannot be compared counts as
  /// absent.
  [[nodiscard]] Result<std::string> render(const RenderScope& scope,
                                           Fallbacks fallbacks = Fallbacks::where_absent) const;

  /// The text as written.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const config::Position& at() const { return at_.position; }
  /// A variable of the template. A variable with a fallback, or inside a fallback, is not
  /// `required`.
  struct VariableUse {
    const VariableRef* variable = nullptr;
    bool required = true;
  };
  [[nodiscard]] std::vector<VariableUse> uses() const;
  /// The variable if the template consists only of it; otherwise null.
  [[nodiscard]] const VariableRef* sole_variable() const;
  /// Returns the text with each variable replaced by `value`. Fallbacks are omitted.
  [[nodiscard]] std::string with(std::string_view value) const;
  /// For each variable, returns the beginning of with(`value`) up to this variable.
  [[nodiscard]] std::vector<std::string> before_variables(std::string_view value) const;
  /// Whether both templates can render the same text for some devices. False only if this is
  /// impossible.
  [[nodiscard]] bool may_equal(const Template& other) const;
  /// Adds the facts that rendering needs from the member with this name. An empty name is the
  /// matched device.
  void want(WantedFacts& wanted_of_device, std::string_view member = {}) const;

  friend bool operator==(const Template&, const Template&) = default;

 private:
  friend class TemplateParser;

  /// A literal, or a variable with its fallback.
  struct Piece {
    std::string literal;
    std::optional<VariableRef> variable;
    bool has_fallback = false;
    std::vector<Piece> fallback;
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  Result<void> append(const std::vector<Piece>& pieces, const RenderScope& scope,
                      Fallbacks fallbacks, std::string& out) const;
  /// The literal text at the beginning or the end of the template. Empty if the template begins or
  /// ends with a variable.
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
