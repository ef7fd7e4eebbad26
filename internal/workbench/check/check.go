// Package check checks a plugin: its file, its schema, and its answers to an example
// payload of every hook that it subscribes to, in a scratch home. It finds what would
// prevent the plugin from working as its author intends, and says what to do.
//
// A check runs the plugin's hooks but not its tools, because a tool may have any effect.
package check

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/workbench/payloads"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize/english"
)

// Level is the severity of a finding.
type Level string

// The levels.
const (
	Error   Level = "error"   // the plugin does not work
	Warning Level = "warning" // the plugin works, but perhaps not as its author intends
)

// Finding is one problem.
type Finding struct {
	Level Level `json:"level"`
	// Where is a hook, a tool, "file" or "schema".
	Where string `json:"where"`
	// Text says what is wrong, and what to do.
	Text string `json:"text"`
}

// Report holds the findings about one plugin.
type Report struct {
	Plugin   string    `json:"plugin"`
	Path     string    `json:"path"`
	Tools    []string  `json:"tools"`
	Hooks    []string  `json:"hooks"`
	Findings []Finding `json:"findings"`

	payloads *payloads.Maker // those that the plugin is asked with
}

// Passed reports whether there are no errors.
func (r *Report) Passed() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == Error })
}

func (r *Report) add(level Level, where, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{level, where, fmt.Sprintf(format, args...)})
}

// Longer durations are reported.
const (
	slowProbe = time.Second
	slowHook  = 2 * time.Second
)

// Dir is a plugins directory, loaded as the program loads it.
type Dir struct {
	// Rules names the permission rules that would hold for a tool without a category if it had
	// one; nil: there are none.
	Rules func(tools.Spec, tools.Category) []string

	// Contexts are names of contexts that a plugin may know: the check asks a resident one in the
	// first three, and in one that it does not know.
	Contexts []string

	opts   native.Options
	loaded plugin.Loaded
	mu     sync.Mutex
	took   map[string]time.Duration // how long plugins took for their schemas
}

// Load loads a plugins directory as the program does, and reports unknown keys of schemas
// too. In the options, the home should be a scratch one; opts.Placed can add a plugin that
// is not in the directory.
func Load(ctx context.Context, opts native.Options) (*Dir, error) {
	d := &Dir{took: map[string]time.Duration{}}
	opts.Strict = true
	opts.Probed = func(name string, took time.Duration) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.took[name] = took
	}
	var err error
	d.opts = opts
	d.loaded, err = native.Load(ctx, opts)
	return d, err
}

