#compdef chibi
# Completion for chibi in zsh. Put this line into ~/.zshrc, after compinit:
#   source <(chibi completion zsh)
_chibi() {
  local -a found whole begun
  found=(${(f)"$(chibi __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)"})
  begun=(${(M)found:#*[:=]}) whole=(${found:#*[:=]})
  (( ${#begun} )) && compadd -Q -S '' -- ${(q)begun}
  (( ${#whole} )) && compadd -Q -- ${(q)whole}
  (( ${#found} )) || _files
}
compdef _chibi chibi
