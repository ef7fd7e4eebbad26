# Completion for chibi in bash. Put this line into ~/.bashrc:
#   source <(chibi completion bash)
_chibi() {
  local line="${COMP_LINE:0:COMP_POINT}" words word last before="" program=chibi
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  last="${words[${#words[@]} - 1]}"
  # a relative path is not run before the line is entered
  [[ "${words[0]}" == /* ]] && program="${words[0]}"
  # bash completes only what follows the last ":" or "="
  [[ "$last" == *[:=]* ]] && before="${last%"${last##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r word; do
    word="${word#"$before"}"
    [[ -n "$word" ]] && printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done < <("$program" __complete -- "${words[@]:1}" 2> /dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[:=] ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o default -F _chibi chibi
