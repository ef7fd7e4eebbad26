// Package plugincheck tries a plugin out: its file, its schema, and what it
// answers to an example of every hook that it asked for, in a scratch home. It
// finds what would make the plugin do nothing, or something else than its author
// means, and says what to do.
//
// A check runs the plugin's hooks, but no tool: a tool may do anything.
package plugincheck

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	Error   Level = "error"   // it does not work as it is
	Warning Level = "warning" // it works, but perhaps not as its author means
)

// Finding is something that was found.
type Finding struct {
	Level Level `json:"level"`
	// Where is a hook, a tool, "file" or "schema".
	Where string `json:"where"`
	// Text says what is wrong, and what to do.
	Text string `json:"text"`
}

// Report is what was found about one plugin.
type Report struct {
	Plugin   string    `json:"plugin"`
	Path     string    `json:"path"`
	Tools    []string  `json:"tools"`
	Hooks    []string  `json:"hooks"`
	Findings []Finding `json:"findings"`
}

// Passed says that there are no errors.
func (r *Report) Passed() bool {
	for _, f := range r.Findings {
		if f.Level == Error {
			return false
		}
	}
	return true
}

func (r *Report) add(level Level, where, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{level, where, fmt.Sprintf(format, args...)})
}

// Options say how plugins are run.
type Options struct {
	// Home is a scratch home.
	Home string
	// Exec runs the processes.
	Exec plugin.Exec
	// Prober asks for the schema; nil: one that remembers nothing.
	Prober *plugin.Prober
	// ProbeTimeout and HookTimeout bound them; 0: as for native.Options.
	ProbeTimeout, HookTimeout time.Duration
}

// What takes longer is said.
const (
	slowProbe = time.Second
	slowHook  = 2 * time.Second
)

// File checks a plugin of chibi's protocol: an executable, or a folder NAME with
// NAME in it.
func File(ctx context.Context, path string, opts Options) Report {
	r := Report{Plugin: filepath.Base(path), Path: path, Tools: []string{}, Hooks: []string{}, Findings: []Finding{}}
	if !r.file(path) {
		return r
	}
	loadOpts := native.Options{
		Dir: filepath.Dir(path), Only: []string{filepath.Base(path)}, AllowLinks: []string{"/"}, Strict: true,
		Home: opts.Home, Context: "default", Exec: opts.Exec, Prober: opts.Prober, ProbeTimeout: opts.ProbeTimeout,
		HookTimeout: opts.HookTimeout,
	}
	begun := time.Now()
	loaded, err := native.Load(ctx, loadOpts)
	if err != nil {
		r.add(Error, "file", "%v", err)
		return r
	}
	if took := time.Since(begun); took > slowProbe {
		r.add(Warning, "schema", "--schema took %.1f s; every run of chibi waits for it, so do nothing else there",
			took.Seconds())
	}
	for _, left := range loaded.LeftOut {
		r.add(Error, "schema", "%s", left.Reason)
	}
	for _, n := range loaded.Notices {
		r.add(Warning, "schema", "%s", n.Text)
	}
	if len(loaded.LeftOut) == 0 && len(loaded.Plugins) == 0 {
		r.add(Error, "file", "names that begin with a dot are no plugins; rename it")
	}
	for i := range loaded.Plugins {
		r.plugin(ctx, &loaded.Plugins[i])
	}
	return r
}

// Loaded checks a plugin of any protocol by what it answers.
func Loaded(ctx context.Context, p *plugin.Plugin) Report {
	r := Report{Plugin: p.Name, Path: p.Origin.Path, Tools: []string{}, Hooks: []string{}, Findings: []Finding{}}
	r.plugin(ctx, p)
	return r
}

// file looks at the file itself. It says whether there is one to run.
func (r *Report) file(path string) bool {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, filepath.Base(path))
		r.Path = path
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.add(Error, "file", "there is no file %s", path)
		return false
	case err != nil:
		r.add(Error, "file", "%v", err)
		return false
	case !info.Mode().IsRegular():
		r.add(Error, "file", "it is not a regular file")
		return false
	case info.Mode()&0o111 == 0:
		r.add(Error, "file", "it is not executable; run: chmod +x %s", path)
		return false
	case info.Mode()&0o002 != 0:
		r.add(Warning, "file", "everybody may change it, and so what chibi runs as you; run: chmod o-w %s", path)
	}
	r.interpreter(path)
	return true
}

// interpreter looks at a script's first line.
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
		return // what cannot be started says so by itself
	}
	if _, ok := (plugin.Exec{}).LookPath(words[1]); !ok {
		r.add(Error, "file", "its interpreter %q is not installed; install it, or write the plugin in another language",
			words[1])
	}
}

// plugin checks the tools' schemas and fires every hook.
func (r *Report) plugin(ctx context.Context, p *plugin.Plugin) {
	for _, t := range p.Tools {
		spec := t.Spec()
		r.Tools = append(r.Tools, spec.Name)
		found := checkSchema("tool "+spec.Name, spec.Parameters)
		r.Findings = append(r.Findings, found...)
		if err := tools.Check(spec.Parameters, json.RawMessage("{}")); len(found) == 0 && errors.Is(err, tools.ErrSchema) {
			r.add(Error, "tool "+spec.Name, "%v", err)
		}
		if spec.Description == "" && len(p.Hooks) == 0 {
			r.add(Warning, "tool "+spec.Name, "it has no description; the model does not know when to call it")
		}
	}
	for _, name := range p.Hooks {
		r.Hooks = append(r.Hooks, string(name))
		if info, ok := hookpoints.Find(name); ok {
			r.fire(ctx, p, info)
		}
	}
}

// fire fires one hook with an example, and reads what came of it.
func (r *Report) fire(ctx context.Context, p *plugin.Plugin, info hookpoints.Info) {
	where := string(info.Name)
	var record plugin.Record
	host := &plugin.Host{Plugins: []plugin.Plugin{*p}, Trace: func(got plugin.Record) { record = got }}
	if _, err := plugin.FireJSON(ctx, host, info, hookdoc.Example(info)); err != nil {
		r.add(Error, where, "%v", err)
		return
	}
	switch record.Result {
	case plugin.Failed:
		if strings.Contains(record.Why, plugin.ErrNoTerminal.Error()) {
			r.add(Warning, where, "it asks the person at the terminal, which nobody answers here; try it: chibi hook fire %s "+
				"--plugin %s", info.Name, p.Name)
			return
		}
		r.add(Error, where, "it failed on an example payload: %s; see what it got: chibi hook fire %s --plugin %s",
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
