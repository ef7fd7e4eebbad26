package process

import (
	"bytes"
	"os"
	"slices"
	"strings"
)

// fits reports whether one variable can hold the data.
func (d *Data) fits() bool {
	return len(d.Var)+1+len(d.Value)+1 <= maxEnvString && !bytes.ContainsRune(d.Value, 0)
}

// Environ returns the environment of a command, of each variable the last value.
func (e Runner) Environ(c Command) []string {
	env := e.environment(c, true)
	last := make(map[string]int, len(env))
	for i, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		last[name] = i
	}
	once := env[:0]
	for i, pair := range env {
		if name, _, _ := strings.Cut(pair, "="); last[name] == i {
			once = append(once, pair)
		}
	}
	return once
}

// environment returns a command's environment. If alone is set, the data is on
// standard input only.
func (e Runner) environment(c Command, alone bool) []string {
	base := e.Env
	if base == nil {
		base = os.Environ()
	}
	var env []string
	for _, pair := range base {
		if !slices.ContainsFunc(e.Drop, func(prefix string) bool { return strings.HasPrefix(pair, prefix) }) {
			env = append(env, pair)
		}
	}
	env = append(env, c.Env...)
	if c.Data != nil && !alone {
		env = append(env, c.Data.Var+"="+string(c.Data.Value))
	}
	return env
}
