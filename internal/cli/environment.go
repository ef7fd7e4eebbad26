package cli

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
)

// environment is what a plugin's processes start from: chibi's own environment,
// with the depth of a chibi that they start, and without the model's key if that
// is to be hidden.
func (s *session) environment(hideKey bool) []string {
	base := s.pluginEnv
	if base == nil {
		base = os.Environ()
	}
	var env []string
	for _, pair := range base {
		name, value, _ := strings.Cut(pair, "=")
		if name != depthVar && (!hideKey || !s.isKey(name, value)) {
			env = append(env, pair)
		}
	}
	return append(env, depthVar+"="+strconv.Itoa(depth()+1))
}

// minKey is how long a key is at least, in bytes, and minPart one that is looked
// for in longer values. Shorter ones are no secrets and stand in much.
const (
	minKey  = 8
	minPart = 12
)

// isKey reports whether a variable holds the model's key, alone or as a part of
// what it says, such as "Bearer KEY".
func (s *session) isKey(name, value string) bool {
	host := ""
	if address, err := url.Parse(s.config.BaseURL); err == nil {
		host = address.Hostname()
	}
	key := s.config.APIKey
	return slices.Contains(config.KeyVariables(host), name) ||
		len(key) >= minKey && value == key || len(key) >= minPart && strings.Contains(value, key)
}

// keyVariables are the variables of chibi's environment that hold the model's
// key.
func (s *session) keyVariables() (names []string) {
	for _, pair := range s.environment(false) {
		if name, value, _ := strings.Cut(pair, "="); value != "" && s.isKey(name, value) {
			names = append(names, name)
		}
	}
	return names
}

// hidesKey reports whether a plugin is not told the model's key: what is said
// for it alone counts, then what is said for all.
func (s *session) hidesKey(plugin string) bool {
	if own := s.config.Plugins.ByName[plugin].HideKey; own != nil {
		return *own
	}
	return s.config.Plugins.HideKey
}