// Names lists the plugins that are used and those that are skipped although their owner
// expects them to run, in the order of their names.
func (d *Dir) Names() (names []string) {
	for _, p := range d.loaded.Plugins {
		names = append(names, p.Name)
	}
	for _, left := range d.loaded.Skipped {
		if left.Reportable {
			names = append(names, left.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Plugin returns a plugin of the directory, nil if it is not used.
func (d *Dir) Plugin(name string) *plugin.Plugin {
	for i := range d.loaded.Plugins {
		if d.loaded.Plugins[i].Name == name {
			return &d.loaded.Plugins[i]
		}
	}
	return nil
}

// Check checks one plugin of the directory.
func (d *Dir) Check(ctx context.Context, name string) Report {
	if p := d.Plugin(name); p != nil {
		r := report(p.Name, p.Origin.Path)
		defer r.payloads.Remove()
		r.file()
		d.loadedAs(&r, p)
		wrote := writes(d.opts.Home)
		ordinary := r.plugin(ctx, p)
		d.unseen(&r, p)
		r.pure(ctx, p, ordinary)
		if p.Resident {
			d.resident(ctx, &r, ordinary)
		}
		if p.Pure && wrote() {
			r.add(Warning, "pure", `its hooks wrote files in chibi's home; if it matters how often chibi calls them, the `+
				`plugin is not pure: remove "pure"`)
		}
		return r
	}
	for _, left := range d.loaded.Skipped {
		if left.Name == name {
			r := report(name, left.Origin.Path)
			r.file()
			r.add(Error, d.place(name), "%s%s", left.Reason, howToSeeAll(left))
			return r
		}
	}
	return Missing(name, "", "files whose names begin with a dot or end with .chibi-test.toml are not plugins; rename it")
}

// howToSeeAll returns how to see the whole output of a plugin that failed when it was
// asked for its schema, because the message contains only one line of it.
func howToSeeAll(left plugin.SkippedPlugin) string {
	if !strings.HasPrefix(left.Reason, "--schema: exit status ") {
		return ""
	}
	return "; to see its whole output, run: " + left.Origin.Path + " --schema"
}

func (d *Dir) loadedAs(r *Report, p *plugin.Plugin) {
	if took := d.took[p.Name]; took > slowProbe {
		r.add(Warning, "schema", "--schema took %.1f s; every run of chibi waits for it, so it should do nothing else",
			took.Seconds())
	}
	if p.LostTools > 0 {
		r.add(Error, "schema", "%d of its %d tools %s skipped, for the reasons below", p.LostTools,
			p.LostTools+len(p.Tools), english.PluralWord(p.LostTools, "is", "are"))
	}
	for _, n := range d.loaded.Notices {
		if n.Plugin == p.Name {
			r.add(Warning, "schema", "%s", n.Text)
		}
	}
	for _, t := range d.loaded.Taken {
		if t.By == p.Name && t.From != p.Name {
			r.add(Warning, "tool "+t.Tool, "plugin %q also has a tool of that name, which is skipped: this one comes first",
				t.From)
		}
	}
}

// unseen adds a finding about each tool that seems to do what guards and rules are about, and has
// no category.
func (d *Dir) unseen(r *Report, p *plugin.Plugin) {
	host := &plugin.Host{Plugins: d.loaded.Plugins}
	for _, t := range p.Tools {
		unseen, ok := host.Unseen(t.Spec(), d.Rules)
		level := Warning
		if len(unseen.By) > 0 {
			level = Error
		}
		if ok {
			r.add(level, "tool "+t.Spec().Name, "it %v; %s", unseen, unseen.Remedy())
		}
	}
}

// place returns where the problem of a skipped plugin is: in its schema if it was asked
// for that, otherwise in its file.
func (d *Dir) place(name string) string {
	if _, asked := d.took[name]; asked {
		return "schema"
	}
	return "file"
}

func report(name, path string) Report {
	return Report{Plugin: name, Path: path, Tools: []string{}, Hooks: []string{}, Findings: []Finding{},
		payloads: &payloads.Maker{}}
}

// Missing returns the report about something that is not a plugin or is not used, with
// the reason.
func Missing(name, path, why string) Report {
	r := report(name, path)
	r.add(Error, "file", "%s", why)
	return r
}

// Warn adds a warning about the plugin's file.
func (r *Report) Warn(text string) { r.add(Warning, "file", "%s", text) }

// Loaded checks the tools and the answers of a plugin of any protocol.
func Loaded(ctx context.Context, p *plugin.Plugin) Report {
	r := report(p.Name, p.Origin.Path)
	defer r.payloads.Remove()
	r.pure(ctx, p, r.plugin(ctx, p))
	return r
}

// file checks the permissions and the first line of the file.
func (r *Report) file() {
	info, err := os.Stat(r.Path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if info.Mode()&0o002 != 0 {
		r.add(Warning, "file", "everybody may change it, and chibi runs it as you; run: chmod o-w %s", r.Path)
	}
	r.interpreter(r.Path)
}

func (r *Report) interpreter(path string) {
	f, err := os.Open(path)
	if err != nil {
		r.add(Warning, "file", "it cannot be read: %v", err)
		return
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 512).ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return
	}
	if filepath.Base(words[0]) != "env" || len(words) < 2 || strings.HasPrefix(words[1], "-") {
		return // an error of starting it is reported anyway
	}
	if _, ok := (process.Runner{}).LookPath(words[1]); !ok {
		r.add(Error, "file", "its interpreter %q is not installed; install it, or write the plugin in another language",
			words[1])
	}
}

// plugin checks the tools' schemas, fires every hook and returns what became of that.
func (r *Report) plugin(ctx context.Context, p *plugin.Plugin) (records []plugin.Record) {
	for _, t := range p.Tools {
		spec := t.Spec()
		r.Tools = append(r.Tools, spec.Name)
		found := checkSchema("tool "+spec.Name, spec.Parameters)
		r.Findings = append(r.Findings, found...)
		if _, err := tools.Compile(spec.Parameters); len(found) == 0 && err != nil {
			r.add(Error, "tool "+spec.Name, "%v", err)
		}
		switch {
		case spec.Description != "":
		case len(p.Hooks) == 0:
			r.add(Warning, "tool "+spec.Name, "it has no description; the model does not know when to call it")
		default:
			r.add(Warning, "tool "+spec.Name, "the model sees it as a tool without a description; if it is not meant "+
				`to be called, write "tool": false into its --schema`)
		}
	}
	for _, name := range p.Hooks {
		r.Hooks = append(r.Hooks, string(name))
		if info, ok := hookpoints.Find(name); ok {
			records = append(records, r.fire(ctx, p, info))
		}
	}
	return records
}

func (r *Report) fire(ctx context.Context, p *plugin.Plugin, info hookpoints.Info) plugin.Record {
	record, err := r.ask(ctx, p, info)
	if err != nil {
		r.add(Error, string(info.Name), "%v", err)
		return record
	}
	r.answer(p, info, record)
	return record
}

// ask asks the plugin with an example payload, each time with the same.
func (r *Report) ask(ctx context.Context, p *plugin.Plugin, info hookpoints.Info) (record plugin.Record, err error) {
	payload, err := r.payloads.Example(info)
	if err != nil {
		return record, err
	}
	host := &plugin.Host{Wait: true, Plugins: []plugin.Plugin{*p}, Trace: func(got plugin.Record) { record = got }}
	_, err = plugin.FireJSON(ctx, host, info, payload)
	return record, err
}

func (r *Report) answer(p *plugin.Plugin, info hookpoints.Info, record plugin.Record) {
	where := string(info.Name)
	switch record.Result {
	case plugin.Failed:
		if strings.Contains(record.Why, process.ErrNoTerminal.Error()) {
			r.add(Warning, where, "it asks the person at the terminal, which is not possible here; try it: chibi hook fire %s "+
				"--plugin %s", info.Name, p.Name)
			return
		}
		r.add(Error, where, "it failed on an example payload: %s; to see the payload, run: chibi hook fire %s --plugin %s",
			record.Why, info.Name, p.Name)
	case plugin.Ignored:
		r.add(Error, where, "%s", strings.Join(record.Notes, "; "))
	default:
		for _, note := range record.Notes {
			r.add(Warning, where, "%s", note)
		}
	}
	if took := time.Duration(record.DurationMS) * time.Millisecond; took > slowHook {
		r.add(Warning, where, "it took %.1f s; the person waits for it every time", took.Seconds())
	}
}
