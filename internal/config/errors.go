package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// keyError is what is wrong with one key of a source.
type keyError struct {
	line    int
	key     string
	text    string
	unknown bool
}

func (e *keyError) Error() string { return e.text }

// in words the error for a source. The nearest known key is one of into's.
func (e *keyError) in(name, prefix string, into any) error {
	place := at(name, e.line)
	if !e.unknown {
		if e.key == "" {
			return fmt.Errorf("%s: %s", place, e.text)
		}
		return fmt.Errorf("%s: %s%s: %s", place, prefix, e.key, e.text)
	}
	near := nearest(e.key, knownKeys(reflect.TypeOf(into).Elem()))
	if near == "" {
		return fmt.Errorf("%s: unknown key %q", place, prefix+e.key)
	}
	return fmt.Errorf("%s: unknown key %q; did you mean %q?", place, prefix+e.key, prefix+near)
}

// at is FILE:LINE; flags have no lines.
func at(name string, line int) string {
	if line <= 0 || strings.HasPrefix(name, "--set") {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// lineOf finds the line that sets a key, 0 if there is none.
func lineOf(data []byte, key string) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		name, _, isSet := bytes.Cut(line, []byte("="))
		name = bytes.Trim(name, " \t\"'")
		if isSet && (string(name) == key || bytes.HasSuffix(name, []byte("."+key))) {
			return i + 1
		}
	}
	return 0
}

func lastKey(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// nearest finds the known key that is least far from a wrong one: its last part
// is compared too, so that "temperature" finds "api.temperature".
func nearest(key string, known []string) string {
	best, least := "", len(key)/2+1
	for _, k := range known {
		d := min(strictjson.Distance(key, k), strictjson.Distance(lastKey(key), lastKey(k))+1)
		if d < least {
			best, least = k, d
		}
	}
	return best
}
