package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	plugins "github.com/chibi-host/chibi/examples/plugins"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin"
)

// demoStep is one prompt of the demonstration.
type demoStep struct {
	about   string
	context string
	prompt  string
}

// demoScript shows each example plugin at work.
func demoScript() []demoStep {
	return []demoStep{
		{"add-time adds the time to every prompt.", "default", "How late is it?"},
		{"greet is a tool; the demo model calls it when a prompt says @tool.", "default", `@tool greet {"name": "Ada"}`},
		{"block-rm guards every tool call.", "default", `@tool run_command {"command": "rm -rf ./everything"}`},
		{"word-count tidies what tools print: trailing spaces and empty lines go.", "default",
			`@tool run_command {"command": "printf 'one   \n\n\n\ntwo\n'"}`},
		{"word-count is a tool too.", "default", `@tool word_count {"text": "one two three"}`},
		{"summarize puts a few lines in the place of a large output.", "default",
			`@tool run_command {"command": "seq 1 5000; echo error: out of numbers"}`},
		{"tool-filter offers few tools in the context safe.", "safe", "What is offered here?"},
		{"temperature lowers the temperature in the context coding.", "coding", "How hot is it here?"},
	}
}

// demo holds a short conversation with the example plugins in a scratch home,
// and shows what each plugin saw and changed.
func (p *program) demo(ctx context.Context, _ []string) error {
	leave, err := p.enterScratch("demo")
	if err != nil {
		return err
	}
	defer leave()
	home := p.pluginHome
	if err := p.furnish(home); err != nil {
		return err
	}
	out := p.screen.Stdout()
	fmt.Fprintf(out, "A scratch home with the example plugins and the built-in demo model.\n\n")
	var all []plugin.Record
	var names []string
	for _, step := range demoScript() {
		records, loaded, err := p.demoStep(ctx, home, step)
		if err != nil {
			return err
		}
		all, names = append(all, records...), loaded
	}
	fmt.Fprintln(out, "What each plugin did:")
	for _, name := range names {
		fmt.Fprintf(out, "  %s\n", summary(name, all))
	}
	fmt.Fprintf(out, "\nThe plugins are in examples/plugins; copy one to ~/.chibi/plugins to use it.\n")
	return nil
}

// furnish writes the example plugins and a configuration that gives the one in
// Go time to be built.
func (p *program) furnish(home string) error {
	examples, err := plugins.All()
	if err != nil {
		return err
	}
	for _, e := range examples {
		for _, f := range e.Files {
			if err := disk.WriteFile(filepath.Join(home, "plugins", f.Path), f.Content, f.Executable); err != nil {
				return fmt.Errorf("writing the example plugin %s: %w", e.Name, err)
			}
		}
	}
	p.pluginEnv = append(p.pluginEnv, "PATH="+os.Getenv("PATH")+string(filepath.ListSeparator)+filepath.Join(home, "bin"))
	if err := disk.WriteFile(filepath.Join(home, "bin", "jq"), []byte(jqFallback), true); err != nil {
		return err
	}
	settings := "[plugins]\nprobe_timeout_ms = 120000\nhook_timeout_ms = 120000\n" +
		"[plugins.summarize-with-model]\nenabled = false\n" // there is no model to ask
	return disk.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), false)
}

// jqFallback stands in for jq, last on the PATH, where none is installed: two
// example plugins need one.
const jqFallback = `#!/bin/sh
exec go run github.com/itchyny/gojq/cmd/gojq@v0.12.19 "$@"
`

// demoStep asks one prompt and prints it, the answer and what plugins did.
func (p *program) demoStep(ctx context.Context, home string, step demoStep) (records []plugin.Record,
	names []string, err error) {
	out := p.screen.Stdout()
	fmt.Fprintf(out, "# %s\n$ chibi -C %s '%s'\n", step.about, step.context, step.prompt)
	q := &program{stdin: p.stdin, screen: p.screen, said: p.said, pluginEnv: p.pluginEnv, offline: true,
		nativeOnly: true, untraced: true}
	q.opts = options{home: home, transient: []string{step.context}}
	s, err := q.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	s.traceHook = func(r plugin.Record) { records = append(records, r) }
	if err := s.connect(); err != nil {
		return nil, nil, err
	}
	var answer strings.Builder
	s.agent.Output.Text = func(delta string) { answer.WriteString(delta) }
	err = s.agent.Start(ctx)
	if err == nil {
		err = s.ask(ctx, step.prompt)
	}
	if err = errors.Join(err, s.agent.End(ctx, err)); err != nil {
		return nil, nil, err
	}
	indent(out, "  ", answer.String())
	for _, r := range records {
		if r.Result != plugin.NoOpinion {
			fmt.Fprintf(out, "  [%s] %s: %s\n", r.Point, r.Plugin, effect(r))
		}
	}
	fmt.Fprintln(out)
	for _, loaded := range s.loaded.Plugins {
		names = append(names, loaded.Name)
	}
	for _, skipped := range s.loaded.LeftOut {
		names = append(names, skipped.Name+" (left out: "+skipped.Reason+")")
	}
	return records, names, nil
}

// effect says what a record's plugin did, with its answer where that is short.
func effect(r plugin.Record) string {
	text := string(r.Result)
	if r.Why != "" {
		text += ": " + r.Why
	}
	if r.Result == plugin.Changed {
		text += " " + strings.Join(r.Changed, " ") + ": " + brief(string(r.Answer), 100)
	}
	return text
}

// summary says what one plugin saw and changed in the whole demonstration.
func summary(name string, records []plugin.Record) string {
	asked := 0
	var points, effects []string
	for _, r := range records {
		if r.Plugin != name || r.Result == plugin.Skipped {
			continue
		}
		asked++
		if !slices.Contains(points, string(r.Point)) {
			points = append(points, string(r.Point))
		}
		if r.Result != plugin.NoOpinion {
			effects = append(effects, string(r.Result)+" "+strings.Join(r.Changed, " "))
		}
	}
	switch {
	case asked == 0:
		return name + ": a tool, no hooks"
	case len(effects) == 0:
		return fmt.Sprintf("%s: saw %d moments (%s), changed nothing", name, asked, strings.Join(points, ", "))
	}
	slices.Sort(effects)
	return fmt.Sprintf("%s: saw %d moments (%s), %s", name, asked, strings.Join(points, ", "),
		strings.Join(slices.Compact(effects), ", "))
}

// indent prints a text with something before each line.
func indent(w io.Writer, before, text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(w, strings.TrimRight(before+line, " "))
	}
}

// brief shortens a text.
func brief(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}
