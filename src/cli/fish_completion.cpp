#include "cli/fish_completion.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;

/// fish knows the option of a word only if the option has a single value. So the script counts the
/// words that are not values of options.
constexpr std::string_view kFishBegin =
    R"(# Completion of patchbay for fish, made by "patchbay completion fish".

# Prints the number of values of a command's option: one, many, or nothing.
function __patchbay_takes
    switch "$argv[1] $argv[2]"
)";

constexpr std::string_view kFishPositions = R"(    end
end

# Prints the position of the cursor: the command, the number of arguments before the cursor, and
# the option that the word can be a further value of.
function __patchbay_position
    set -l words (commandline -opc)
    set -e words[1]
    set -l command
    set -l arguments 0
    set -l open
    set -l takes
    for word in $words
        if test -z "$command"
            set command $word
        else if string match -q -- '--*=*' $word
            set takes
        else if string match -q -- '-*' $word
            set takes (__patchbay_takes $command $word)
            set open $word
        else if test "$takes" = one
            set takes
        else if test "$takes" != many
            set arguments (math $arguments + 1)
        end
    end
    test "$takes" = many; or set open
    echo $command
    echo $arguments
    echo $open
end

# There is no command before the cursor.
function __patchbay_begins
    set -l at (__patchbay_position)
    test -z "$at[1]"
end

# The cursor is after this command.
function __patchbay_command
    set -l at (__patchbay_position)
    test "$at[1]" = $argv[1]
end

# The cursor is at an argument of this command; test(1) compares the number of arguments before it.
function __patchbay_argument
    set -l at (__patchbay_position)
    test "$at[1]" = $argv[1]; and test -z "$at[3]"; and test $at[2] $argv[2] $argv[3]
end

# The cursor is at a further value of this command's option, which is given by its names.
function __patchbay_more
    set -l at (__patchbay_position)
    test "$at[1]" = $argv[1]; and contains -- "$at[3]" $argv[2..]
end

complete -c patchbay -e
complete -c patchbay -f
complete -c patchbay -n __patchbay_begins -s h -l help -d 'Print this help and exit'
complete -c patchbay -n __patchbay_begins -l version -d 'Print the version and exit'
)";

/// `text` quoted as one word.
std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// The branches of `switch "$command $option"`.
std::string fish_takes(const CompletedCommand& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (option.is_argument() || option.value.empty()) continue;
    std::string patterns;
    for (const std::string_view name : option.each_name()) {
      patterns += fmt::format(" '{} {}'", command.name, name);
    }
    out += fmt::format("        case{}\n            echo {}\n", patterns,
                       option.many ? "many" : "one");
  }
  return out;
}

/// The completion of a value in the syntax of `complete`; empty if the value is free text.
std::string fish_offer(const Option& option) {
  constexpr std::array<std::string_view, 3> kPaths{
      "", " -F", " -a '(__fish_complete_directories (commandline -ct))'"};
  if (!option.words.empty()) return " -a " + fish_word(join(option.words, " "));
  return std::string(kPaths.at(static_cast<size_t>(option.paths)));
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c patchbay -n {}{}\n", fish_word(condition), rest);
}

std::string fish_option(const CompletedCommand& command, const Option& option) {
  std::string names;
  for (const std::string_view name : option.each_name()) {
    const bool whole = name.starts_with("--");
    names += fmt::format(" -{} {}", whole ? 'l' : 's', name.substr(whole ? 2 : 1));
  }
  if (!option.value.empty()) {
    // -r: requires a value, which can be a file; -x: requires a value other than a file.
    names += option.words.empty() && option.paths == OptionParser::Paths::any ? " -r" : " -x";
    names += fish_offer(option);
  }
  std::string out = fish_line("__patchbay_command " + command.name,
                              names + " -d " + fish_word(first_sentence(option.meaning)));
  if (option.many && !fish_offer(option).empty()) {
    std::string all = option.names;
    std::ranges::replace(all, ',', ' ');
    out += fish_line(fmt::format("__patchbay_more {} {}", command.name, all), fish_offer(option));
  }
  return out;
}

std::string fish_options(const CompletedCommand& command) {
  std::string out;
  size_t arguments = 0;
  for (const Option& option : command.options) {
    if (!option.is_argument()) {
      out += fish_option(command, option);
      continue;
    }
    const std::string which = fmt::format("{} {}", option.many ? "-ge" : "-eq", arguments++);
    const std::string offer = fish_offer(option);
    if (offer.empty()) continue;
    out += fish_line(fmt::format("__patchbay_argument {} {}", command.name, which), offer);
  }
  return out;
}

}  // namespace

std::string fish_completion(std::span<const CompletedCommand> commands) {
  std::string script(kFishBegin);
  for (const CompletedCommand& command : commands) script += fish_takes(command);
  script += kFishPositions;
  for (const CompletedCommand& command : commands) {
    script += fish_line(
        "__patchbay_begins",
        fmt::format(" -a {} -d {}", command.name, fish_word(first_sentence(command.summary))));
  }
  for (const CompletedCommand& command : commands) script += fish_options(command);
  return script;
}

}  // namespace patchbay::cli
