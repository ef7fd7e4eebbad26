package cli

// helpText is what --help prints.
const helpText = `chibi - talk to a language model, and let plugins see and shape it

Usage:
   chibi                             talk: a prompt with history and several lines, until Ctrl-D; /help lists
                                     the commands that can be typed there
   chibi [flags] prompt words...     ask; everything after the flags is the prompt
   chibi [flags] < file              ask what a pipe or a file says; with words, they come first
   chibi [flags] COMMAND             only if the words name a command, with what it takes

Examples:
   chibi "what does HTTP 418 mean?"
   git diff | chibi "review this"
   chibi -c work "hello"             switch to the context "work" for good, then ask
   chibi -C draft "hello"            use the context "draft" for this run only
   chibi -a -y "You are terse" "hi"  archive the conversation, set the system prompt, then ask
   chibi -- demo                     ask the model "demo" instead of running the command

Small letters are about the current context, capital letters about the one that
is named; "-" names the previous one. Short flags may be written together, with
the value attached: -vcwork.

Contexts (named conversations that are kept):
   -c, --switch-context NAME         use NAME from now on; "new" and "new:PREFIX" make a name
   -C, -S, --transient-context NAME  use NAME for this run only
   -l, --list-current-context        show the current context
   -L, --list-contexts               list all contexts
   -g, --show-current-log N          show the last N entries, the first N if it is -N, all if it is 0
   -G, --show-log NAME N
   -a, --archive-current-history     empty the context; the transcript keeps everything
   -A, --archive-history NAME
   -z, --compact-current-context     replace the conversation by a summary that the model writes
   -Z, --compact-context NAME
   -r, --rename-current-context NEW
   -R, --rename-context OLD NEW
   -d, --destroy-current-context     delete with everything in it, after a question
   -D, --destroy-context NAME
   -b, --check-all-inboxes           let the model deal with the mail that waits in every context
   -B, --check-inbox-for NAME
   -y, --set-current-system-prompt TEXT   a text, or a file that holds it
   -Y, --set-system-prompt NAME TEXT
   -e, --transient-system-prompt TEXT     the same as -y for this run only; nothing of it is kept
   -n, --inspect-current THING       show a text or a configuration value; "list" names them all
   -N, --inspect NAME THING
   --clear-cache                     remove the large tool outputs of the current context
   --clear-cache-for NAME
   --cleanup-cache                   remove old ones in all contexts, as happens at the end of every run

Model and settings:
   -u, --set-username NAME           what the model calls you in this context, from now on
   -U, --transient-username NAME     the same for this run
   -s, --set KEY=VALUE               set a configuration value for this run, e.g. --set api.temperature=0.2
   --save                            keep what --set says in this context's local.toml
   -x, --no-chibi                    do not ask the model
   -X, --force-chibi                 ask it although -l, -L, -g and the like do not

Plugins:
   -p, --plugin NAME [args...]       run a plugin's tool directly; it gets {"args": [...]}
   -P, --call-tool TOOL [json]       call any tool directly with JSON arguments
   --no-plugins                      run without plugins, and without other programs' hooks
   --no-hooks                        ask no hooks at all; tools stay
   --trust-project                   run what came with this folder, this time, without an approval
   --trace FILE                      write what every hook received and answered, as JSON lines

Recipes (prepared prompts in files):
   --recipe NAME                     ask with a recipe; words and a pipe come after its text
   --arg NAME=VALUE                  give it an argument

Other:
   --home DIR                        use DIR instead of $CHIBI_HOME or ~/.chibi
   --wait                            wait for a context that another process uses
   --yes                             do not ask before destroying
   --raw                             print answers as they come; on a terminal they are rendered as Markdown
   --json-output                     print new entries and results as JSON lines
   --json-config                     read the whole run as JSON, answer with JSON lines; --json-schema describes it
   --debug KEY[,KEY...]              request-log, response-meta, all, force-markdown, destroy_at=TIME,
                                     destroy_after_seconds_inactive=SECONDS
   --destroy-at TIME, --destroy-after-inactive SECONDS   the same as these two keys
   -v, --verbose                     say what happens on standard error
   -q, --quiet                       show neither what is waited for nor tool calls and the like on the terminal
   -h, --help                        print this help
   --version                         print the version

Whatever their order: settings are saved first, then contexts are destroyed,
archived, compacted, renamed, given a system prompt, shown; then tools are
called, mail is dealt with, and the prompt is asked.

Commands (COMMAND --help has more):
   chibi context list|show|switch|rename|archive|compact|delete
   chibi history                     what was said, by time, text and number, from the whole transcript
   chibi retry                       send the latest prompt again, if it got no answer
   chibi cache list|show|clear       tool outputs too large to show
   chibi plugin new|check|test|watch  write a plugin; find what is wrong with it; test it; while you edit
   chibi plugin install|show|enable|disable|remove
   chibi trace [explain [ABOUT]]     what plugins did in the newest turn: as a timeline, in sentences, as a page;
                                     ABOUT is a plugin, tool, hook, place in the request, prompt, context
   chibi replay                      fire a turn's hooks again at today's plugins; what differs
   chibi doctor                      look for what is wrong, with what to do about it
   chibi tool call TOOL [JSON]       run one tool, alone or as a turn would
   chibi plugin list                 all plugins, of chibi, Kodelet and Kode: order, tools, hooks; what is left out, why
   chibi recipe run|list|show        prepared prompts; "chibi recipe run compact" compacts
   chibi trust [FOLDER]              see what a folder's hooks and recipes would run, and approve them
   chibi hook fire POINT             try a hook without a conversation
   chibi hook list|show|schema       the hook points; what a plugin receives and may answer at one
   chibi completion bash|zsh|fish    the script that completes chibi's words in a shell
   chibi demo                        see the example plugins at work

Exit status:
` + exitCodesHelp + `
`

// commandHelp is what COMMAND --help prints.
const commandHelp = `{{.HelpName}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}} - {{.Usage}}
{{range .VisibleFlags}}{{if ne (index .Names 0) "help"}}   {{.}}
{{end}}{{end}}{{if .Description}}
For example:
   {{.Description}}
{{end}}`
