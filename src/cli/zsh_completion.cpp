#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion_script.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;

/// The first sentence of a text, for the list of what can be chosen.
std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find(". "));
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// `text` inside single quotes, with a backslash before each of `special`.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '\'') out += "\\''";
  }
  return out;
}

/// What is offered for a value, as _arguments has it.
std::string action_of(const Option& option) {
  if (!option.words.empty()) return fmt::format("({})", join(option.words, " "));
  switch (option.paths) {
    case OptionParser::Paths::any:
      return "_files";
    case OptionParser::Paths::directories:
      return "_files -/";
    case OptionParser::Paths::none:
      break;
  }
  return " ";  // Nothing, but the message is shown.
}

/// The names of an option, apart by blanks.
std::string names_of(const Option& option) {
  std::string all;
  for (const std::string_view name : split(option.names, ',')) {
    all += (all.empty() ? "" : " ") + std::string(name);
  }
  return all;
}

/// A line of _arguments for each name of an option.
std::string option_specs(const Option& option) {
  std::string out;
  std::string all = names_of(option);
  if (all == "-h --help") all = "- *";  // Nothing can stand beside it.
  for (const std::string_view name : split(option.names, ',')) {
    std::string spec = option.many ? "*" : fmt::format("({})", all);
    spec += name;
    if (!option.value.empty() && !option.many) spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]", quoted(first_sentence(option.meaning), "[]"));
    if (!option.value.empty()) {
      spec += fmt::format(":{}:{}", quoted(option.value, ":"), action_of(option));
    }
    out += fmt::format(" \\\n        '{}'", spec);
  }
  return out;
}

/// What stands without an option can be a further value of an option that takes several.
std::string argument_specs(const CompletedCommand& command) {
  std::string out;
  std::string more;
  for (const Option& option : command.options) {
    if (option.many && option.names.starts_with('-')) {
      more = fmt::format("_patchbay_more {}", names_of(option));
    }
  }
  size_t arguments = 0;
  bool any_number = false;
  const auto add = [&](const std::string& place, const std::string& name,
                       const std::string& action) {
    out += fmt::format(" \\\n        '{}:{}:{}'", place, name, action);
  };
  for (const Option& option : command.options) {
    if (option.names.starts_with('-')) continue;
    any_number = any_number || option.many;
    const std::string action = action_of(option);
    add(option.many ? "*" : std::to_string(++arguments), option.names,
        action == " " && !more.empty() ? more : action);
  }
  if (!any_number && !more.empty()) add("*", "PATH", more);
  return out;
}

std::string specs(const CompletedCommand& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (option.names.starts_with('-')) out += option_specs(option);
  }
  return out + argument_specs(command);
}

constexpr std::string_view kBegin = R"(#compdef patchbay
# Completion of patchbay for zsh, made by "patchbay completion zsh".

# Further values of the option with one of these names, if it is the last before the word.
_patchbay_more() {
  local last=${${(@)words[1,CURRENT-1]}[(R)-*]}
  (( ${@[(Ie)$last]} )) && _files
}

_patchbay() {
  local curcontext=$curcontext state line
  local -a state_descr commands
  commands=(
)";

constexpr std::string_view kCommands = R"(  )
  _arguments -C \
    '(- *)-h[Print this help and exit]' \
    '(- *)--help[Print this help and exit]' \
    '(- *)--version[Print the version and exit]' \
    '1:command:->command' \
    '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe -t commands command commands
    return
  fi
  case $words[1] in
)";

constexpr std::string_view kEnd = R"(  esac
}

# Sourced, or found in $fpath by its name.
if [[ ${funcstack[1]} == _patchbay ]]; then
  _patchbay "$@"
else
  compdef _patchbay patchbay
fi
)";

}  // namespace

std::string zsh_completion(std::span<const CompletedCommand> commands) {
  std::string script(kBegin);
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary, ":"));
  }
  script += kCommands;
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, specs(command));
  }
  script += kEnd;
  return script;
}

}  // namespace patchbay::cli
