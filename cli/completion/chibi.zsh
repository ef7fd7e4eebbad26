#compdef chibi
# Completion for chibi in zsh. Put this line into ~/.zshrc, after compinit:
#   source <(chibi completion zsh)
_chibi() {
  local -a found
  found=(${(f)"$(chibi __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)"})
  if (( ${#found} )); then
    compadd -Q -- ${(q)found}
  else
    _files
  fi
}
compdef _chibi chibi
