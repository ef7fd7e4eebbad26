// Package demo has the command that shows the example plugins at work.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	plugins "github.com/chibi-host/chibi/examples/plugins"
	"github.com/chibi-host/chibi/examples/recipes"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/workbench/scratch"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// Commands lists the command demo.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Command(command.Spec{
		Name:  "demo",
		About: "show what plugins can do, in a short conversation with the example plugins in a scratch home",
		Run:   func(ctx context.Context, _ []string) error { return run(ctx, env) },
	})}
}

type step struct {
	about   string
	shows   []string // the plugins that it needs
	context string
	prompt  string
}

func script() []step {
	return []step{
		{"add-time adds the time to every prompt.", []string{"add-time"}, "default", "What time is it?"},
		{"greet is a tool; the demo model calls it when a prompt says @tool.", []string{"greet"},
			"default", `@tool greet {"name": "Ada"}`},
		{"block-rm guards every tool call.", []string{"block-rm", "run_command"},
			commands, `@tool run_command {"command": "rm -rf ./everything"}`},
		{"summarize replaces a large output with a few lines.", []string{"summarize", "run_command"},
			commands, `@tool run_command {"command": "seq 1 5000; echo error: out of numbers"}`},
		{"tool-filter offers only a few tools in the context safe.", []string{"tool-filter"}, "safe",
			"What is offered here?"},
		{"temperature lowers the temperature in the context coding.", []string{"temperature"},
			"coding", "What is the temperature here?"},
		{"With the coding tools, a plugin keeps every shell from git push.", []string{"guard-push"}, project,
			`@tool shell_exec {"command": "git -C . push origin main"}`},
		{"It holds inside a sub-agent too; the recipe reviewer defines this one.", []string{"guard-push"}, agents,
			`@tool spawn_agent {"agent": "reviewer", "task": "@tool shell_exec {\"command\": \"git push\"}"}`},
		{"A rule allows a call without a question.", nil, project,
			`@tool shell_exec {"command": "echo this was allowed"}`},
	}
}

// project is the context in which the coding tools are offered, and allowed what the rule
// matches; in agents there are sub-agents too. In commands, a plugin's shell is allowed.
const (
	project  = "project"
	agents   = "agents"
	commands = "commands"
	allowed  = "shell_exec(echo *)"
	shell    = "run_command"
)

func flags(context string) string {
	switch context {
	case project:
		return fmt.Sprintf("--coding --allow %q -C %s", allowed, context)
	case agents:
		return "--coding --set tools.agents=true -C " + context
	case commands:
		return fmt.Sprintf("--allow %s -C %s", shell, context)
	}
	return "-C " + context
}

type demonstration struct {
	out      io.Writer
	home     *scratch.Home
	plugins  app.PluginOptions
	output   agent.Output            // receives what happens, except for the answers
	sessions map[string]*app.Session // one for each context
	records  []plugin.Record

	permissions []agent.PermissionEvent // of the present step
	shown       map[string]bool         // what the demonstration has shown, which it shows once
}

// run holds a short conversation with the example plugins in a scratch home, and shows
// what each plugin saw and changed. It builds and downloads nothing: it lists the
// plugins that cannot run here.
func run(ctx context.Context, env *command.Env) error {
	request, err := env.Request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.MakeScratch(request, "demo")
	if err != nil {
		return err
	}
	defer home.Remove()
	shown := request.Output
	d := &demonstration{
		out: env.Out.Screen.Stdout(), home: home, plugins: request.Plugins.In(home), sessions: map[string]*app.Session{},
		shown: map[string]bool{},
	}
	d.output = agent.Output{Notice: shown.Notice, Waiting: shown.Waiting, Event: func(e agent.Event) {
		if e.Permission != nil {
			d.permissions = append(d.permissions, *e.Permission)
		}
		shown.Event(e)
	}}
	d.plugins.NativeOnly, d.plugins.None, d.plugins.NoHooks = true, false, false
	defer d.close()
	leftOut, err := d.writeExamples()
	if err == nil {
		err = d.writeRecipes()
	}
	if err != nil {
		return err
	}
	names, more, err := d.load(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "A scratch home with the example plugins and the built-in demo model.\n")
	if all := slices.Concat(leftOut, more); len(all) > 0 {
		fmt.Fprintf(d.out, "left out: %s\n", strings.Join(all, ", "))
	}
	fmt.Fprintln(d.out)
	if len(names) == 0 {
		return errors.New("no example plugin can run here; install what is missing")
	}
	return d.show(ctx, names)
}

