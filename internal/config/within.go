package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// holding lists the tables that say what the model may do.
func holding() []string {
	return []string{"permissions", "url_policy", "plugins", "kode", "foreign", "tools"}
}

// Holding returns what the local.toml of a context and flags say about what the model may do,
// as TOML texts for [Sources.Within] of a run that is to be held like this one.
func Holding(src Sources) (texts []string, err error) {
	src.Global = &Global{}
	_, above, err := src.read()
	for _, s := range above {
		held := map[string]any{}
		for _, table := range holding() {
			if of := s.tree[table]; of != nil && !(s.isShared && table == "tools") { // such lists add to the host's lists
				held[table] = of
			}
		}
		if len(held) > 0 {
			text, _ := toml.Marshal(held) // it was read from TOML
			texts = append(texts, string(text))
		}
	}
	return texts, err
}

// SetKeys lists the keys that a KEY=VALUE pair of --set sets, in lower case: a value may be a
// table.
func SetKeys(pair string) ([]string, error) {
	s, err := flagSource(pair)
	return keysIn(s.tree, ""), err
}

// Keys lists the keys in the text, in lower case.
func (l Local) Keys() ([]string, error) {
	s, err := l.source()
	return keysIn(s.tree, ""), err
}

func keysIn(table map[string]any, name string) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		below := join(name, strings.ToLower(key))
		if more, isTable := table[key].(map[string]any); isTable {
			keys = append(keys, keysIn(more, below)...)
			continue
		}
		keys = append(keys, below)
	}
	return keys
}
