package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/permissions"
)

// markFor returns what commands that a tool runs for the model are told about the session.
func markFor(s *Session, tool string) within.Mark {
	m := within.Mark{Tool: tool, Home: toldHome(s), Context: s.Name(), Flags: looseFlags(s.opts)}
	m.Settings, _ = config.Holding(sources(s, s.opts.Set)) // they were read before
	return m
}

// looseFlags lists the flags of a run that runs within it may have too.
func looseFlags(o Options) (names []string) {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"trust-tools", o.Permissions.TrustTools}, {"accept-edits", o.Permissions.AcceptEdits},
		{"no-plugins", o.Plugins.None}, {"no-hooks", o.Plugins.NoHooks}, {"trust-project", o.TrustProject},
	} {
		if flag.given {
			names = append(names, flag.name)
		}
	}
	return names
}

// commandEnv returns the environment of commands that a tool runs for the model. A chibi that
// they start uses the home of the session.
func commandEnv(l *Loader, tool string) []string {
	return append(l.env.list(true), "CHIBI_HOME="+l.told, l.mark(tool).Pair())
}

// CheckSet returns an error for the first key of --set that is refused within a command of a model.
func CheckSet(m *within.Mark, set []string) error {
	for _, pair := range set {
		keys, err := config.SetKeys(pair)
		if err != nil {
			return UsageError{err}
		}
		if err := refuseKeys(m, keys, "--set ", ""); err != nil {
			return UsageError{err}
		}
	}
	return nil
}

// refuseKeys returns an error for the first of some keys that is refused.
func refuseKeys(m *within.Mark, keys []string, before, after string) error {
	for _, key := range keys {
		if row, known := within.Key(key); known && row.Refused() {
			return m.Refusal(before+key+after, row)
		}
	}
	return nil
}

// checkHome returns an error for another home than that of the run around a command of a model.
// Other agents name the home whose plugins they ask.
func checkHome(s *Session) error {
	m := s.opts.Within
	if m == nil || s.opts.Bridge != nil || isSameFile(s.Home, m.Home) {
		return nil
	}
	return UsageError{m.Refusal("the home "+s.Home, within.Row{Why: "the rules and plugins of " + m.Home +
		" would not hold there", Instead: within.ByYourself})}
}

// isSameFile reports whether two paths lead to one file or directory, or are equal where there is
// none yet.
func isSameFile(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other) || filepath.Clean(a) == filepath.Clean(b)
}

// checkContext returns an error for a context whose own settings make looser what holds the run
// around a command of a model. Those of the context of that run hold it already.
func checkContext(s *Session) error {
	m := s.opts.Within
	if m == nil || s.Name() == m.Context || s.local.IsShared {
		return nil
	}
	keys, err := s.local.Keys()
	if err != nil {
		return err
	}
	return refuseKeys(m, keys, fmt.Sprintf("context %q with ", s.Name()), " in its local.toml")
}

// MayLose returns an error if a context has settings about what the model may do, which runs within a
// command of a model must not take away.
func MayLose(ctx context.Context, s *Session, name string) error {
	if s.opts.Within == nil {
		return nil
	}
	c, err := s.Store.Context(name)
	if err != nil {
		return err
	}
	text, err := c.LocalConfig(ctx)
	if err != nil {
		return err
	}
	keys, err := newLocal(s, text).Keys()
	if err != nil {
		return UsageError{err}
	}
	for _, key := range keys {
		table, _, _ := strings.Cut(key, ".")
		if row, _ := within.Key(table); row.Refused() {
			return UsageError{s.opts.Within.Refusal(fmt.Sprintf("taking away context %q", name), within.Row{
				Why: "its local.toml says what the model may do: " + key, Instead: within.ByYourself})}
		}
	}
	return nil
}

// nobody is asked within a command of a model: who could answer there is the model.
type nobody struct{}

// Ask asks nobody.
func (nobody) Ask(context.Context, permissions.Question) (permissions.Answer, error) {
	return permissions.Answer{}, permissions.Nobody("nobody is asked in a command of the model")
}
