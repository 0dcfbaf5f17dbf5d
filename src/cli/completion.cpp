// Completion scripts for commands, options and their values. They are made from the option tables
// and use only the shell.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/completed_command.h"
#include "cli/fish_completion.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;

/// The names of an option, separated by spaces.
std::string names_of(const Option& option) {
  std::string names = option.names;
  std::ranges::replace(names, ',', ' ');
  return names;
}

/// "one:words table json", "many:files": the number of values, and their completions.
std::string bash_offer(const Option& option) {
  constexpr std::array<std::string_view, 3> kPaths{"nothing", "files", "directories"};
  return (option.many ? "many:" : "one:") +
         (option.words.empty() ? std::string(kPaths.at(static_cast<size_t>(option.paths)))
                               : "words " + join(option.words, " "));
}

std::string bash_options(const CompletedCommand& command) {
  std::string words;
  for (const Option& option : command.options) {
    if (option.is_argument()) continue;
    words += (words.empty() ? "" : " ") + names_of(option);
  }
  return words;
}

/// The branches of `case "$command $word"`; the word of an argument is its number.
std::string bash_offers(const CompletedCommand& command) {
  std::string out;
  size_t arguments = 0;
  for (const Option& option : command.options) {
    if (!option.is_argument() && option.value.empty()) continue;
    std::vector<std::string> patterns;
    if (option.is_argument()) {
      patterns.push_back(fmt::format("'{} '{}", command.name,
                                     option.many ? "[0-9]*" : std::to_string(arguments++)));
    } else {
      for (const std::string_view name : option.each_name()) {
        patterns.push_back(fmt::format("'{} {}'", command.name, name));
      }
    }
    out += fmt::format("    {}) offer='{}' ;;\n", join(patterns, " | "), bash_offer(option));
  }
  return out;
}

constexpr std::string_view kBashBegin =
    R"(# Completion of patchbay for bash, made by "patchbay completion bash".

# Sets `offer` to the number of values of a command's word, and their completions.
_patchbay_offer() {
  offer=''
  case "$1 $2" in
)";

constexpr std::string_view kBashOptions = R"(  esac
}

# Sets `options` to the options of a command.
_patchbay_options() {
  options=''
  case $1 in
)";

constexpr std::string_view kBashEnd = R"(  esac
}

_patchbay() {
  local current=${COMP_WORDS[COMP_CWORD]} command='' offer='' options='' arguments=0 word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -z $command ]]; then
      command=$word
    elif [[ $word == -* ]]; then
      _patchbay_offer "$command" "$word"
    elif [[ $word == '=' ]]; then
      : # --output=json is three words.
    elif [[ $offer == one:* ]]; then
      offer=''
    elif [[ -z $offer ]]; then
      arguments=$((arguments + 1))
    fi
  done
  [[ $current == '=' ]] && current=''
  if [[ -z $command && $current == -* ]]; then
    offer='one:words -h --help --version'
  elif [[ -z $command ]]; then
    offer="one:words $_patchbay_commands"
  elif [[ $current == -* && $offer != one:* ]]; then
    _patchbay_options "$command"
    offer="one:words $options"
  elif [[ -z $offer ]]; then
    _patchbay_offer "$command" "$arguments"
  fi
  case $offer in
    *:words*) mapfile -t COMPREPLY < <(compgen -W "${offer#*:words }" -- "$current") ;;
    *:files) compopt -o default ;;
    *:directories) compopt -o dirnames ;;
  esac
}

complete -F _patchbay patchbay
)";

std::string bash_completion(std::span<const CompletedCommand> commands) {
  std::string script(kBashBegin);
  for (const CompletedCommand& command : commands) script += bash_offers(command);
  script += kBashOptions;
  std::string words;
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    {}) options='{}' ;;\n", command.name, bash_options(command));
    words += (words.empty() ? "" : " ") + command.name;
  }
  script += kBashEnd;
  script.insert(script.find("_patchbay() {"), fmt::format("_patchbay_commands='{}'\n\n", words));
  return script;
}

