package cli

// helpText is what --help prints.
const helpText = `chibi - talk to a language model, and let plugins see and shape it

Usage:
   chibi [flags] prompt words...     ask; everything after the flags is the prompt
   chibi [flags] < file              ask what a pipe or a file says; with words, they come first
   chibi [flags] COMMAND             only if the words name a command and nothing follows

Examples:
   chibi "what does HTTP 418 mean?"
   git diff | chibi "review this"
   chibi -c work "hello"             switch to the context "work" for good, then ask
   chibi -C draft "hello"            use the context "draft" for this run only
   chibi -- demo                     ask the model "demo" instead of running the command

Contexts (named conversations that are kept):
   -c, --switch-context NAME         use NAME from now on; "-" is the previous one
   -C, --transient-context NAME      use NAME for this run only
   -l, --list-current-context        show the current context
   -L, --list-contexts               list all contexts

Plugins:
   -p, --plugin NAME [args...]       run a plugin's tool directly; it gets {"args": [...]}
   -P, --call-tool TOOL [json]       call any tool directly with JSON arguments
   --no-plugins                      run without plugins
   --trace FILE                      write what every hook received and answered, as JSON lines

Other:
   --home DIR                        use DIR instead of $CHIBI_HOME or ~/.chibi
   --set KEY=VALUE                   set a configuration value for this run, e.g. --set api.temperature=0.2
   --json-output                     print the conversation's new entries as JSON lines
   -v, --verbose                     say what happens on standard error
   -h, --help                        print this help
   --version                         print the version

Commands:
   chibi plugin list                 the plugins: files, tools, hooks, and which are left out and why
   chibi hook list                   the hook points
   chibi hook show POINT             what a plugin receives and may answer at a point
   chibi hook schema POINT           the same as JSON Schemas
   chibi demo                        see the example plugins at work

Exit status:
` + exitCodesHelp + `
`

// commandHelp is what COMMAND --help prints.
const commandHelp = `{{.HelpName}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}} - {{.Usage}}
{{range .VisibleFlags}}{{if ne (index .Names 0) "help"}}   {{.}}
{{end}}{{end}}`
