package cmdline

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"
)

// programCommands are the commands of a small program.
func programCommands() []*cli.Command {
	plugins := &Flag{Name: "plugin", Takes: Word("NAME", Plugin), Repeats: true, About: "ask only the plugin NAME"}
	asJSON := &cli.BoolFlag{Name: "json"}
	return []*cli.Command{
		{Name: "context", Subcommands: []*cli.Command{
			{Name: "list", Flags: []cli.Flag{asJSON}},
			{Name: "rename", ArgsUsage: "OLD NEW"},
			{Name: "show", ArgsUsage: "[NAME]", Flags: []cli.Flag{asJSON}},
		}},
		{Name: "fire", ArgsUsage: "POINT", Flags: []cli.Flag{plugins, asJSON}},
		{Name: "run", ArgsUsage: "RECIPE [TEXT]..."},
		{Name: "demo"},
		{Name: "trace", ArgsUsage: "[explain|FILE] [ABOUT]"},
	}
}

// TestWhichWordsAreACommand: what a person means as a command is one or an error, and a sentence
// that begins with the name of a command is a prompt.
func TestWhichWordsAreACommand(t *testing.T) {
	const prompt = ""
	for line, want := range map[string]string{
		"demo":                       "demo",
		"demo the new feature to me": prompt,
		"demo this":                  `error: chibi demo takes no words; "this" follows it`,
		"demo --json":                "demo", // the parser says that it has no such flag
		"demo of it --json":          `error: chibi demo takes no words; "of it --json" follows it`,
		"demo of it -h":              "demo",
		"-v demo":                    "demo",
		"-- demo":                    prompt,
		"-- context list a":          prompt,

		"context":                 "context",
		"context -h":              "context",
		"context lst -h":          "context",
		"context --json":          "error: there is no flag --json",
		"context lst":             `error: there is no command "context lst" (did you mean "context list"?)`,
		"context lst --json":      `error: there is no command "context lst" (did you mean "context list"?)`,
		"context is":              `error: there is no command "context is"`,
		"context is everything":   prompt,
		"context is a --flag":     `error: there is no command "context is"`,
		"context of - everything": prompt,

		"context list":                "list",
		"context list --json":         "list",
		"context list of what I said": `error: chibi context list takes no words; "of what I said" follows it`,
		"context show":                "show",
		"context show work":           "show",
		"context show work --json":    "show",
		"context show work and play":  `error: chibi context show takes [NAME]; "work and play" follows it`,
		"context rename a b":          "rename",
		"context rename a b c":        `error: chibi context rename takes OLD NEW; "a b c" follows it`,

		"fire pre_tool":               "fire",
		"fire --plugin a pre_tool":    "fire",
		"fire pre_tool --nonsense":    "fire",
		"fire the canon":              prompt,
		"fire in the hole --nonsense": `error: chibi fire takes POINT; "in the hole --nonsense" follows it`,
		"run review and be quick":     "run",
		"trace explain":               "trace",
		"trace explain shell":         "trace",
		"trace explain git status":    `error: chibi trace takes [explain|FILE] [ABOUT]; "explain git status" follows it`,
		"trace the cause of it":       prompt,
		"hello":                       prompt,
		"hello demo":                  prompt,
		"hello --demo":                prompt,
		"":                            prompt,
	} {
		t.Run(line, func(t *testing.T) {
			l, err := Split(strings.Fields(line), parserFlags())
			if err != nil {
				t.Fatal(err)
			}
			found, err := l.Command(programCommands())
			got, _, _ := strings.Cut("error: "+errorText(err), "; see chibi ")
			if err == nil && found != nil {
				got = found.Name
			} else if err == nil {
				got = prompt
			}
			if got != want {
				t.Errorf("it is %q, want %q", got, want)
			}
		})
	}
}

