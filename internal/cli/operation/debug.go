package operation

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/dustin/go-humanize/english"
)

// Debug holds the values of --debug and of the flags for its keys that have values.
type Debug struct {
	keys         []string
	destroyAt    []string // --destroy-at
	destroyAfter []string // --destroy-after-inactive
}

// Rows are the flags, which store their values in d.
func (d *Debug) Rows() []Row {
	key := cmdline.Value{Word: "KEY[,KEY...]", Kind: cmdline.DebugKey, Known: debugKeyNames}
	return []Row{
		{&cmdline.Flag{Name: "debug", Takes: []cmdline.Value{key}, Repeats: true,
			About:   strings.Join(writtenDebugKeys(), ", "),
			Members: []string{"flags.debug"}, Into: cmdline.List(&d.keys)},
			Operation{Role: Joins, Phase: PhaseSettings, Asked: d.setsDestroyRule, Run: d.setDestroyRule}},
		{Flag: &cmdline.Flag{Name: "destroy-at", Takes: cmdline.Word("TIME", cmdline.Text),
			About: "the same as --debug destroy_at=TIME", Into: cmdline.List(&d.destroyAt)}},
		{Flag: &cmdline.Flag{Name: "destroy-after-inactive", Takes: cmdline.Word("SECONDS", cmdline.Text),
			About: "the same as --debug destroy_after_seconds_inactive=SECONDS", Into: cmdline.List(&d.destroyAfter)}},
	}
}

// DebugKeys are what --debug asks for.
type DebugKeys struct {
	// Requests logs requests to the model, Responses the metadata of its responses.
	Requests, Responses bool
	// ForceMarkdown renders answers as if standard output were a terminal.
	ForceMarkdown bool

	destroyAt    *time.Time
	destroyAfter *time.Duration
}

// Keys parses the keys of all --debug flags, which may be separated by commas, and of
// the two flags that stand for a key.
func (d *Debug) Keys() (k DebugKeys, err error) {
	keys := strings.Split(strings.Join(d.keys, ","), ",")
	for _, at := range d.destroyAt {
		keys = append(keys, "destroy_at="+at)
	}
	for _, after := range d.destroyAfter {
		keys = append(keys, "destroy_after_seconds_inactive="+after)
	}
	for _, key := range keys {
		if err := k.read(key); err != nil {
			return k, err
		}
	}
	return k, nil
}

// setsDestroyRule reports whether a key is given that is stored in state.json.
func (d *Debug) setsDestroyRule() bool {
	k, err := d.Keys()
	return err == nil && (k.destroyAt != nil || k.destroyAfter != nil)
}

// setDestroyRule stores in state.json when the context is to be deleted.
func (d *Debug) setDestroyRule(ctx context.Context, run Run, _ cmdline.Given) error {
	k, err := d.Keys()
	if err == nil {
		err = app.MayLose(ctx, run.Session, run.Session.Name())
	}
	if err != nil {
		return err
	}
	return run.Session.Store.SetDestroyRule(run.Session.Name(), k.destroyAt, k.destroyAfter)
}

type debugKey struct {
	name  string // dashes mean the same as underscores
	value string // its value, as --help shows it; "" for none
	wants string // its value, as errors describe it
	set   func(d *DebugKeys, n int64)
}

func knownDebugKeys() []debugKey {
	return []debugKey{
		{name: "request_log", set: func(d *DebugKeys, _ int64) { d.Requests = true }},
		{name: "response_meta", set: func(d *DebugKeys, _ int64) { d.Responses = true }},
		{name: "all", set: func(d *DebugKeys, _ int64) { d.Requests, d.Responses = true, true }},
		{name: "force_markdown", set: func(d *DebugKeys, _ int64) { d.ForceMarkdown = true }},
		{"destroy_at", "TIME", "a number of seconds since 1970 (date +%s)", func(d *DebugKeys, n int64) {
			at := time.Unix(n, 0)
			d.destroyAt = &at
		}},
		{"destroy_after_seconds_inactive", "SECONDS", "a number of seconds", func(d *DebugKeys, n int64) {
			after := time.Duration(n) * time.Second
			d.destroyAfter = &after
		}},
	}
}

// written is the key as a person types it, up to its value.
func (k debugKey) written() string {
	if k.value == "" {
		return strings.ReplaceAll(k.name, "_", "-")
	}
	return k.name + "="
}

func debugKeyNames() (list []string) {
	for _, k := range knownDebugKeys() {
		list = append(list, k.written())
	}
	return list
}

func writtenDebugKeys() (list []string) {
	for _, k := range knownDebugKeys() {
		list = append(list, k.written()+k.value)
	}
	return list
}

func (k *DebugKeys) read(text string) error {
	name, value, hasValue := strings.Cut(text, "=")
	if name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_"); name == "" {
		return nil
	}
	known := knownDebugKeys()
	i := slices.IndexFunc(known, func(known debugKey) bool { return known.name == name })
	if i < 0 {
		return output.Usage("--debug %s: unknown key; the keys are %s", text,
			english.WordSeries(writtenDebugKeys(), "and"))
	}
	if hasValue && known[i].value == "" {
		return output.Usage("--debug %s: %s takes no value; write --debug %[2]s", strings.TrimSpace(text),
			known[i].written())
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if known[i].value != "" && (err != nil || n < 0) {
		return output.Usage("%s: want %s, or 0 to remove the setting", text, known[i].wants)
	}
	known[i].set(k, n)
	return nil
}

// DebugSchema describes one key of --debug as JSON.
func DebugSchema() cmdline.Schema {
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
