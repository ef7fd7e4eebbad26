package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
	"github.com/pelletier/go-toml/v2/unstable"
)

// check rejects a value that no one could mean, according to the tags of its field.
func (s source) check(t target) error {
	err := cmp.Or(checkNumber(t), checkWord(t), checks(t))
	if s.isLocal || s.isFlag {
		err = cmp.Or(err, checkAbove(t))
	}
	if s.isShared {
		err = cmp.Or(err, checkSharedValue(t))
	}
	if err != nil {
		return s.errorAt(t.offset(), "%s%v", t.key(), err)
	}
	return nil
}

func checkWord(t target) error {
	words := strings.Fields(t.field.Tag.Get("oneof"))
	if len(words) == 0 || slices.Contains(words, t.v.String()) {
		return nil
	}
	return fmt.Errorf(" is %q; want %q or %q", t.v, words[0], words[1])
}

// checkAbove rejects what only config.toml can say.
func checkAbove(t target) error {
	switch only := t.field.Tag.Get("above"); only {
	case "", t.v.String():
		return nil
	case "never":
		if instead := t.field.Tag.Get("instead"); instead != "" {
			return errors.New(" can only be in config.toml; " + instead)
		}
		return errors.New(" can only be in config.toml")
	default:
		return fmt.Errorf(" is %q; that can only be in config.toml, here it can be %q", t.v, only)
	}
}

// checkNumber checks that a number is within its bounds.
func checkNumber(t target) error {
	var n float64
	switch {
	case t.v.CanInt():
		n = float64(t.v.Int())
	case t.v.CanFloat():
		n = t.v.Float()
	}
	least, hasLeast := bound(t.field, "min")
	most, hasMost := bound(t.field, "max")
	switch {
	case !hasLeast || n >= least && (!hasMost || n <= most) || n != n:
		return nil
	case hasMost && least == 0 && most == 100:
		return fmt.Errorf(" is %v; want a percentage from 0 to 100", t.v)
	case hasMost:
		return fmt.Errorf(" is %v; want a number from %v to %v", t.v, least, most)
	case least == 1:
		return fmt.Errorf(" is %v; want a number above 0", t.v)
	}
	return fmt.Errorf(" is %v; want %v or more", t.v, least)
}

func bound(f reflect.StructField, tag string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(f.Tag.Get(tag), 64)
	return n, err == nil
}

// checks runs the check that the tag check names. The text of an error continues after
// the key.
func checks(t target) error {
	switch t.field.Tag.Get("check") {
	case "address":
		return checkAddress(t.v.String())
	case "paths":
		return checkPaths(t.v.Interface().([]string))
	case "patterns":
		return checkPatterns(t.v.Interface().([]string))
	case "categories":
		return checkCategories(t.v.Interface().([]string))
	case "category":
		return checkCategories([]string{t.v.String()})
	case "line":
		return checkLine(t.v.String())
	case "duration":
		return checkDuration(t.v.String())
	case "agents":
		return checkAgents(t.v.Interface().([]string))
	case "guards":
		return checkGuards(t.v.Interface().([]string))
	case "point":
		return checkPoint(t.v.String(), t.path[t.depth-2].name)
	}
	return nil
}

func checkAddress(text string) error {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return fmt.Errorf(" %q is not an address; begin it with https:// or http://, as in http://localhost:11434/v1", text)
	}
	return nil
}

func checkPaths(paths []string) error {
	if slices.ContainsFunc(paths, func(path string) bool { return strings.TrimSpace(path) == "" }) {
		return errors.New(" has an empty entry, which would be the current directory; remove it, or write \".\" if " +
			"you mean that")
	}
	return nil
}

func checkPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf(": %w", err)
		}
	}
	return nil
}

