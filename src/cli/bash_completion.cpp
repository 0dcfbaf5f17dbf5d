#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion_script.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;

bool is_argument(const Option& option) { return !option.names.starts_with('-'); }
bool takes_value(const Option& option) { return is_argument(option) || !option.value.empty(); }

/// "one:words table json", "many:files": how many values there are, and what is offered for them.
std::string offer_of(const Option& option) {
  const std::string count = option.many ? "many:" : "one:";
  if (!option.words.empty()) return count + "words " + join(option.words, " ");
  switch (option.paths) {
    case OptionParser::Paths::any:
      return count + "files";
    case OptionParser::Paths::directories:
      return count + "directories";
    case OptionParser::Paths::none:
      break;
  }
  return count + "nothing";
}

std::string option_words(const CompletedCommand& command) {
  std::string words;
  for (const Option& option : command.options) {
    if (is_argument(option)) continue;
    for (const std::string_view name : split(option.names, ',')) {
      words += (words.empty() ? "" : " ") + std::string(name);
    }
  }
  return words;
}

/// The branches of `case "$command $word"`, where an argument's word is its number.
std::string offers(const CompletedCommand& command) {
  std::string out;
  size_t arguments = 0;
  for (const Option& option : command.options) {
    if (!takes_value(option)) continue;
    std::vector<std::string> patterns;
    if (is_argument(option)) {
      patterns.push_back(fmt::format("'{} '{}", command.name,
                                     option.many ? "[0-9]*" : std::to_string(arguments++)));
    } else {
      for (const std::string_view name : split(option.names, ',')) {
        patterns.push_back(fmt::format("'{} {}'", command.name, name));
      }
    }
    out += fmt::format("    {}) offer='{}' ;;\n", join(patterns, " | "), offer_of(option));
  }
  return out;
}

constexpr std::string_view kBegin =
    R"(# Completion of patchbay for bash, made by "patchbay completion bash".

# Sets `offer`: how many values the word of a command takes, and what to offer for them.
_patchbay_offer() {
  offer=''
  case "$1 $2" in
)";

constexpr std::string_view kOptions = R"(  esac
}

# Sets `options` to those of a command.
_patchbay_options() {
  options=''
  case $1 in
)";

constexpr std::string_view kRest = R"(  esac
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

}  // namespace

std::string bash_completion(std::span<const CompletedCommand> commands) {
  std::string script(kBegin);
  for (const CompletedCommand& command : commands) script += offers(command);
  script += kOptions;
  std::string words;
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    {}) options='{}' ;;\n", command.name, option_words(command));
    words += (words.empty() ? "" : " ") + command.name;
  }
  script += kRest;
  script.insert(script.find("_patchbay() {"), fmt::format("_patchbay_commands='{}'\n\n", words));
  return script;
}

}  // namespace patchbay::cli