/// `text` in single quotes, with a backslash before each character of `special`.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '\'') out += "\\''";
  }
  return out;
}

/// The completion of a value in the syntax of _arguments. A space completes nothing but shows the
/// message.
std::string zsh_action(const Option& option) {
  constexpr std::array<std::string_view, 3> kPaths{" ", "_files", "_files -/"};
  if (!option.words.empty()) return fmt::format("({})", join(option.words, " "));
  return std::string(kPaths.at(static_cast<size_t>(option.paths)));
}

/// A line of _arguments for each name of an option.
std::string zsh_options(const Option& option) {
  std::string out;
  std::string all = names_of(option);
  if (all == "-h --help") all = "- *";  // It excludes all other words.
  for (const std::string_view name : option.each_name()) {
    std::string spec = option.many ? "*" : fmt::format("({})", all);
    spec += name;
    if (!option.value.empty() && !option.many) spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]", quoted(first_sentence(option.meaning), "[]"));
    if (!option.value.empty()) {
      spec += fmt::format(":{}:{}", quoted(option.value, ":"), zsh_action(option));
    }
    out += fmt::format(" \\\n        '{}'", spec);
  }
  return out;
}

/// A word that is not an option can be a further value of an option with several values.
std::string zsh_arguments(const CompletedCommand& command) {
  std::string out;
  std::string more;
  for (const Option& option : command.options) {
    if (option.many && !option.is_argument()) {
      more = fmt::format("_patchbay_more {}", names_of(option));
    }
  }
  size_t arguments = 0;
  bool any_number = false;
  const auto add = [&](const std::string& position, const std::string& name,
                       const std::string& action) {
    out += fmt::format(" \\\n        '{}:{}:{}'", position, name, action);
  };
  for (const Option& option : command.options) {
    if (!option.is_argument()) continue;
    any_number = any_number || option.many;
    const std::string action = zsh_action(option);
    add(option.many ? "*" : std::to_string(++arguments), option.names,
        action == " " && !more.empty() ? more : action);
  }
  if (!any_number && !more.empty()) add("*", "PATH", more);
  return out;
}

std::string zsh_specs(const CompletedCommand& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (!option.is_argument()) out += zsh_options(option);
  }
  return out + zsh_arguments(command);
}

constexpr std::string_view kZshBegin = R"(#compdef patchbay
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

constexpr std::string_view kZshCommands = R"(  )
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

constexpr std::string_view kZshEnd = R"(  esac
}

# Sourced, or loaded from $fpath by its name.
if [[ ${funcstack[1]} == _patchbay ]]; then
  _patchbay "$@"
else
  compdef _patchbay patchbay
fi
)";

std::string zsh_completion(std::span<const CompletedCommand> commands) {
  std::string script(kZshBegin);
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary, ":"));
  }
  script += kZshCommands;
  for (const CompletedCommand& command : commands) {
    script +=
        fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, zsh_specs(command));
  }
  script += kZshEnd;
  return script;
}

std::string completion_text(Shell shell, std::span<const CompletedCommand> completed) {
  switch (shell) {
    case Shell::bash:
      return bash_completion(completed);
    case Shell::zsh:
      return zsh_completion(completed);
    case Shell::fish:
      return fish_completion(completed);
  }
  std::abort();
}

/// `help` has the name of a command as its argument, and is not in the table of commands.
CompletedCommand help_command(std::vector<std::string> names) {
  return {.name = "help",
          .summary = "Print the help of a command.",
          .options = {{.names = "COMMAND", .meaning = "The command.", .words = std::move(names)}}};
}

}  // namespace

int completion(Shell shell) {
  std::vector<CompletedCommand> completed;
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    OptionParser parser;
    const auto unused = command.declare(parser);  // It owns the targets of the options.
    completed.push_back({command.name, command.summary, parser.options()});
    names.push_back(command.name);
  }
  completed.push_back(help_command(std::move(names)));
  return exit_code_of(print(completion_text(shell, completed)));
}

}  // namespace patchbay::cli