func checkCategories(names []string) error {
	var known []string
	for _, c := range tools.Categories() {
		known = append(known, string(c))
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf(" names %q, which is not a category of tools; they are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// checkLine rejects what neither a header nor a variable of the environment can be.
func checkLine(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return errors.New(" has a line break or a NUL in it; want one line")
	}
	return nil
}

// checkDuration rejects a text that is not a time, and times for which nothing should be kept.
func checkDuration(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case text == "":
		return nil
	case err != nil:
		return fmt.Errorf(` is %q; want a time with its unit, as in "10m", or "0"`, text)
	case d < 0 || d > maxKeep || d > 0 && d < time.Millisecond:
		return fmt.Errorf(` is %q; want a time from 1ms to 24h, or "0"`, text)
	}
	return nil
}

// checkPoint rejects "block" at points where nothing can be blocked. At the start of a
// run only the failure of Kode's hooks has an effect.
func checkPoint(failure, point string) error {
	info, _ := hookpoints.Find(hookpoints.Name(point))
	if failure == "block" && !info.CanBlock() && info.Name != hookpoints.OnStart.Name {
		return fmt.Errorf(` is "block", but nothing can be blocked at %s`, point)
	}
	return nil
}

// checkGuards rejects points without guards: those that do not exist, those at which
// nothing can be blocked, and those at which plugins do not wait for each other anyway.
func checkGuards(points []string) error {
	for _, point := range points {
		info, found := hookpoints.Find(hookpoints.Name(point))
		switch {
		case !found:
			return fmt.Errorf(": %s; chibi hook list names them all", noPoint(point))
		case !info.CanBlock():
			return fmt.Errorf(" names %s, but nothing can be blocked there", point)
		case info.Mode != hookpoints.Chain:
			return fmt.Errorf(" names %s, but only hooks of the mode chain have guards", point)
		}
	}
	return nil
}

// noPoint returns that a hook point does not exist, with the nearest one.
func noPoint(name string) string {
	text := fmt.Sprintf("there is no hook point %q", name)
	if near := nearest(name, hookpoints.Names()); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text
}

// nameOf returns the name of an element of a map. A name that the map cannot have is an
// error.
func (s source) nameOf(t target) (string, error) {
	name := t.path[t.depth-1].name
	switch placeholder := t.field.Tag.Get("name"); placeholder {
	case "POINT":
		if slices.Contains(hookpoints.Names(), name) {
			return name, nil
		}
		return "", s.errorAt(t.offset(), "%s: %s; chibi hook list names them all", t.key(), noPoint(name))
	case "EVENT":
		names := kodeEvents()
		if name = strings.ToLower(name); !slices.Contains(names, name) { // as other keys
			return "", s.unknownOf(t, names)
		}
	case "AGENT":
		known := agentOf(strings.ToLower(name))
		if known == "" {
			return "", s.unknownOf(t, agents())
		}
		return known, nil
	case "SERVER":
		if err := tools.CheckServerName(name); err != nil {
			return "", s.errorAt(t.offset(), "%s: %v", t.key(), err)
		}
	case "VARIABLE", "HEADER":
		if name == "" || strings.ContainsFunc(name, isNoName) {
			what := strings.ToLower(placeholder)
			return "", s.errorAt(t.offset(), "%s: %q is not the name of a %s", t.key(), name, what)
		}
	}
	return name, nil
}

// isNoName reports whether neither variables nor headers can have a character in their names.
func isNoName(r rune) bool { return r <= ' ' || r > '~' || r == '=' || r == ':' }

// checkElement checks that the last element of a list has its required key.
func (s source) checkElement(t target, list reflect.Value, offset int) error {
	v := list.Index(list.Len() - 1)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if placeholder := f.Tag.Get("required"); placeholder != "" && v.Field(i).IsZero() {
			key := f.Tag.Get("toml")
			return s.errorAt(offset, "entry %d of %s has no %s; write %s = %q", list.Len(), t.key(), key, key, placeholder)
		}
	}
	return nil
}

// mismatch returns the error for a value of the wrong type.
func (s source) mismatch(t target, offset int, got string) error {
	how := ""
	if s.isFlag && t.v.Kind() == reflect.Slice {
		how = fmt.Sprintf(`; write it as --set '%s=["a", "b"]'`, t.key())
	}
	return s.errorAt(offset, "%s: want %s, got %s%s", t.key(), typeText(t.v), got, how)
}

// typeText returns the name of the type that a field takes.
func typeText(v reflect.Value) string {
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		return typeText(reflect.Zero(v.Type().Elem()))
	case kind == reflect.String:
		return "a string"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Slice:
		return "a list"
	case v.CanInt():
		return "a whole number"
	case v.CanFloat():
		return "a number"
	}
	return "a table"
}

// kindText returns the name of the type of a TOML value.
func kindText(kind unstable.Kind) string {
	switch kind {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return "true or false"
	case unstable.Integer:
		return "a whole number"
	case unstable.Float:
		return "a number"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or a time"
}
