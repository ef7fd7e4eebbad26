package within

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/usage"
)

// Elsewhere returns an environment whose mark, if it has one, belongs to another home: programs
// that are tried out in a scratch home call chibi there, and not in the person's.
func Elsewhere(env []string, home string) []string {
	env = slices.Clone(env)
	for i, pair := range env {
		value, isMark := strings.CutPrefix(pair, Variable+"=")
		if m, err := Read(func(string) string { return value }); isMark && err == nil && m != nil {
			m.Home, m.Scratch = home, true
			env[i] = m.Pair()
		}
	}
	return env
}

// CheckSet returns an error for the first of the keys of a pair of --set that is refused within a command of
// a model.
func CheckSet(m *Mark, keys []string) error {
	for _, key := range keys {
		if row, known := Key(key); known && row.Refused() {
			return usage.Error{Err: m.Refusal("--set "+key, row)}
		}
	}
	return nil
}

// CheckSaved is like CheckSet for what --save stores: that takes the place of what a context forbids, also
// where --set alone adds to it.
func CheckSaved(m *Mark, keys []string) error { return CheckSet(m, tables(keys)) }

// CheckHome returns an error for another home than the home of the run around a command of a model.
func (m Mark) CheckHome(home string) error {
	if project.IsSameFile(home, m.Home) {
		return nil
	}
	return usage.Error{Err: m.Refusal("the home "+home, Row{Why: "the rules and plugins of " + m.Home +
		" would not hold there", Instead: ByYourself})}
}

// CheckContext returns an error for a context with keys in its local.toml that make looser what holds the run
// around a command of a model.
func (m Mark) CheckContext(name string, keys []string) error {
	for _, key := range keys {
		if row, does := holds(key); does {
			return m.Refusal(fmt.Sprintf("context %q with %s in its local.toml", name, key), row)
		}
	}
	return nil
}

// CheckLoss returns an error if a change of a context would take away settings about what the model
// may do. keys are the keys of its local.toml.
func (m Mark) CheckLoss(doing, name string, keys []string) error {
	for _, table := range tables(keys) {
		if _, does := holds(table); does {
			return usage.Error{Err: m.Refusal(fmt.Sprintf("%s context %q", doing, name), Row{
				Why: "its local.toml says what the model may do: " + table, Instead: ByYourself})}
		}
	}
	return nil
}

// holds reports whether a key of a local.toml says what the model may do in a way that is refused.
func holds(key string) (row Row, does bool) {
	row, _ = Key(key)
	return row, row.Refused() && !row.OnlySet
}

// tables returns the first parts of keys: the tables that they are in.
func tables(keys []string) (list []string) {
	for _, key := range keys {
		table, _, _ := strings.Cut(key, ".")
		list = append(list, table)
	}
	return list
}

// CheckWrite returns an error for a file that would be written into chibi's home within a command of a
// model; what says which flag or command names it.
func CheckWrite(m *Mark, what, path string) error {
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
			return usage.Error{Err: m.Refusal(what+" "+path, Row{Why: "it would write into " + m.Home,
				Instead: ByYourself})}
		}
	}
	return nil
}
