package cmdline

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"
)

// program is the flags of a small program, and where some of them put their values.
func program() (flags []*Flag, prompt *string) {
	name := []Value{{Word: "NAME", Kind: Context, Member: "name"}}
	prompt = new(string)
	compact := &Command{Names: []string{"compact"}, Data: "`context`"}
	showLog := &Command{Names: []string{"show_log", "log"}, Answers: "entries"}
	return []*Flag{
		{Command: &Command{Names: []string{"ask"}}, Takes: []Value{{Kind: Text, Member: "prompt"}},
			Into: func(text string) { *prompt = text }},
		{Name: "switch-context", Letters: "c", Takes: []Value{{Word: "NAME", Kind: NewContext}},
			Members: []string{"context.switch"}},
		{Name: "transient-context", Letters: "CS", Aliases: []string{"ephemeral-context"}, Part: "Contexts",
			Takes: []Value{{Word: "NAME", Kind: NewContext}}, About: "use NAME for this run",
			Members: []string{"context.transient", "context.ephemeral"}},
		{Name: "compact-current-context", Letters: "z", Part: "Contexts", About: "make room", Command: compact},
		{Name: "compact-context", Letters: "Z", Takes: name, Part: "Contexts", Command: compact},
		{Name: "show-current-log", Letters: "g", Takes: []Value{{Word: "N", Kind: Number, Member: "count"}},
			Command: showLog},
		{Name: "show-log", Letters: "G", Takes: []Value{{Word: "NAME", Kind: Context, Member: "context"},
			{Word: "N", Kind: Number, Member: "count"}},
			Command: showLog},
		{Name: "rename-context", Letters: "R", Takes: []Value{{Word: "OLD", Kind: Context, Member: "old"},
			{Word: "NEW", Kind: Text, Member: "new"}}},
		{Name: "set-username", Letters: "u", Takes: []Value{{Word: "NAME", Kind: Text}},
			Members: []string{"username_override.persistent"}},
		{Name: "transient-username", Letters: "U", Takes: []Value{{Word: "NAME", Kind: Text}},
			Members: []string{"username_override.transient", "username_override.ephemeral"}},
		{Name: "plugin", Letters: "p", Takes: []Value{{Word: "NAME", Kind: Tool, Member: "name"},
			{Word: "[args...]", Kind: Rest, Member: "args"}},
			Command: &Command{Names: []string{"run_plugin"}}},
		{Name: "set", Takes: []Value{{Word: "KEY=VALUE", Kind: Setting}}, Repeats: true, Beside: true},
		{Name: "no-chibi", Letters: "x", Aliases: []string{"force-call-user"},
			Members: []string{"flags.no_chibi", "flags.force_call_user"}},
		{Name: "json-output", Members: []string{"flags.json_output"}, Beside: true, On: true},
		{Name: "debug", Takes: []Value{{Word: "KEY", Kind: DebugKey}}, Members: []string{"flags.debug"}},
		{Name: "verbose", Letters: "v", Members: []string{"flags.verbose"}},
		{Name: "version", Command: &Command{Names: []string{"show_version"}, Data: "`version`"}},
	}, prompt
}

