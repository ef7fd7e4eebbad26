package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/dustin/go-humanize/english"
)

// debugFlags are --debug and other spellings of its keys that have values.
func debugFlags(o *options) []operation.Row {
	key := cmdline.Value{Word: "KEY[,KEY...]", Kind: cmdline.DebugKey, Known: debugKeyNames}
	return []operation.Row{
		{Flag: &cmdline.Flag{Name: "debug", Takes: []cmdline.Value{key}, Repeats: true,
			About:   strings.Join(writtenDebugKeys(), ", "),
			Members: []string{"flags.debug"}, Into: cmdline.List(&o.debug)},
			Operation: operation.Operation{Role: operation.Joins, Phase: operation.PhaseSettings, Run: setDestroyRule(o),
				Asked: func() bool { return o.destroySettings() != nil }}},
		{Flag: &cmdline.Flag{Name: "destroy-at", Takes: cmdline.Word("TIME", cmdline.Text),
			About: "the same as the key destroy_at", Into: cmdline.List(&o.destroyAt)}},
		{Flag: &cmdline.Flag{Name: "destroy-after-inactive", Takes: cmdline.Word("SECONDS", cmdline.Text),
			About: "the same as the key destroy_after_seconds_inactive", Into: cmdline.List(&o.destroyAfter)}},
	}
}

// debugKeys are what --debug asks for.
type debugKeys struct {
	requests, responses bool
	forceMarkdown       bool
	destroyAt           *time.Time
	destroyAfter        *time.Duration
}

// debugKey describes a key of --debug.
type debugKey struct {
	name  string // dashes mean the same as underscores
	value string // what it takes, as help shows it; "" for nothing
	wants string // the same for errors
	set   func(d *debugKeys, n int64)
}

// knownDebugKeys lists the keys of --debug.
func knownDebugKeys() []debugKey {
	return []debugKey{
		{name: "request_log", set: func(d *debugKeys, _ int64) { d.requests = true }},
		{name: "response_meta", set: func(d *debugKeys, _ int64) { d.responses = true }},
		{name: "all", set: func(d *debugKeys, _ int64) { d.requests, d.responses = true, true }},
		{name: "force_markdown", set: func(d *debugKeys, _ int64) { d.forceMarkdown = true }},
		{"destroy_at", "TIME", "a number of seconds since 1970 (date +%s)", func(d *debugKeys, n int64) {
			at := time.Unix(n, 0)
			d.destroyAt = &at
		}},
		{"destroy_after_seconds_inactive", "SECONDS", "a number of seconds", func(d *debugKeys, n int64) {
			after := time.Duration(n) * time.Second
			d.destroyAfter = &after
		}},
	}
}

// written is the key as a person writes it, up to its value.
func (k debugKey) written() string {
	if k.value == "" {
		return strings.ReplaceAll(k.name, "_", "-")
	}
	return k.name + "="
}

// debugKeyNames lists the keys of --debug up to their values.
func debugKeyNames() (list []string) {
	for _, k := range knownDebugKeys() {
		list = append(list, k.written())
	}
	return list
}

// writtenDebugKeys lists the keys of --debug with what they take.
func writtenDebugKeys() (list []string) {
	for _, k := range knownDebugKeys() {
		list = append(list, k.written()+k.value)
	}
	return list
}

// debugKeys reads the keys of all --debug flags; commas separate keys too. Two
// of them have flags of their own besides.
func (o *options) debugKeys() (d debugKeys, err error) {
	keys := strings.Split(strings.Join(o.debug, ","), ",")
	for _, at := range o.destroyAt {
		keys = append(keys, "destroy_at="+at)
	}
	for _, after := range o.destroyAfter {
		keys = append(keys, "destroy_after_seconds_inactive="+after)
	}
	for _, key := range keys {
		if err := d.read(key); err != nil {
			return d, err
		}
	}
	return d, nil
}

// read reads one key.
func (d *debugKeys) read(text string) error {
	name, value, _ := strings.Cut(text, "=")
	if name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_"); name == "" {
		return nil
	}
	known := knownDebugKeys()
	i := slices.IndexFunc(known, func(k debugKey) bool { return k.name == name })
	if i < 0 {
		return usage("--debug %s: there is no such key; there are %s", text, english.WordSeries(writtenDebugKeys(), "and"))
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if known[i].value != "" && (err != nil || n < 0) {
		return usage("%s: want %s, 0 to take the setting back", text, known[i].wants)
	}
	known[i].set(d, n)
	return nil
}

// debugSchema describes one key of --debug as JSON.
func debugSchema() cmdline.Schema {
	var plain []string
	var objects []any
	for _, k := range knownDebugKeys() {
		if k.value == "" {
			plain = append(plain, k.name)
		} else {
			objects = append(objects, cmdline.Object(cmdline.Schema{k.name: cmdline.Schema{"type": "integer"}}, k.name))
		}
	}
	return cmdline.Schema{"oneOf": append([]any{cmdline.Schema{"type": "string", "enum": plain}}, objects...)}
}

// destroySettings are the keys that are kept in state.json, nil if none is
// given.
func (o *options) destroySettings() *debugKeys {
	d, err := o.debugKeys()
	if err != nil || d.destroyAt == nil && d.destroyAfter == nil {
		return nil
	}
	return &d
}

// setDestroyRule keeps in state.json when the context is to be deleted.
func setDestroyRule(o *options) operation.Func {
	return func(_ context.Context, run operation.Run, _ cmdline.Given) error {
		d := o.destroySettings()
		return run.Session.Store.SetDestroyRule(run.Session.Name(), d.destroyAt, d.destroyAfter)
	}
}
