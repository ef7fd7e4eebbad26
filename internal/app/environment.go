package app

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
)

// depthVar says how many runs of chibi a process is inside of. Every plugin is
// told, so that a chibi that it starts knows.
const depthVar = "CHIBI_DEPTH"

// Depth is how many runs of chibi this process is inside of, each started by a
// plugin of the one before.
func Depth() int {
	n, err := strconv.Atoi(os.Getenv(depthVar))
	if err != nil {
		return 0
	}
	return max(0, n)
}

// environment is what a plugin's processes start from.
type environment struct {
	base []string // as KEY=VALUE
	key  string   // the model's key
	host string   // of the model's server
}

func newEnvironment(base []string, c config.Config) environment {
	if base == nil {
		base = os.Environ()
	}
	e := environment{base: base, key: c.APIKey}
	if address, err := url.Parse(c.BaseURL); err == nil {
		e.host = address.Hostname()
	}
	return e
}

// list is the environment with the depth of a chibi that plugins start, and without
// the model's key if that is to be hidden.
func (e environment) list(hideKey bool) (env []string) {
	for _, pair := range e.base {
		name, value, _ := strings.Cut(pair, "=")
		if name != depthVar && (!hideKey || !e.isKey(name, value)) {
			env = append(env, pair)
		}
	}
	return append(env, depthVar+"="+strconv.Itoa(Depth()+1))
}

// minKey is how long a key is at least, in bytes, and minPart one that is looked
// for in longer values. Shorter ones are no secrets and stand in much.
const (
	minKey  = 8
	minPart = 12
)

// isKey reports whether a variable holds the model's key, alone or as a part of
// what it says, such as "Bearer KEY".
func (e environment) isKey(name, value string) bool {
	return slices.Contains(config.KeyVariables(e.host), name) ||
		len(e.key) >= minKey && value == e.key || len(e.key) >= minPart && strings.Contains(value, e.key)
}

// KeyVariables are the variables of plugins' environment that hold the model's
// key.
func (l *Loader) KeyVariables() (names []string) {
	for _, pair := range l.env.list(false) {
		if name, value, _ := strings.Cut(pair, "="); value != "" && l.env.isKey(name, value) {
			names = append(names, name)
		}
	}
	return names
}

// HidesKey reports whether a plugin is not told the model's key: what is said
// for it alone counts, then what is said for all.
func HidesKey(c config.Config, plugin string) bool {
	if own := c.Plugins.ByName[plugin].HideKey; own != nil {
		return *own
	}
	return c.Plugins.HideKey
}
