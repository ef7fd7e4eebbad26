package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"github.com/urfave/cli/v2"
)

// fireFlags are the flags of hook fire.
type fireFlags struct {
	data         []string
	plugins, set []string
	json         bool
}

func (p *program) fireCommand(ctx context.Context) *cli.Command {
	var f fireFlags
	return withExample(leaf(ctx, "fire", "POINT", "fire one hook point and show what each plugin says; chibi itself "+
		"changes nothing", func(ctx context.Context, args []string) error {
		return p.hookFire(ctx, args[0], f)
	},
		&cmdline.Flag{Name: "data", Takes: cmdline.Word("PAYLOAD", cmdline.Payload), Into: cmdline.List(&f.data),
			About: "the PAYLOAD: JSON, @FILE, or - for standard input; an example without it"},
		&cmdline.Flag{Name: "set", Takes: cmdline.Word("FIELD=VALUE", cmdline.Argument), Into: cmdline.List(&f.set),
			About: "set a FIELD=VALUE of the payload, e.g. --set arguments.command='rm -rf /'"},
		&cmdline.Flag{Name: "plugin", Takes: cmdline.Word("NAME", cmdline.Plugin), Into: cmdline.List(&f.plugins),
			About: "ask only the plugin NAME; may be given several times"},
		jsonFlag(&f.json),
	), "chibi hook fire pre_tool --set arguments.command='rm -rf /'",
		"chibi hook fire pre_message --data @payload.json --plugin guard")
}

// hookFire fires one point with an example or the person's payload.
func (p *program) hookFire(ctx context.Context, name string, f fireFlags) error {
	info, err := findPoint(name)
	if err != nil {
		return err
	}
	payload, err := p.payload(ctx, info, f)
	if err != nil {
		return err
	}
	s, err := p.open(ctx, p.request())
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s.Session)
	host, err := s.hostOf(f.plugins)
	if err != nil {
		return err
	}
	fired := firing{info: info, payload: payload, records: notAsked(host, f.plugins, info)}
	stopped := fired.fire(ctx, host)
	var refusal *plugin.StartError
	if stopped != nil && !errors.As(stopped, &refusal) {
		return stopped
	}
	if f.json {
		err = p.printJSON(fired.asJSON())
	} else {
		err = fired.print(p.screen.Stdout())
	}
	return errors.Join(err, stopped)
}

// notAsked are the records of the named plugins that are not asked at a point.
func notAsked(host *plugin.Host, names []string, info hookpoints.Info) []plugin.Record {
	records := []plugin.Record{}
	for _, name := range names {
		i := slices.IndexFunc(host.Plugins, func(p plugin.Plugin) bool { return p.Name == name })
		switch {
		case i < 0:
			records = append(records, plugin.Record{Time: time.Now(), Point: info.Name, Plugin: name,
				Result: plugin.Skipped, Why: "it is left out; chibi plugin list says why"})
		case !host.Plugins[i].Subscribes(info.Name):
			records = append(records, plugin.Record{Time: time.Now(), Point: info.Name, Plugin: name,
				Protocol: host.Plugins[i].Origin.Protocol, Result: plugin.Skipped,
				Why: "it is not asked at " + string(info.Name)})
		}
	}
	return records
}

// payload is the payload of a firing: the person's, or an example, with what
// --set says.
func (p *program) payload(ctx context.Context, info hookpoints.Info, f fireFlags) (json.RawMessage, error) {
	payload := hookdoc.Example(info)
	if f.data != nil {
		text, err := p.dataText(ctx, f.data[0])
		if err != nil {
			return nil, err
		}
		if payload, err = oneLine(text); err != nil {
			return nil, usage("--data: %v", err)
		}
	}
	for _, pair := range f.set {
		path, value, ok := strings.Cut(pair, "=")
		if !ok || path == "" {
			return nil, usage("--set %s: want FIELD=VALUE", pair)
		}
		var err error
		if strictjson.Valid([]byte(value)) {
			payload, err = sjson.SetRawBytes(payload, path, []byte(value))
		} else {
			payload, err = sjson.SetBytes(payload, path, value)
		}
		if err != nil {
			return nil, usage("--set %s: %v", pair, err)
		}
	}
	plain, err := oneLine(payload)
	if err != nil {
		return nil, usage("the payload: %v", err)
	}
	return plain, checkPayload(info, plain)
}

// maxPayload bounds the file of a payload.
const maxPayload = 16 << 20

// dataText is what --data says: JSON, a file's content, or standard input's.
func (p *program) dataText(ctx context.Context, data string) ([]byte, error) {
	if data == "-" {
		text, err := readInputText(ctx, p, "the payload")
		return []byte(text), err
	}
	if path, isFile := strings.CutPrefix(data, "@"); isFile {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the payload: %w", err)
		}
		defer file.Close()
		text, err := readAll(ctx, file, maxPayload)
		if err != nil {
			return nil, fmt.Errorf("reading the payload: %w", err)
		}
		return []byte(text), nil
	}
	return []byte(data), nil
}

