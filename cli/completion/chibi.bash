# Completion for chibi in bash. Put this line into ~/.bashrc:
#   source <(chibi completion bash)
_chibi() {
  local line="${COMP_LINE:0:COMP_POINT}" words word last before=""
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  last="${words[${#words[@]} - 1]}"
  # bash completes only what follows the last ":" or "="
  [[ "$last" == *[:=]* ]] && before="${last%"${last##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("${word#"$before"}")
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2> /dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[:=] ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o default -F _chibi chibi
