package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/srcdoc"
	"github.com/urfave/cli/v2"
)

// parsed is what flags say that stand on a command line, and the words after them.
func parsed(t *testing.T, line string) (o *options, words []string) {
	t.Helper()
	o = &options{}
	rows := o.table()
	app := &cli.App{Flags: cmdline.Flags(flagsOf(rows)), HideHelp: true, HideVersion: true,
		Action: func(*cli.Context) error { return nil }}
	l, err := cmdline.Split(strings.Fields(line), app.Flags)
	if err != nil {
		t.Fatal(err)
	}
	args, err := l.ParserArgs(nil)
	if err == nil {
		err = app.Run(args)
	}
	if err != nil {
		t.Fatal(err)
	}
	o.asked = operation.AskedOf(rows)
	return o, l.Words
}

func TestFlagsDoNotShareNames(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range cmdline.NamesOf(cmdline.Flags(flagsOf((&options{}).table()))) {
		if seen[name] {
			t.Errorf("%s is the name of two flags", name)
		}
		seen[name] = true
	}
}

// TestOperationsCanBeAskedForAsJSON holds that what a flag does, --json-config can
// ask for too, but for the flags that keep a setting.
func TestOperationsCanBeAskedForAsJSON(t *testing.T) {
	for _, r := range (&options{}).table() {
		if r.Run != nil && r.Phase != operation.PhaseSettings && r.Command == nil {
			t.Errorf("%s has no command of --json-config", r.Written())
		}
		if r.Run != nil && r.Role == operation.Says {
			t.Errorf("%s has an operation, but its role is to say how the run is done", r.Written())
		}
	}
}

// TestWhatFlagsMeanForThePrompt is about standard input that a program writes.
func TestWhatFlagsMeanForThePrompt(t *testing.T) {
	const (
		asked    = "a prompt is asked"
		notAsked = "no prompt is asked"
	)
	for line, want := range map[string]string{
		"":                          asked,
		"hi":                        asked,
		"-c work":                   asked,
		"-u Ada":                    asked,
		"-v --set model=x":          asked,
		"-a":                        notAsked,
		"-a hi":                     asked,
		"-y terse hi":               asked,
		"-B work":                   notAsked,
		"--wait-for-mail":           notAsked,
		"--wait-for-mail hi":        asked,
		"--wait-for-mail --loop":    notAsked,
		"--loop":                    "--loop is for --wait-for-mail",
		"-C w --loop hi":            "--loop is for --wait-for-mail",
		"--wait-for-mail --loop hi": "--loop waits for mail until you end the run, and never comes to the prompt",
		"--clear-cache":             notAsked,
		"-L --newest --limit 5":     notAsked,
		"--limit 5":                 "--limit is for -L, which is not given",
		"--newest hi":               "--newest is for -L, which is not given",
		"-L --limit 0":              "--limit takes a number of contexts, such as 50",
		"--debug all":               asked,
		"--debug destroy_at=0":      notAsked,
		"--set a=b --save":          notAsked,
		"-l":                        notAsked,
		"-Xl":                       asked,
		"-X -L hi":                  asked,
		"-p dice 6":                 notAsked,
		"-xa":                       notAsked,
		"-xX hi":                    asked,
		"-l hi":                     "-l does not ask the model, but there is a prompt",
		"-A work hi":                "-A does not ask the model, but there is a prompt",
		"-aG work 5 hi":             "-G does not ask the model, but there is a prompt",
		"-d hi":                     "-d does not ask the model, but there is a prompt",
		"-Xd hi":                    "-d destroys the context of the prompt",
		"-x hi":                     "-x does not ask the model, but there is a prompt",
		"-x":                        "there is nothing to do",
		"-x -c work":                notAsked,
		"-e terse -l":               "-e sets a system prompt for this run only",
		"-e terse -b":               notAsked,
		"-e terse -z":               "-e sets a system prompt for this run only",
		"--arg a=b hi":              "--arg gives a recipe its arguments",
		"--save":                    "--save saves the values of --set",
		"--debug nonsense":          "--debug nonsense: unknown key",
		"--destroy-at soon":         "destroy_at=soon: want a number of seconds since 1970",
		"--recipe compact -x":       "-x does not ask the model, but there is a prompt",
		"--recipe compact -g 5":     "-g does not ask the model, but there is a prompt",
		"--recipe compact --raw":    asked,
	} {
		t.Run(line, func(t *testing.T) {
			o, words := parsed(t, line)
			got := notAsked
			if err := checkCombination(o, words, false); err != nil {
				got = err.Error()
			} else if wantsPrompt(o, words, false) {
				got = asked
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestOperationsNeedWhatTheyUse(t *testing.T) {
	for line, want := range map[string]operation.Need{
		"-l": operation.NeedsNothing, "-a": operation.NeedsNothing, "-Z work": operation.NeedsGuards,
		"-p dice": operation.NeedsGuards, "-z": operation.NeedsModel,
		"-z -b": operation.NeedsAnswer, "-l -B work": operation.NeedsAnswer,
	} {
		if o, _ := parsed(t, line); o.asked.Need() != want {
			t.Errorf("%s needs %d, want %d", line, o.asked.Need(), want)
		}
	}
}

// TestCommandsOfJSONAreDocumented compares the table of docs/JSON.md with the
// flags. With CHIBI_DRAW=1 it writes it anew.
func TestCommandsOfJSONAreDocumented(t *testing.T) {
	const path, block = "../../docs/JSON.md", "commands"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh, found := srcdoc.Fill(string(page), block, cmdline.CommandTable(flagsOf((&options{}).table())))
	if !found {
		t.Fatalf("%s has no %s...%s", path, srcdoc.Block(block), srcdoc.BlockEnd)
	}
	if os.Getenv("CHIBI_DRAW") != "" {
		err = os.WriteFile(path, []byte(fresh), 0o644)
	}
	if err != nil || os.Getenv("CHIBI_DRAW") == "" && fresh != string(page) {
		t.Errorf("docs/JSON.md is out of date (%v); CHIBI_DRAW=1 go test ./internal/cli -run TestCommandsOfJSONAreDocumented",
			err)
	}
}
