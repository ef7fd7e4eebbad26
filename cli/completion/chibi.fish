# Completion for chibi in fish. Put this line into ~/.config/fish/config.fish:
#   chibi completion fish | source
function __chibi_complete
    set -l words (commandline -opc) (commandline -ct)
    chibi __complete -- $words[2..] 2> /dev/null
end
complete -c chibi -a '(__chibi_complete)'
