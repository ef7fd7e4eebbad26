# Completion for chibi in fish. Put this line into ~/.config/fish/config.fish:
#   chibi completion fish | source
function __chibi_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (chibi __complete -- $words[2..] 2> /dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c chibi -f -a '(__chibi_complete)'
