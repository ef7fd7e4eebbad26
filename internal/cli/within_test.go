package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/urfave/cli/v2"
)

// TestEveryCommandFlagAndKeyIsJudged names what nobody has judged: put it into a row of
// internal/within/table.go, which says whether it makes looser what holds a run, if a
// command of that run's model uses it.
func TestEveryCommandFlagAndKeyIsJudged(t *testing.T) {
	var commandNames, flagNames, keyNames []string
	var walk func(before string, list []*cli.Command)
	walk = func(before string, list []*cli.Command) {
		for _, c := range list {
			if walk(before+c.Name+" ", c.Subcommands); len(c.Subcommands) == 0 {
				commandNames = append(commandNames, before+c.Name)
			}
		}
	}
	s := screen.New(os.Stdout, os.Stderr)
	defer s.Close()
	walk("", newProgram(os.Stdin, s, (&interrupts{}).begin, Sharing{}).commands)
	for _, f := range flagsOf((&options{}).table()) {
		if f.Name != "" {
			flagNames = append(flagNames, f.Name)
		}
	}
	for _, k := range config.All() {
		keyNames = append(keyNames, k.Name)
	}
	for _, kind := range []struct {
		what  string
		rows  []within.Row
		names []string
		row   func(string) (within.Row, bool)
	}{
		{"the command", within.Commands(), commandNames, within.Command},
		{"the flag", within.Flags(), flagNames, within.Flag},
		{"the key", within.Keys(), keyNames, within.Key},
	} {
		for _, name := range kind.names {
			if _, known := kind.row(name); !known {
				t.Errorf("%s %q is in no row of internal/within/table.go", kind.what, name)
			}
		}
		seen := map[string]bool{}
		for _, row := range kind.rows {
			for _, name := range row.Names {
				isOne := slices.Contains(kind.names, name)
				isAbove := slices.ContainsFunc(kind.names, func(n string) bool { return strings.HasPrefix(n, name+".") })
				if seen[name] || !isOne && !isAbove {
					t.Errorf("%s %q of internal/within/table.go is there twice, or does not exist", kind.what, name)
				}
				seen[name] = true
			}
		}
	}
}
