package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// The local.toml of a context that machines share is foreign: who may write the store has
// written it. Only the keys count that are marked with the tag shared, so that it cannot run
// code, learn keys or offer what the host does not; every other key is an error.

// The bounds of a shared local.toml, in bytes, and of the lists in it.
const (
	MaxSharedBytes = 64 << 10
	maxSharedText  = 1 << 10
	maxSharedList  = 1000
)

// The marks of keys besides single values.
const (
	sharedYes  = "yes"
	sharedAdds = "adds"
)

// checkShared returns an error for a shared text that is too large. So it cannot be nested
// too deeply either.
func checkShared(name, text string) error {
	if len(text) > MaxSharedBytes {
		return fmt.Errorf("%s has %d bytes; a context that machines share may have %d", name, len(text), MaxSharedBytes)
	}
	return nil
}

// admit returns an error for a key or a table that a shared source may not have. The
// target is one on the way to it.
func (s source) admit(t target) error {
	if !s.isShared || t.depth == 0 {
		return nil
	}
	if err := checkSharedText(t.path[t.depth-1].name, ""); err != nil {
		return s.errorAt(t.offset(), "a key%v", err)
	}
	if isShared(t.v, t.field) {
		return nil
	}
	return s.errorAt(t.offset(), "%s does not count in a context that machines share; put it into config.toml of this "+
		"machine, or use --set for one run", t.key())
}

// isShared reports whether a value of a field, or anything in it, may be in a shared source.
func isShared(v reflect.Value, f reflect.StructField) bool {
	t := v.Type()
	for t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return f.Tag.Get("shared") != ""
	}
	for i := range t.NumField() {
		if isShared(reflect.Zero(t.Field(i).Type), t.Field(i)) {
			return true
		}
	}
	return false
}

// checkSharedValue rejects values that do not count in a shared source.
func checkSharedValue(t target) error {
	if only := t.field.Tag.Get("shared"); only != sharedYes && only != sharedAdds && t.v.String() != only {
		return fmt.Errorf(" is %q; in a context that machines share it can only be %q", t.v, only)
	}
	switch list := t.v.Interface().(type) {
	case string:
		return checkSharedText(list, "")
	case []string:
		return checkSharedList(list)
	case Rules:
		var texts []string
		for _, rule := range list {
			texts = append(texts, rule.Text)
		}
		return checkSharedList(texts)
	}
	return nil
}

func checkSharedList(texts []string) error {
	if len(texts) > maxSharedList {
		return fmt.Errorf(" has %d entries; in a context that machines share it may have %d", len(texts), maxSharedList)
	}
	for _, text := range texts {
		if err := checkSharedText(text, "\n\t"); err != nil {
			return err
		}
	}
	return nil
}

// checkSharedText rejects long texts, and control characters besides these, which could
// write to a person's terminal.
func checkSharedText(text, allowed string) error {
	isBad := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(allowed, r) }
	switch {
	case len(text) > maxSharedText:
		return fmt.Errorf(" has a text of %d bytes; in a context that machines share it may have %d", len(text),
			maxSharedText)
	case strings.ContainsFunc(text, isBad):
		return fmt.Errorf(" has control characters in it; in a context that machines share it may have none")
	}
	return nil
}

// added returns a list with those texts of another one that it lacks, for a shared source,
// which takes nothing out of what the host has.
func added(list, more []string) []string {
	list = slices.Clone(list)
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// requireGuards makes the guards that a shared source names required, whatever other sources
// say about them.
func (c *Config) requireGuards(local source) error {
	var shared Config
	shared.setDefaults()
	if err := local.decode(fields{}, &shared); err != nil {
		return err
	}
	for name, wanted := range shared.Plugins.ByName {
		set := c.Plugins.ByName[name]
		set.require(wanted)
		c.Plugins.ByName[name] = set
	}
	return nil
}

// require makes the failure of a plugin block where a shared source wants that.
func (p *Plugin) require(wanted Plugin) {
	if wanted.OnFailure == "block" {
		p.Required, p.OnFailure = true, "block"
		for point, set := range p.Hooks {
			set.OnFailure = "" // as the plugin's
			p.Hooks[point] = set
		}
	}
	for point, hook := range wanted.Hooks {
		if hook.OnFailure == "block" {
			set := p.Hooks[point]
			set.OnFailure, p.Required = "block", true
			p.Hooks[point] = set
		}
	}
}
