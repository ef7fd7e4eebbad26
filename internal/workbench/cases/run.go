package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/workbench/payloads"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Outcome is the result of one case.
type Outcome struct {
	// Name is the name of the case.
	Name string
	// Wrong lists the deviations, a sentence each; empty: the case passed.
	Wrong []string
	// Took is the duration.
	Took time.Duration
}

// Run runs a case with a plugin that was loaded for it.
func (c Case) Run(ctx context.Context, p *plugin.Plugin) Outcome {
	begun := time.Now()
	o := Outcome{Name: c.Name}
	if c.Tool != "" {
		o.Wrong = c.runTool(ctx, p)
	} else {
		o.Wrong = c.runHook(ctx, p)
	}
	o.Took = time.Since(begun)
	return o
}

func (c Case) runHook(ctx context.Context, p *plugin.Plugin) (wrong []string) {
	info, _ := hookpoints.Find(hookpoints.Name(c.Hook))
	if !p.Subscribes(info.Name) {
		return []string{fmt.Sprintf("chibi does not ask the plugin at %s; its --schema does not list it", c.Hook)}
	}
	made := payloads.Maker{Find: toolOf(p)}
	defer made.Remove()
	payload, err := c.payload(info, &made)
	if err != nil {
		return []string{err.Error()}
	}
	var record plugin.Record
	host := &plugin.Host{Wait: true, Plugins: []plugin.Plugin{*p}, Trace: func(r plugin.Record) { record = r }}
	result, err := plugin.FireJSON(ctx, host, info, payload)
	if err != nil {
		return []string{err.Error()}
	}
	if c.Fails != "" || record.Result == plugin.Failed {
		return failure(c.Fails, record.Result == plugin.Failed, record.Why)
	}
	if record.Result == plugin.Ignored {
		wrong = append(wrong, "its answer had no effect: "+strings.Join(record.Notes, "; "))
	}
	if c.Answer != nil {
		wrong = append(wrong, differences("answer", asJSON(c.Answer), record.Answer)...)
	}
	if c.Result != nil {
		wrong = append(wrong, differences("result", asJSON(c.Result), result)...)
	}
	for _, path := range slices.Sorted(maps.Keys(c.Matches)) {
		if got := gjson.GetBytes(record.Answer, path).String(); !matches(c.Matches[path], got) {
			wrong = append(wrong, fmt.Sprintf("answer: %s is %q, want a match of %q", path, got, c.Matches[path]))
		}
	}
	return wrong
}

func (c Case) payload(info hookpoints.Info, made *payloads.Maker) (json.RawMessage, error) {
	payload := hookdoc.Example(info)
	for _, key := range slices.Sorted(maps.Keys(c.Data)) {
		value, err := json.Marshal(c.Data[key])
		if err == nil {
			payload, err = merge.Set(payload, key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("data.%s: %w", key, err)
		}
	}
	return made.Complete(info, payload, slices.Collect(maps.Keys(c.Data)))
}

// toolOf returns a function that finds the plugin's tools.
func toolOf(p *plugin.Plugin) func(name string) (tools.Tool, bool) {
	return func(name string) (tools.Tool, bool) {
		for _, t := range p.Tools {
			if t.Spec().Name == name {
				return t, true
			}
		}
		return nil, false
	}
}

func (c Case) runTool(ctx context.Context, p *plugin.Plugin) (wrong []string) {
	tool, ok := toolOf(p)(c.Tool)
	if !ok {
		return []string{fmt.Sprintf("the plugin has no tool %q", c.Tool)}
	}
	schema, _ := tools.Compile(tool.Spec().Parameters) // an invalid one checks nothing
	args, _ := schema.Convert(asJSON(c.Arguments))
	if err := schema.Check(args); err != nil && !errors.Is(err, tools.ErrSchema) {
		return []string{err.Error()}
	}
	result, err := tool.Call(ctx, tools.Call{ID: "call_1", Arguments: args, Context: c.ContextName()})
	if err != nil {
		return []string{err.Error()}
	}
	if c.Fails != "" || result.Failed {
		return failure(c.Fails, result.Failed, result.Told())
	}
	if c.Output != nil && result.Text != *c.Output {
		wrong = append(wrong, fmt.Sprintf("output: got %q, want %q", result.Text, *c.Output))
	}
	if !matches(c.OutputMatches, result.Text) {
		wrong = append(wrong, fmt.Sprintf("output: got %q, want a match of %q", result.Text, c.OutputMatches))
	}
	return wrong
}

func failure(want string, failed bool, why string) []string {
	switch {
	case want == "":
		return []string{"it failed: " + why}
	case !failed:
		return []string{fmt.Sprintf("it did not fail, want a failure with %q", want)}
	case !matches(want, why):
		return []string{fmt.Sprintf("it failed: %s; want a match of %q", why, want)}
	}
	return nil
}

func differences(what string, want, got []byte) (wrong []string) {
	if len(got) == 0 {
		got = []byte("{}")
	}
	text := func(value []byte) string {
		if value == nil {
			return "no value"
		}
		return string(value)
	}
	for _, d := range merge.Diff(want, got) {
		wrong = append(wrong, fmt.Sprintf("%s at %s: got %s, want %s", what, d.Path, text(d.After), text(d.Before)))
	}
	return wrong
}

func matches(pattern, text string) bool {
	ok, err := regexp.MatchString(pattern, text)
	return err == nil && ok
}