func TestWhatTheParserGets(t *testing.T) {
	for line, want := range map[string]string{
		"hello there":                "chibi -- hello there",
		"-v hello -c":                "chibi --verbose -- hello -c",
		"-vcwork hello":              "chibi --verbose --switch-context=work -- hello",
		"-- -v":                      "chibi -- -v",
		"context":                    "chibi context",
		"-v context show --json x":   "chibi --verbose context show --json -- x",
		"context show x --json":      "chibi context show --json -- x",
		"context show -- --json":     "chibi context show -- --json",
		"context show --help":        "chibi context show --help",
		"context show x -h":          "chibi context show -h",
		"fire x --plugin a=b --json": "chibi fire --plugin=a=b --json -- x",
		"fire x --nope": "there is no flag --nope; see chibi fire --help, or put -- before fire if it is a " +
			"prompt",
		"context list x": `chibi context list takes no words; "x" follows it; see chibi context list --help, or put -- ` +
			"before context if it is a prompt",
		"context lst x -h": "chibi context",
		"fire x -C work": "there is no flag -C behind a command: chibi -C CONTEXT fire, or put -- before fire if " +
			"it is a prompt",
		"fire x --plugin": "flag needs an argument: --plugin; see chibi fire --help",
		"--nope hello": "there is no flag --nope; see chibi --help, or put -- before a prompt that begins with " +
			"a dash",
		"-R work": "flag needs 2 arguments: -R; see chibi --help",
	} {
		t.Run(line, func(t *testing.T) {
			l, err := Split(strings.Fields(line), parserFlags())
			var args []string
			var found *cli.Command
			if err == nil {
				found, err = l.Command(programCommands())
			}
			if err == nil {
				args, err = l.ParserArgs(found)
			}
			got := strings.Join(args, " ")
			if err != nil {
				got = SeeHelp(err).Error()
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestArity(t *testing.T) {
	for usage, want := range map[string][2]int{
		"": {0, 0}, "NAME": {1, 1}, "[NAME]": {0, 1}, "OLD NEW": {2, 2}, "TOOL [JSON]": {1, 2},
	} {
		if least, most := Arity(&cli.Command{ArgsUsage: usage}); least != want[0] || most != want[1] {
			t.Errorf("%q takes %d to %d words, want %v", usage, least, most, want)
		}
	}
	if least, most := Arity(&cli.Command{ArgsUsage: "RECIPE [TEXT]..."}); least != 1 || most < 1000 {
		t.Errorf("a list takes %d to %d words", least, most)
	}
}

func TestEnding(t *testing.T) {
	flags := parserFlags()
	for word, want := range map[string]string{
		"--show-log": "show-log", "-G": "show-log", "-vG": "show-log", "-S": "transient-context",
		"--ephemeral-context": "transient-context", "-": "", "G": "", "--": "", "-vj": "",
	} {
		got := ""
		if f := Ending(flags, word); f != nil {
			got = f.Names()[0]
		}
		if got != want {
			t.Errorf("%s ends with the flag %q, want %q", word, got, want)
		}
	}
}

func TestNamesAndValuesOfFlags(t *testing.T) {
	flags := parserFlags()
	want := []string{"--transient-context", "-C", "-S", "--ephemeral-context"}
	if got := NamesOf([]cli.Flag{Find(flags, "S")}); !slices.Equal(got, want) {
		t.Errorf("names = %v, want %v", got, want)
	}
	for name, want := range map[string][]Kind{
		"show-log": {Context, Number}, "plugin": {Tool, Rest}, "verbose": nil, "rename-context": {Context, Text},
	} {
		if diff := cmp.Diff(want, kindsOf(Find(flags, name)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := kindsOf(&cli.StringFlag{Name: "since"}); !slices.Equal(got, []Kind{Text}) {
		t.Errorf("the parser's own flag takes %v", got)
	}
}

// kindsOf are the kinds of the words that a flag takes.
func kindsOf(f cli.Flag) (kinds []Kind) {
	for _, value := range Values(f) {
		kinds = append(kinds, value.Kind)
	}
	return kinds
}

func TestHowFlagsAreShown(t *testing.T) {
	f := &Flag{Name: "plugin", Takes: Word("NAME", Plugin), About: "ask only the plugin NAME"}
	if got, want := f.String(), "--plugin NAME\task only the plugin NAME"; got != want {
		t.Errorf("help shows %q, want %q", got, want)
	}
	for want, f := range map[string]*Flag{
		"-C": {Name: "transient-context", Letters: "CS"}, "--save": {Name: "save"},
		"no_op": {Command: &Command{Names: []string{"no_op"}}},
	} {
		if got := f.Written(); got != want {
			t.Errorf("written %q, want %q", got, want)
		}
	}
}

func TestWhereValuesGo(t *testing.T) {
	var given bool
	var last string
	var all []string
	flags := []*Flag{
		{Name: "wait", Into: Switch(&given)},
		{Name: "home", Takes: Word("DIR", File), Repeats: true, Into: Last(&last)},
		{Name: "set", Takes: Word("KEY=VALUE", Setting), Repeats: true, Into: List(&all)},
	}
	if err := parse(flags, strings.Fields("--wait --home a --set x=1 --home b --set y=2,3")); err != nil {
		t.Fatal(err)
	}
	if !given || last != "b" || !slices.Equal(all, []string{"x=1", "y=2,3"}) {
		t.Errorf("got %v, %q and %q", given, last, all)
	}
	if err := parse(flags, []string{"--wait=false"}); err != nil || given {
		t.Errorf("--wait=false: %v, %v", given, err)
	}
}
