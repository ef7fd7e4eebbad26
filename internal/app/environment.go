package app

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/jobs"
	"github.com/chibi-host/chibi/internal/within"
)

// depthVar holds the number of nested runs of chibi. It is in the environment of every
// plugin, so that a chibi that the plugin starts knows its depth.
const depthVar = "CHIBI_DEPTH"

// Depth returns the number of runs of chibi around this process, each started by a
// plugin of the one before.
func Depth() int {
	n, err := strconv.Atoi(os.Getenv(depthVar))
	if err != nil {
		return 0
	}
	return max(0, n)
}

// environment is the environment of a plugin's processes.
type environment struct {
	base    []string // as KEY=VALUE
	secrets []string // the model's key, and what opens the store
	host    string   // of the model's server
	marked  bool     // it has the mark of a command of a model, if this process has it
}

// newEnvironment returns the environment of a session whose contexts are in the store at a URL,
// "" for files.
func newEnvironment(base []string, c config.Config, store string) environment {
	if base == nil {
		base = os.Environ()
	}
	e := environment{base: base, secrets: append(config.StoreSecrets(store), c.APIKey)}
	for _, pair := range base { // also if a flag precedes it
		if at, ok := strings.CutPrefix(pair, config.StoreVariable+"="); ok {
			e.secrets = append(e.secrets, config.StoreSecrets(at)...)
		}
	}
	if address, err := url.Parse(c.BaseURL); err == nil {
		e.host = address.Hostname()
	}
	return e
}

// list returns the environment with the depth for a chibi that plugins start, and
// without the model's key and what opens the store if hideKey is set. Plugins are the person's
// programs: they do not have the mark of a command of a model, even in a run within one.
func (e environment) list(hideKey bool) (env []string) {
	for _, pair := range e.base {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case name == depthVar, name == jobs.Variable, name == within.Variable && !e.marked, hideKey && e.isKey(name, value):
		default:
			env = append(env, pair)
		}
	}
	return append(env, depthVar+"="+strconv.Itoa(Depth()+1))
}

// minKey is the length from which a key is hidden, in bytes, and minPart that from
// which it is also searched for within longer values. Shorter texts are not secrets and
// occur by chance.
const (
	minKey  = 8
	minPart = 12
)

// isKey reports whether a variable holds the model's key or what opens the store, alone or as a
// part of its value, as in "Bearer KEY".
func (e environment) isKey(name, value string) bool {
	if slices.Contains(config.KeyVariables(e.host), name) || name == config.StoreVariable && config.OpensStore(value) {
		return true
	}
	return slices.ContainsFunc(e.secrets, func(key string) bool {
		return len(key) >= minKey && value == key || len(key) >= minPart && strings.Contains(value, key)
	})
}

// HidesKey reports whether the model's key is hidden from a plugin. The plugin's own
// setting takes precedence over that for all plugins.
func HidesKey(c config.Config, plugin string) bool {
	if own := c.Plugins.ByName[plugin].HideKey; own != nil {
		return *own
	}
	return c.Plugins.HideKey
}