// oneLine is an object as one line of JSON.
func oneLine(text []byte) (json.RawMessage, error) {
	line, err := strictjson.Normalize(text)
	if err != nil {
		return nil, err
	}
	if line[0] != '{' {
		return nil, &strictjson.TypeError{Want: "an object", Value: strictjson.TypeOf(line)}
	}
	return line, nil
}

// checkPayload refuses fields that the point does not have, or of other types.
func checkPayload(info hookpoints.Info, payload []byte) error {
	if err := strictjson.DecodeKnown(payload, reflect.New(info.Payload).Interface()); err != nil {
		return wrongPayload(info, err)
	}
	for _, f := range hookpoints.Fields(info.Payload) {
		if v := gjson.GetBytes(payload, gjson.Escape(f.Name)); f.Type == "object" && v.Exists() && !v.IsObject() {
			return wrongPayload(info, &strictjson.TypeError{Field: f.Name, Want: "an object",
				Value: strictjson.TypeOf([]byte(v.Raw))})
		}
	}
	return nil
}

func wrongPayload(info hookpoints.Info, err error) error {
	return usage("the payload does not fit %s: %v (chibi hook show %s lists its fields)", info.Name, err, info.Name)
}

// hostOf is a host of the named plugins, all if none is named.
func (s *session) hostOf(names []string) (*plugin.Host, error) {
	host := &plugin.Host{Waiting: s.Agent.Host.Waiting, MaxAnswers: s.Agent.Host.MaxAnswers}
	for _, name := range names {
		if !app.HasPlugin(s.Loaded, name) {
			return nil, usage("there is no plugin %q; chibi plugin list names them all", name)
		}
	}
	for i := range s.Loaded.Plugins {
		p := s.Loaded.Plugins[i]
		if names != nil && !slices.Contains(names, p.Name) {
			continue
		}
		host.Plugins = append(host.Plugins, p)
	}
	return host, nil
}

// firing is one point that was fired, and what came of it.
type firing struct {
	info    hookpoints.Info
	payload json.RawMessage
	records []plugin.Record
	result  json.RawMessage
}

// fire fires the point at a host's plugins, which keeps what comes of it.
func (f *firing) fire(ctx context.Context, host *plugin.Host) (err error) {
	host.Trace = func(r plugin.Record) { f.records = append(f.records, r) }
	f.result, err = plugin.FireJSON(ctx, host, f.info, f.payload)
	return err
}

func (f *firing) asJSON() any {
	return map[string]any{"point": f.info.Name, "payload": f.payload, "records": f.records,
		"answer": orNothing(f.result), "changed": f.changes()}
}

// orNothing is an answer, an empty object if there is none.
func orNothing(answer json.RawMessage) json.RawMessage {
	if answer == nil {
		return json.RawMessage("{}")
	}
	return answer
}

// print shows each answer, the combined one, and what it changes.
func (f *firing) print(w io.Writer) error {
	fmt.Fprintf(w, "%s (%s), payload:\n  %s\n", f.info.Name, f.info.Mode, f.payload)
	if len(f.records) == 0 {
		fmt.Fprintln(w, "no plugin is asked here")
	}
	for i, r := range f.records {
		text := string(r.Result)
		if r.Why != "" {
			text += ": " + r.Why
		}
		fmt.Fprintf(w, "%d. %s: %s (%.0f ms)\n", i+1, term.Name(r.Plugin), term.Line(text), r.DurationMS)
		if r.Answer != nil {
			fmt.Fprintf(w, "   answered %s\n", r.Answer)
		}
		for _, l := range r.Lost {
			fmt.Fprintf(w, "   its %s was replaced by plugin %q\n", l.Path, l.Winner)
		}
		for _, note := range r.Notes {
			fmt.Fprintf(w, "   note: %s\n", term.Line(note))
		}
	}
	fmt.Fprintf(w, "combined: %s\n", orNothing(f.result))
	for _, c := range f.changes() {
		fmt.Fprintf(w, "  %s\n  - %s\n  + %s\n", c.Path, c.Before, c.After)
	}
	return nil
}

// change is one place of the payload that plugins changed.
type change struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// changes lists the places of the payload that the combined answer changes.
func (f *firing) changes() []change {
	list := []change{}
	for _, field := range f.info.Fields {
		if !field.Rule.Rewrites() {
			continue
		}
		where := "/" + field.Name
		before, after := merge.At(f.payload, where), merge.At(f.result, where)
		if before == nil || after == nil {
			continue
		}
		for _, d := range merge.Diff(before, after) {
			list = append(list, change{where + d.Path, orNull(d.Before), orNull(d.After)})
		}
	}
	return list
}

// orNull is a value, null if there is none.
func orNull(value []byte) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}
