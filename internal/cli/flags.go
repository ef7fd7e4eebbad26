package cli

import (
	"os"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/within"
)

// options are what the flags set for a run, and the operations that they ask for.
// Flags that take values are lists of values: nil if the flag was not given.
type options struct {
	sharing   Sharing // what the program has for stores that machines share
	home      string
	store     *string // --store; nil: not given
	verbose   bool
	quiet     bool
	wait      bool
	noSave    bool
	noTrace   bool
	strict    bool
	yes       bool
	raw       bool
	noPlugins bool
	noHooks   bool

	trustProject bool
	recipe, args []string
	trace        string
	settings     operation.Settings
	permissions  operation.Permissions
	debug        operation.Debug
	mail         operation.WaitingForMail
	listing      operation.Listing
	jsonOutput   bool
	jsonConfig   bool
	jsonSchema   bool
	version      bool
	help         bool

	switchTo, transient []string // -c, -C
	runSystemPrompt     []string // -e
	noModel, forceModel bool     // -x, -X

	prompt *string         // given by --json-config
	asked  operation.Asked // the operations, in the order of the table
}

func (o *options) applyTo(out *output.Printer) {
	out.Screen.Quiet = o.quiet
	out.AsJSON, out.Verbose = o.jsonOutput, o.verbose
}

// forPrompt names the flags that were given and that only a prompt uses.
func (o *options) forPrompt() (names []string) {
	for _, flag := range []struct {
		name  string
		given []string
	}{{"--recipe", o.recipe}, {"--arg", o.args}, {"-e", o.runSystemPrompt}} {
		if flag.given != nil {
			names = append(names, flag.name)
		}
	}
	return names
}

func (o *options) table() []operation.Row {
	return slices.Concat(
		inputFlags(o),
		part(partContexts, switchFlags(o), operation.ShowRows(&o.listing), operation.LogRows(), operation.ContextRows(),
			operation.MailRows(), o.mail.Rows(), operation.SystemPromptRows(&o.runSystemPrompt),
			operation.InspectRows(), operation.CacheRows()),
		part(partModel, o.settings.Rows(), modelFlags(o)),
		part(partTools, o.permissions.Rows()),
		part(partPlugins, operation.CallRows(), pluginFlags(o)),
		part(partRecipes, recipeFlags(o)),
		part(partOther, otherFlags(o), o.debug.Rows(), endFlags(o), operation.Nothing()),
	)
}

func part(heading string, lists ...[]operation.Row) []operation.Row {
	rows := slices.Concat(lists...)
	for _, r := range rows {
		r.Part = heading
	}
	return rows
}

func flagsOf(rows []operation.Row) (list []*cmdline.Flag) {
	for _, r := range rows {
		list = append(list, r.Flag)
	}
	return list
}

func switchFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "switch-context", Letters: "c", Takes: cmdline.Word("NAME", cmdline.NewContext),
			About:   `use NAME from now on; "new" and "new:PREFIX" generate a name`,
			Members: []string{"context.switch"}, Into: cmdline.List(&o.switchTo)},
			Operation: operation.Operation{Role: operation.Settles}},
		{Flag: &cmdline.Flag{Name: "transient-context", Letters: "CS", Aliases: []string{"ephemeral-context", "sub-context"},
			Takes: cmdline.Word("NAME", cmdline.NewContext), About: "use NAME for this run only",
			Members: []string{"context.transient", "context.ephemeral"}, Into: cmdline.List(&o.transient)}},
	}
}

func modelFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "no-chibi", Letters: "x", Aliases: []string{"force-call-user"},
			About:   "do not ask the model",
			Members: []string{"flags.no_chibi", "flags.force_call_user"}, Into: cmdline.Switch(&o.noModel)}},
		{Flag: &cmdline.Flag{Name: "force-chibi", Letters: "X", Aliases: []string{"force-call-agent"},
			About:   "ask the model also with flags that otherwise do not, such as -l, -L and -g",
			Members: []string{"flags.force_chibi", "flags.force_call_agent"}, Into: cmdline.Switch(&o.forceModel)}},
	}
}

func pluginFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "no-plugins", About: "run without plugins, and without other programs' hooks",
			Beside: true, Into: cmdline.Switch(&o.noPlugins)}},
		{Flag: &cmdline.Flag{Name: "no-hooks", About: "run no hooks; tools remain",
			Beside: true, Into: cmdline.Switch(&o.noHooks)}},
		{Flag: &cmdline.Flag{Name: "trust-project",
			About:  "run the hooks and recipes that came with this directory without approval, in this run only",
			Beside: true, Into: cmdline.Switch(&o.trustProject)}},
		{Flag: &cmdline.Flag{Name: "no-trace", About: "keep no trace of this run in its context",
			Members: []string{"flags.no_trace"}, Beside: true, Into: cmdline.Switch(&o.noTrace)}},
		{Flag: &cmdline.Flag{Name: "trace", Takes: cmdline.Word("FILE", cmdline.File), Repeats: true,
			About:  "write the payload and the answer of every hook to FILE, as JSON lines",
			Beside: true, Into: cmdline.Last(&o.trace)}},
	}
}

func recipeFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "recipe", Takes: cmdline.Word("NAME", cmdline.Recipe),
			About: "ask with a recipe; prompt words and piped text follow its text", Into: cmdline.List(&o.recipe)}},
		{Flag: &cmdline.Flag{Name: "arg", Takes: cmdline.Word("NAME=VALUE", cmdline.Argument), Repeats: true,
			About: "give the recipe an argument", Into: cmdline.List(&o.args)}},
	}
}

func otherFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "home", Takes: cmdline.Word("DIR", cmdline.File), Repeats: true,
			About: "use DIR instead of $CHIBI_HOME or ~/.chibi", Beside: true, Into: cmdline.Last(&o.home)}},
		{Flag: &cmdline.Flag{Name: "store", Takes: cmdline.Word("URL", cmdline.Text), Repeats: true,
			About:  `keep contexts in the store at URL, which machines share; "files": in the home`,
			Beside: true, Into: func(url string) { o.store = &url }}},
		{Flag: &cmdline.Flag{Name: "wait", About: "wait for a context that another process uses",
			Members: []string{"flags.wait"}, Beside: true, Into: cmdline.Switch(&o.wait)}},
		{Flag: &cmdline.Flag{Name: "no-save",
			About:   "keep nothing of this run's conversation; it needs no lock, so the context may be in use",
			Members: []string{"flags.no_save"}, Beside: true, Into: cmdline.Switch(&o.noSave)}},
		{Flag: &cmdline.Flag{Name: "strict", About: "end with exit status 9 if chibi refused each call of the model",
			Members: []string{"flags.strict"}, Beside: true, Into: cmdline.Switch(&o.strict)}},
		{Flag: &cmdline.Flag{Name: "yes", About: "do not ask for confirmation",
			Members: []string{"flags.yes"}, Beside: true, Into: cmdline.Switch(&o.yes)}},
		{Flag: &cmdline.Flag{Name: "raw",
			About:   "print answers unchanged; otherwise a terminal shows them rendered as Markdown",
			Members: []string{"flags.raw"}, Beside: true, Into: cmdline.Switch(&o.raw)}},
		{Flag: &cmdline.Flag{Name: "json-output", About: "print new entries and results as JSON lines",
			Members: []string{"flags.json_output"}, Beside: true, On: true, Into: cmdline.Switch(&o.jsonOutput)}},
		{Flag: &cmdline.Flag{Name: "json-config",
			About: "read the run from standard input as JSON, answer with JSON lines; --json-schema describes it",
			Into:  cmdline.Switch(&o.jsonConfig)}},
	}
}

func endFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "verbose", Letters: "v", About: "report on standard error what happens",
			Members: []string{"flags.verbose"}, Into: cmdline.Switch(&o.verbose)}},
		{Flag: &cmdline.Flag{Name: "quiet", Letters: "q",
			About:   "do not show progress and tool calls on the terminal",
			Members: []string{"flags.quiet"}, Beside: true, Into: cmdline.Switch(&o.quiet)}},
		{Flag: &cmdline.Flag{Name: "help", Letters: "h", About: "print this help",
			Command: &cmdline.Command{Names: []string{"show_help"},
				Data: "`commands`: the names of this table; of two names, the first"},
			Into: cmdline.Switch(&o.help)}},
		{Flag: &cmdline.Flag{Name: "version", About: "print the version",
			Command: &cmdline.Command{Names: []string{"show_version"}, Data: "`version`"},
			Into:    cmdline.Switch(&o.version)}},
	}
}

// inputFlags are not listed by --help: the prompt, which is a command of --json-config
// only, and --json-schema, which the line of --json-config mentions.
func inputFlags(o *options) []operation.Row {
	return []operation.Row{
		{Flag: &cmdline.Flag{Command: &cmdline.Command{Names: []string{"send_prompt"}, Answers: "entries"},
			Takes: []cmdline.Value{{Kind: cmdline.Text, Member: "prompt"}},
			Into:  func(text string) { o.prompt = &text }}},
		{Flag: &cmdline.Flag{Name: "json-schema", Into: cmdline.Switch(&o.jsonSchema)}},
	}
}

func checkWithin(m *within.Mark, o *options, rows []operation.Row) error {
	if m == nil {
		return nil
	}
	for _, r := range rows {
		if r.Given().Times == 0 || r.Name == "" {
			continue
		}
		row, known := within.Flag(r.Name)
		if !known || row.Refused() && !(row.Shared && m.Has(r.Name)) {
			return app.UsageError{Err: m.Refusal("--"+r.Name, row)}
		}
	}
	if err := within.CheckWrite(m, "--trace", o.trace); err != nil {
		return err
	}
	if o.settings.Save {
		return app.CheckSaved(m, o.settings.Set)
	}
	return app.CheckSet(m, o.settings.Set)
}

func readWithin(stdin *os.File) (*within.Mark, error) {
	m, err := within.Read(os.Getenv)
	if err != nil {
		return nil, app.UsageError{Err: err}
	}
	if m != nil {
		m.OnTerminal = screen.IsTerminal(stdin)
	}
	return m, nil
}
