#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "rules/template.h"
#include "rules/text_use.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// Checks the variables of one template: what each names, and whether that may stand there. One
/// thread.
class VariableChecker {
 public:
  /// All outlive it.
  VariableChecker(const config::Located<std::string>& text, TextUse use, const TemplateRules& rules,
                  config::Diagnostics& diagnostics)
      : text_(text), use_(use), rules_(rules), diagnostics_(diagnostics) {}

  /// The variable with that whole text between its brackets, which begins at `start`; of no meaning
  /// once there is a mistake, which is reported. `first`: nothing stands before it.
  VariableRef check(std::string_view name, size_t start, bool first);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void error(size_t offset, std::string message, std::string hint = {});
  /// What stands there of one thing.
  VariableRef check_of(const EntityRules& entity, std::string_view name, size_t start, bool first);
  VariableRef check_member(const MemberRules& member, std::string_view name, size_t start,
                           bool first);
  VariableRef check_ancestor(const EntityRules& entity, std::string_view name, size_t start,
                             bool first);
  /// What is wrong with the variable there; empty if it may stand there.
  [[nodiscard]] bool is_above() const { return within_.find("ancestor.") != std::string::npos; }
  /// What may be done where stage_fault() says that something is wrong.
  [[nodiscard]] std::string stage_hint(const EntityRules& entity,
                                       const VariableInfo& variable) const;
  [[nodiscard]] std::string stage_fault(const VariableInfo& variable) const;
  [[nodiscard]] std::string variable_list(const EntityRules& entity,
                                          std::span<const MemberRules> members) const;
  [[nodiscard]] std::string hint_for_unknown(const EntityRules& entity,
                                             std::string_view name) const;
  void report_unknown(const EntityRules& entity, std::string_view name, size_t start);
  /// A variable as it stands in the text.
  struct WrittenVariable {
    std::string_view text;  ///< After the name of a member, or of what is above.
    size_t start = 0;
    bool first = false;
  };
  void check_variable(const EntityRules& entity, const VariableInfo& variable,
                      const VariableRef& ref, const WrittenVariable& written);
  /// False if there is something wrong with it, which is reported.
  bool check_argument(const EntityRules& entity, const VariableRef& ref, size_t start);
  void check_use(const VariableInfo& variable, size_t start, bool first);

  const config::Located<std::string>& text_;
  TextUse use_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  /// "MEMBER." or "ancestor.SUBSYSTEM." while what is checked is of a member, or of what is above.
  std::string within_;
  bool failed_ = false;
};

}  // namespace patchbay::rules
