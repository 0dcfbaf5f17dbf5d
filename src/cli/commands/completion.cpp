#include <array>
#include <string>
#include <string_view>

#include "cli/commands/commands.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

constexpr std::string_view kBash =
    R"(# Completion of patchbay for bash, made by "patchbay completion bash".

_patchbay() {
  local words=() word joined='' kept reply
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do  # --output=json and a:b are three words each.
    [[ $joined || $word == [:=]* && ${words[*]} ]] && words[-1]+=$word || words+=("$word")
    [[ $word == *[:=] ]] && joined=1 || joined=''
  done
  word=${words[-1]}
  kept=${word%"${word##*[:=]}"}
  words=(__complete "${words[@]//[\"\'\\]/}")
  mapfile -t reply < <("${COMP_WORDS[0]/#\~/$HOME}" "${words[@]}" 2>/dev/null)
  ((${#reply[@]})) || return
  case ${reply[-1]} in
    :files) compopt -o default ;;  # If there is no other candidate.
    :directories) compopt -o dirnames ;;
  esac
  COMPREPLY=("${reply[@]::${#reply[@]}-1}")
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

complete -F _patchbay patchbay
)";

constexpr std::string_view kZsh = R"(#compdef patchbay
# Completion of patchbay for zsh, made by "patchbay completion zsh".

_patchbay() {
  local -a reply=(__complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  reply=("${(@f)$("${words[1]/#\~/$HOME}" "${(@)reply}" 2>/dev/null)}")
  local paths=$reply[-1]
  reply=("${(@)reply[1,-2]//:/\\:}")
  reply=("${(@)reply/$'\t'/:}")
  _describe word reply
  compset -P '--*='
  case $paths in
    :files) _files ;;
    :directories) _files -/ ;;
  esac
}

# Sourced, or loaded from $fpath by its name.
if [[ ${funcstack[1]} == _patchbay ]]; then
  _patchbay "$@"
else
  compdef _patchbay patchbay
fi
)";

constexpr std::string_view kFish =
    R"(# Completion of patchbay for fish, made by "patchbay completion fish".

function __patchbay_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l reply ($words[1] __complete $words[2..] "$word" 2>/dev/null)
    string match -v -r '^:(none|files|directories)$' -- $reply
    contains -- :directories $reply; and __fish_complete_directories "$word"
    contains -- :files $reply
end

complete -c patchbay -e
complete -c patchbay -f -n 'not __patchbay_complete >/dev/null'
complete -c patchbay -a '(__patchbay_complete)'
)";

}  // namespace

int completion(Shell shell) {
  constexpr std::array kScripts{kBash, kZsh, kFish};
  return exit_code_of(print(std::string(kScripts.at(static_cast<size_t>(shell)))));
}

}  // namespace patchbay::cli
