package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// markFor returns what commands that a tool runs for the model are told about the session.
func markFor(s *Session, tool string) within.Mark {
	m := within.Mark{Tool: tool, Home: toldHome(s), Context: s.Name(), Root: s.Project.ToolRoot(),
		Flags: looseFlags(s.opts)}
	around := s.opts.Within
	m.Scratch = toldHome(s) != s.Home || around != nil && around.Scratch
	if around != nil {
		m.Root = around.Root // what a run within it may write is not what its own project has
	}
	m.Settings, _ = config.Holding(configSources(s, s.opts.Set)) // they were read before
	return m
}

// markedFor returns an environment whose mark, if it has one, is that of another home: what is tried out in
// a scratch home calls chibi there, and not in the person's.
func markedFor(env []string, home string) []string {
	env = slices.Clone(env)
	for i, pair := range env {
		value, isMark := strings.CutPrefix(pair, within.Variable+"=")
		if m, err := within.Read(func(string) string { return value }); isMark && err == nil && m != nil {
			m.Home, m.Scratch = home, true
			env[i] = m.Pair()
		}
	}
	return env
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
	return checkKeys(m, set, func(keys []string) []string { return keys })
}

// CheckSaved is like CheckSet for what --save stores: that takes the place of what a context forbids, also
// where --set alone adds to it.
func CheckSaved(m *within.Mark, set []string) error { return checkKeys(m, set, tables) }

// checkKeys returns an error for the first of the keys that are judged of a pair that is refused.
func checkKeys(m *within.Mark, set []string, judged func([]string) []string) error {
	for _, pair := range set {
		keys, err := config.SetKeys(pair)
		if err != nil {
			return UsageError{Err: err}
		}
		for _, key := range judged(keys) {
			if row, known := within.Key(key); known && row.Refused() {
				return UsageError{Err: m.Refusal("--set "+key, row)}
			}
		}
	}
	return nil
}

// holds reports whether a key of a local.toml says what the model may do in a way that is refused.
func holds(key string) (row within.Row, does bool) {
	row, _ = within.Key(key)
	return row, row.Refused() && !row.OnlySet
}

// checkHome returns an error for another home than that of the run around a command of a model.
// Other agents name the home whose plugins they ask.
func checkHome(s *Session) error {
	m := s.opts.Within
	if m == nil || s.opts.Bridge != nil || project.IsSameFile(s.Home, m.Home) {
		return nil
	}
	return UsageError{Err: m.Refusal("the home "+s.Home, within.Row{Why: "the rules and plugins of " + m.Home +
		" would not hold there", Instead: within.ByYourself})}
}

// checkContext returns an error for a context whose own settings make looser what holds the run
// around a command of a model. Those of the context of that run hold it already.
func checkContext(s *Session) error {
	m := s.opts.Within
	if m == nil || s.opts.Bridge != nil || s.Name() == m.Context || s.local.IsShared {
		return nil
	}
	keys, err := s.local.Keys()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if row, does := holds(key); does {
			return m.Refusal(fmt.Sprintf("context %q with %s in its local.toml", s.Name(), key), row)
		}
	}
	return nil
}

// mayLeave returns an error if a context that says what the model may do would not be the current one
// any more.
func mayLeave(ctx context.Context, s *Session) error {
	if s.from == s.Name() {
		return nil
	}
	return keep(ctx, s, "leaving", s.from)
}

// CheckWrite returns an error for a file that would be written into chibi's home within a command of a
// model; what says which flag or command names it.
func CheckWrite(m *within.Mark, what, path string) error {
	if m == nil || path == "" {
		return nil
	}
	home, err := os.Stat(m.Home)
	if err != nil {
		return nil // there is nothing in it
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for before := ""; at != before; before, at = at, filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		if info, err := os.Stat(at); err == nil && os.SameFile(info, home) {
			return UsageError{Err: m.Refusal(what+" "+path, within.Row{Why: "it would write into " + m.Home,
				Instead: within.ByYourself})}
		}
	}
	return nil
}

// MayLose returns an error if a context has settings about what the model may do, which runs within a
// command of a model must not take away.
func MayLose(ctx context.Context, s *Session, name string) error {
	return keep(ctx, s, "taking away", name)
}

// keep returns an error if what is done to a context would take away settings about what the model may
// do.
func keep(ctx context.Context, s *Session, doing, name string) error {
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
		return UsageError{Err: err}
	}
	for _, table := range tables(keys) {
		if _, does := holds(table); does {
			return UsageError{Err: s.opts.Within.Refusal(fmt.Sprintf("%s context %q", doing, name), within.Row{
				Why: "its local.toml says what the model may do: " + table, Instead: within.ByYourself})}
		}
	}
	return nil
}

// tables returns the first parts of keys: the tables that they are in.
func tables(keys []string) (list []string) {
	for _, key := range keys {
		table, _, _ := strings.Cut(key, ".")
		list = append(list, table)
	}
	return list
}

// nobody is asked within a command of a model: who could answer there is the model.
type nobody struct{ mark *within.Mark }

// Ask asks nobody.
func (n nobody) Ask(context.Context, permissions.Question) (permissions.Answer, error) {
	return permissions.Answer{}, permissions.Nobody("nobody is asked in a command of the model" + n.mark.Ended())
}

// MayRun returns an error for what a command of the model has chibi run, a line or a program with its
// arguments, if a rule denies it or asks about it.
func MayRun(s *Session, words []string) error {
	if s.opts.Within == nil {
		return nil
	}
	line := words[0]
	for _, word := range words[1:] {
		line += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	rules, err := newRules(s)
	if err != nil {
		return UsageError{Err: err}
	}
	judged := rules.Judge(permissions.Call{Tool: tools.Spec{Name: "shell_exec", Category: tools.CategoryShell},
		Access: tools.Access{Command: line, Dir: s.Project.Dir}})
	if judged.Decision != permissions.Deny && judged.Decision != permissions.Ask {
		return nil
	}
	return UsageError{Err: s.opts.Within.Refusal(line, within.Row{Why: judged.By + " is about it", Instead: within.ByYourself})}
}
