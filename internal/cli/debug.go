package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// debugFlags are --debug and other spellings of its keys that have values.
func debugFlags(o *options) []row {
	return []row{
		{&cmdline.Flag{Name: "debug", Takes: one("KEY[,KEY...]", cmdline.DebugKey), Repeats: true,
			About: "request-log, response-meta, all, force-markdown, destroy_at=TIME,\n" +
				"destroy_after_seconds_inactive=SECONDS",
			Members: []string{"flags.debug"}, Into: listOf(&o.debug)},
			operation{role: joins, phase: phaseSettings, run: setDestroyRule,
				asked: func() bool { return o.destroySettings() != nil }}},
		{Flag: &cmdline.Flag{Name: "destroy-at", Takes: one("TIME", cmdline.Text),
			About: "the same as the key destroy_at", Into: listOf(&o.destroyAt)}},
		{Flag: &cmdline.Flag{Name: "destroy-after-inactive", Takes: one("SECONDS", cmdline.Text),
			About: "the same as the key destroy_after_seconds_inactive", Into: listOf(&o.destroyAfter)}},
	}
}

// debugKeys are what --debug asks for.
type debugKeys struct {
	requests, responses bool
	forceMarkdown       bool
	destroyAt           *time.Time
	destroyAfter        *time.Duration
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
		name, value, _ := strings.Cut(key, "=")
		switch strings.ReplaceAll(strings.TrimSpace(name), "-", "_") {
		case "":
		case "request_log":
			d.requests = true
		case "response_meta":
			d.responses = true
		case "all":
			d.requests, d.responses = true, true
		case "force_markdown":
			d.forceMarkdown = true
		case "destroy_at":
			n, err := seconds(key, value, "a number of seconds since 1970 (date +%s)")
			if err != nil {
				return d, err
			}
			at := time.Unix(n, 0)
			d.destroyAt = &at
		case "destroy_after_seconds_inactive":
			n, err := seconds(key, value, "a number of seconds")
			if err != nil {
				return d, err
			}
			after := time.Duration(n) * time.Second
			d.destroyAfter = &after
		default:
			return d, usage("--debug %s: there is no such key; there are request-log, response-meta, all, force-markdown, "+
				"destroy_at=TIME and destroy_after_seconds_inactive=SECONDS", key)
		}
	}
	return d, nil
}

// debugSchema describes one key of --debug as JSON.
func debugSchema() cmdline.Schema {
	integer := cmdline.Schema{"type": "integer"}
	return cmdline.Schema{"oneOf": []any{
		cmdline.Schema{"type": "string", "enum": []string{"request_log", "response_meta", "all", "force_markdown"}},
		cmdline.Object(cmdline.Schema{"destroy_at": integer}, "destroy_at"),
		cmdline.Object(cmdline.Schema{"destroy_after_seconds_inactive": integer}, "destroy_after_seconds_inactive"),
	}}
}

func seconds(key, value, wanted string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, usage("%s: want %s, 0 to take the setting back", key, wanted)
	}
	return n, nil
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

func setDestroyRule(_ context.Context, s *session, _ cmdline.Given) error {
	d := s.opts.destroySettings()
	return s.Store.SetDestroyRule(s.Name(), d.destroyAt, d.destroyAfter)
}