// parserFlags are the program's flags for the parser.
func parserFlags() []cli.Flag {
	flags, _ := program()
	return Flags(flags)
}

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		line  string
		flags []string
		words []string
		rest  []string
		err   string
	}{
		{line: "-cwork hello", flags: []string{"--switch-context=work"}, words: []string{"hello"}},
		{line: "-c work -v hello -v", flags: []string{"--switch-context=work", "--verbose"}, words: []string{"hello", "-v"}},
		{line: "-vxc-", flags: []string{"--verbose", "--no-chibi", "--switch-context=-"}},
		{line: "-g-5", flags: []string{"--show-current-log=-5"}},
		{line: "-g -5", flags: []string{"--show-current-log=-5"}},
		{line: "-Gwork -5", flags: []string{"--show-log=work", "--show-log=-5"}},
		{line: "--show-log=work 5 x", flags: []string{"--show-log=work", "--show-log=5"}, words: []string{"x"}},
		{line: "-c=work", flags: []string{"--switch-context=work"}},
		{line: "-- -code review", words: []string{"-code", "review"}},
		{line: "-p plug -name -c", flags: []string{"--plugin=plug"}, rest: []string{"-name", "-c"}},
		{line: "-vptool {}", flags: []string{"--verbose", "--plugin=tool"}, rest: []string{"{}"}},
		{line: "--ephemeral-context x", flags: []string{"--transient-context=x"}},
		{line: "--set a=b=c", flags: []string{"--set=a=b=c"}},
		{line: "-R old", err: "flag needs 2 arguments: -R"},
		{line: "-vj", err: "there is no flag -j"},
		{line: "--verbos hi", err: "there is no flag --verbos"},
	} {
		t.Run(test.line, func(t *testing.T) {
			l, err := Split(strings.Fields(test.line), parserFlags())
			if text := errorText(err); text != test.err {
				t.Fatalf("error = %q, want %q", text, test.err)
			}
			if err != nil {
				return
			}
			want := Line{Flags: test.flags, Words: test.words, Rest: test.rest, Ended: strings.HasPrefix(test.line, "-- ")}
			if diff := cmp.Diff(want, l, cmpopts.IgnoreUnexported(Line{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzSplit holds that words after "--" and after the first word that is no
// flag are never touched.
func FuzzSplit(f *testing.F) {
	f.Add("-vcwork", "--", "-code")
	f.Add("hello", "-c", "x")
	f.Add("-p", "name", "-c")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		fuzztest.Memory(t)
		args := []string{a, b, c}
		l, err := Split(slices.Clone(args), parserFlags())
		if err != nil {
			return
		}
		rest := slices.Concat(l.Words, l.Rest)
		if !slices.Equal(rest, args[len(args)-len(rest):]) {
			t.Errorf("%q was taken for %q", args, rest)
		}
	})
}

// TestParser runs the parser with what Split leaves to it.
func TestParser(t *testing.T) {
	for _, test := range []struct {
		line  string
		given map[string]Given
		twice string
		err   string
	}{
		{line: "-v -v -Gwork 5", given: map[string]Given{
			"verbose": {Times: 2}, "show-log": {Times: 1, Values: []string{"work", "5"}}}},
		{line: "--verbose=false --no-chibi=true", given: map[string]Given{"no-chibi": {Times: 1}}},
		{line: "--set a=1,2 --set b=", given: map[string]Given{"set": {Times: 2, Values: []string{"a=1,2", "b="}}}},
		{line: "-p dice -v", given: map[string]Given{
			"plugin": {Times: 1, Values: []string{"dice"}, Rest: []string{"-v"}}}},
		{line: "-c a -c b", twice: "--switch-context", given: map[string]Given{
			"switch-context": {Times: 2, Values: []string{"a", "b"}}}},
		{line: "--verbose=maybe", err: `--verbose takes no value; it got "maybe"`},
	} {
		t.Run(test.line, func(t *testing.T) {
			flags, _ := program()
			if err := parse(flags, strings.Fields(test.line)); errorText(err) != test.err {
				t.Fatalf("error = %v, want %q", err, test.err)
			} else if err != nil {
				return
			}
			if diff := cmp.Diff(test.given, givenBy(flags), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if twice := Twice(flags); twice != test.twice {
				t.Errorf("%q was given twice, want %q", twice, test.twice)
			}
		})
	}
}

func parse(flags []*Flag, args []string) error {
	app := &cli.App{Flags: Flags(flags), HideHelp: true, Action: func(*cli.Context) error { return nil },
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return ParserError(err) }}
	l, err := Split(args, app.Flags)
	if err != nil {
		return err
	}
	parserArgs, err := l.ParserArgs(nil)
	if err != nil {
		return err
	}
	return app.Run(parserArgs)
}

// givenBy is what the flags were given, by the name of the flag or of its command.
func givenBy(flags []*Flag) map[string]Given {
	all := map[string]Given{}
	for _, f := range flags {
		name := f.Name
		if name == "" {
			name = f.Command.Names[0]
		}
		if given := f.Given(); given.Times > 0 {
			all[name] = given
		}
	}
	return all
}
