#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "rules/text/template.h"
#include "rules/text/text_use.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Checks the variables of one template: whether each exists and is allowed at its position. One
/// thread.
class VariableChecker {
 public:
  /// All arguments must outlive the checker.
  VariableChecker(const config::Located<std::string>& text, TextUse use, const TemplateRules& rules,
                  config::Diagnostics& diagnostics)
      : text_(text), use_(use), rules_(rules), diagnostics_(diagnostics) {}

  /// Returns the variable whose text in parentheses is `name`. The text begins at offset `start`.
  /// Reports a mistake; then failed() is true and the result has no meaning. `first`: the variable
  /// is at the beginning of the template.
  VariableRef check(std::string_view name, size_t start, bool first);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void error(size_t offset, std::string message, std::string hint = {});
  /// Checks the variable of one entity.
  VariableRef check_of(const EntityRules& entity, std::string_view name, size_t start, bool first);
  VariableRef check_member(const MemberRules& member, std::string_view name, size_t start,
                           bool first);
  VariableRef check_ancestor(const EntityRules& entity, std::string_view name, size_t start,
                             bool first);
  /// Whether the variable of an ancestor is checked.
  [[nodiscard]] bool is_above() const { return within_.find("ancestor.") != std::string::npos; }
  /// The hint for a fault of stage_fault().
  [[nodiscard]] std::string stage_hint(const EntityRules& entity,
                                       const VariableInfo& variable) const;
  /// Why the variable is not allowed at the stage of the template. Empty if it is allowed.
  [[nodiscard]] std::string stage_fault(const VariableInfo& variable) const;
  [[nodiscard]] std::string variable_list(const EntityRules& entity,
                                          std::span<const MemberRules> members) const;
  [[nodiscard]] std::string hint_for_unknown(const EntityRules& entity,
                                             std::string_view name) const;
  void report_unknown(const EntityRules& entity, std::string_view name, size_t start);
  /// A variable as it is written in the text.
  struct WrittenVariable {
    std::string_view text;  ///< Text after the name of a member, or after the ancestor prefix.
    size_t start = 0;
    bool first = false;
  };
  void check_variable(const EntityRules& entity, const VariableInfo& variable,
                      const VariableRef& ref, const WrittenVariable& written);
  /// Reports a mistake, and then returns false.
  bool check_argument(const EntityRules& entity, const VariableRef& ref, size_t start);
  void check_use(const VariableInfo& variable, size_t start, bool first);

  const config::Located<std::string>& text_;
  TextUse use_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  /// "MEMBER." or "ancestor.SUBSYSTEM." while the variable of a member or an ancestor is checked.
  std::string within_;
  bool failed_ = false;
};

}  // namespace patchbay::rules
