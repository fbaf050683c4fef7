#include "cli/completion.h"

namespace cli {
namespace {

// Bash cuts words at '=' and ':' and wants only what follows; candidates are whole words.
constexpr const char* kBash = R"(# bash completion for kd
_kd() {
  local line=${COMP_LINE:0:COMP_POINT} words candidate cut=
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=${words[-1]}
  if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then cut=${current%"${current##*=}"}; fi
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then cut=${current%"${current##*[=:]}"}; fi
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("${candidate#"$cut"}")
  done < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=./] ]]; then compopt -o nospace; fi
}
complete -F _kd kd
)";

constexpr const char* kZsh = R"(#compdef kd
_kd() {
  local line candidate
  local -a whole whole_text open open_text
  for line in "${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    candidate=${line%%$'\t'*}
    [[ -z $candidate ]] && continue
    if [[ $candidate == *[=./\[] ]]; then
      open+=("$candidate") open_text+=("${line/$'\t'/  -- }")
    else
      whole+=("$candidate") whole_text+=("${line/$'\t'/  -- }")
    fi
  done
  (($#open)) && compadd -S '' -l -d open_text -a open
  (($#whole)) && compadd -l -d whole_text -a whole
}
compdef _kd kd
)";

constexpr const char* kFish = R"(# fish completion for kd
function __kd_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c kd -f -a '(__kd_complete)'
)";

}  // namespace

std::string completion_script(Shell shell) {
  return shell == Shell::bash ? kBash : shell == Shell::zsh ? kZsh : kFish;
}

}  // namespace cli