func (d *demonstration) show(ctx context.Context, names []string) error {
	for _, step := range script() {
		if !slices.ContainsFunc(step.shows, func(name string) bool { return !slices.Contains(names, name) }) {
			if err := d.ask(ctx, step); err != nil {
				return err
			}
		}
	}
	if slices.Contains(names, "guard-push") {
		if err := d.bridge(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(d.out, "What each plugin did:")
	for _, p := range d.sessions["default"].Loaded.Plugins {
		fmt.Fprintf(d.out, "  %s\n", summary(p, d.records))
	}
	fmt.Fprintf(d.out, "\nThe plugins are in examples/plugins; copy one to ~/.chibi/plugins to use it.\n")
	fmt.Fprintf(d.out, "To use them inside another agent: go install . first, then: chibi bridge add claude\n")
	return nil
}

func (d *demonstration) writeExamples() (leftOut []string, err error) {
	examples, err := plugins.All()
	if err != nil {
		return nil, err
	}
	for _, e := range examples {
		if reason := notShown(e); reason != "" {
			leftOut = append(leftOut, e.Name+" ("+reason+")")
			continue
		}
		for _, f := range e.Files {
			if err := disk.WriteFile(filepath.Join(d.home.Chibi, "plugins", f.Path), f.Content, f.Mode); err != nil {
				return nil, fmt.Errorf("writing the example plugin %s: %w", e.Name, err)
			}
		}
	}
	return leftOut, nil
}

func (d *demonstration) writeRecipes() error {
	list, err := recipes.All()
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := disk.WriteFile(filepath.Join(d.home.Chibi, "recipes", r.Name), r.Content, 0o644); err != nil {
			return fmt.Errorf("writing the example recipe %s: %w", r.Name, err)
		}
	}
	return nil
}

// notShown returns why an example is not shown; "" if it is.
func notShown(e plugins.Example) string {
	switch e.Name {
	case "summarize-with-model":
		return "needs a configured model"
	case "word_count":
		return "is built from its source when it is first used, which takes a while"
	}
	if of, isForm := strings.CutSuffix(e.Name, "-resident"); isForm {
		return "does the same as " + of + ", in one process a session"
	}
	var missing []string
	for _, name := range e.Needs {
		if _, ok := (process.Runner{}).LookPath(name); !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "needs " + english.WordSeries(missing, "and") + ", which " +
		english.PluralWord(len(missing), "is", "are") + " not installed"
}

func (d *demonstration) at(ctx context.Context, name string) (*app.Session, error) {
	if s := d.sessions[name]; s != nil {
		return s, nil
	}
	files := "files"
	opts := app.Options{
		Store: app.StoreOptions{URL: &files},
		Home:  d.home.Chibi, Context: name, Transient: true,
		Model:   app.ModelOptions{Demo: true},
		Plugins: d.plugins,
		Trace:   app.TraceOptions{Off: true, Record: func(r plugin.Record) { d.records = append(d.records, r) }},
		Output:  d.output,
	}
	// The examples are known to answer: on a slow machine the demonstration waits for them.
	opts.Set = []string{"plugins.probe_timeout_ms=60000", "plugins.hook_timeout_ms=60000"}
	switch name {
	case project:
		opts.Permissions = app.PermissionOptions{Coding: true, Allow: []string{allowed}}
	case agents:
		opts.Permissions, opts.Set = app.PermissionOptions{Coding: true}, append(opts.Set, "tools.agents=true")
	case commands:
		opts.Permissions.Allow = []string{shell}
	}
	s, err := app.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	d.sessions[name] = s
	return s, s.Connect()
}

func (d *demonstration) close() {
	for _, s := range d.sessions {
		s.Close()
	}
}

func (d *demonstration) load(ctx context.Context) (names, leftOut []string, err error) {
	s, err := d.at(ctx, "default")
	if err != nil {
		return nil, nil, err
	}
	for _, loaded := range s.Loaded.Plugins {
		names = append(names, loaded.Name)
	}
	for _, skipped := range s.Loaded.Skipped {
		leftOut = append(leftOut, skipped.Name+" ("+skipped.Reason+")")
	}
	return names, leftOut, nil
}

func (d *demonstration) ask(ctx context.Context, step step) error {
	fmt.Fprintf(d.out, "# %s\n$ chibi %s '%s'\n", step.about, flags(step.context), step.prompt)
	s, err := d.at(ctx, step.context)
	if err != nil {
		return err
	}
	before := len(d.records)
	var answer strings.Builder
	s.Agent.Output.Text = func(delta string) { answer.WriteString(delta) }
	err = s.Agent.Start(ctx)
	if err == nil {
		err = s.Ask(ctx, step.prompt)
	}
	if err = errors.Join(err, s.Agent.End(ctx, err)); err != nil {
		return err
	}
	d.say(answer.String())
	for _, r := range d.records[before:] {
		if kind := fmt.Sprint(r.Point, r.Plugin, r.Result); r.Result != plugin.NoOpinion && !d.shown[kind] {
			d.shown[kind] = true
			fmt.Fprintf(d.out, "  [%s] %s: %s\n", r.Point, r.Plugin, effect(r))
		}
	}
	for _, p := range d.permissions {
		fmt.Fprintf(d.out, "  [permission] %s: %s by %s\n", p.Tool, said(p.Decision), p.By)
	}
	d.permissions = nil
	fmt.Fprintln(d.out)
	return nil
}

func said(d permissions.Decision) string {
	if d == permissions.Allow {
		return "allowed"
	}
	return "denied"
}
