package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// inputCommand is a command of --json-config: the members of its object, and
// what it does to the options. Names and members are the original's.
type inputCommand struct {
	name    string
	aliases []string
	members []inputMember
	apply   func(o *options, member func(string) gjson.Result)
}

// inputMember is a member of a command's object.
type inputMember struct {
	name     string
	kind     string // of JSON Schema; "strings" is a list of strings
	required bool
}

func inputCommands() []inputCommand {
	optional := func(name string) inputMember { return inputMember{name, "string", false} }
	required := func(name string) inputMember { return inputMember{name, "string", true} }
	type get = func(string) gjson.Result
	// one is a command about a named context, or the current one.
	one := func(current func(*options), named func(o *options, name string)) func(*options, get) {
		return func(o *options, m get) {
			if name := m("name").String(); name != "" {
				named(o, name)
				return
			}
			current(o)
		}
	}
	return []inputCommand{
		{"send_prompt", nil, []inputMember{required("prompt")},
			func(o *options, m get) { text := m("prompt").String(); o.prompt = &text }},
		{"list_contexts", nil, nil, func(o *options, _ get) { o.list = true }},
		{"list_current_context", nil, nil, func(o *options, _ get) { o.current = true }},
		{"destroy_context", []string{"delete_context"}, []inputMember{optional("name")},
			one(func(o *options) { o.destroy = true }, func(o *options, name string) { o.destroyOther = []string{name} })},
		{"archive_history", []string{"archive_context"}, []inputMember{optional("name")},
			one(func(o *options) { o.archive = true }, func(o *options, name string) { o.archiveOther = []string{name} })},
		{"compact_context", nil, []inputMember{optional("name")},
			one(func(o *options) { o.compact = true }, func(o *options, name string) { o.compactOther = []string{name} })},
		{"rename_context", nil, []inputMember{optional("old"), required("new")}, func(o *options, m get) {
			o.rename = []string{m("new").String()}
			if old := m("old").String(); old != "" {
				o.rename, o.renameOther = nil, []string{old, m("new").String()}
			}
		}},
		{"show_log", nil, []inputMember{optional("context"), {"count", "integer", true}}, func(o *options, m get) {
			o.log, o.logOther = inContext(m, strconv.FormatInt(m("count").Int(), 10))
		}},
		{"inspect", nil, []inputMember{optional("context"), required("thing")}, func(o *options, m get) {
			o.inspect, o.inspectOther = inContext(m, m("thing").String())
		}},
		{"set_system_prompt", nil, []inputMember{optional("context"), required("prompt")}, func(o *options, m get) {
			o.systemPrompt, o.systemPromptOther = inContext(m, m("prompt").String())
		}},
		{"run_plugin", nil, []inputMember{required("name"), {"args", "strings", false}}, func(o *options, m get) {
			o.plugin, o.tail = []string{m("name").String()}, texts(m("args"))
		}},
		{"call_tool", nil, []inputMember{required("name"), {"args", "strings", false}}, func(o *options, m get) {
			o.tool, o.tail = []string{m("name").String()}, texts(m("args"))
		}},
		{"check_all_inboxes", nil, nil, func(o *options, _ get) { o.mail = true }},
		{"check_inbox", nil, []inputMember{required("context")},
			func(o *options, m get) { o.mailOther = []string{m("context").String()} }},
		{"clear_cache", nil, []inputMember{optional("name")},
			one(func(o *options) { o.clearCache = true }, func(o *options, name string) { o.clearCacheFor = []string{name} })},
		{"cleanup_cache", nil, nil, func(o *options, _ get) { o.cleanupCache = true }},
		{"show_help", nil, nil, func(o *options, _ get) { o.help = true }},
		{"show_version", nil, nil, func(o *options, _ get) { o.version = true }},
		{"no_op", nil, nil, func(o *options, _ get) { o.nothing = true }},
	}
}

// inContext is a flag for the current context, or the one for a named context.
func inContext(member func(string) gjson.Result, value string) (current, named []string) {
	if name := member("context").String(); name != "" {
		return nil, []string{name, value}
	}
	return []string{value}, nil
}

func texts(list gjson.Result) []string {
	words := []string{}
	for _, word := range list.Array() {
		words = append(words, word.String())
	}
	return words
}

// readInput reads the whole run from standard input, as --json-config says. Of
// the flags, only --home, --json-output and those that the JSON does not know
// count besides.
func (p *program) readInput(ctx context.Context) error {
	text, err := p.readInputText(ctx, "the run")
	if err != nil {
		return err
	}
	plain, err := strictjson.Normalize([]byte(text))
	if errors.Is(err, strictjson.ErrDepth) {
		return usage("--json-config: the input cannot be read: %v", err)
	} else if err != nil {
		return usage("--json-config: the input is %v", err)
	}
	var object map[string]json.RawMessage
	if err := strictjson.Decode(plain, &object); err != nil {
		return usage("--json-config: the input is not an object; chibi --json-schema describes it")
	}
	o := p.opts
	p.opts = options{
		home: o.home, jsonOutput: true, trace: o.trace, set: o.set, wait: o.wait, yes: o.yes, raw: o.raw, quiet: o.quiet,
		noPlugins: o.noPlugins, noHooks: o.noHooks, trustProject: o.trustProject,
	}
	input := gjson.ParseBytes(plain)
	for _, step := range []func(gjson.Result) error{
		p.inputCommand, p.inputFlags, p.inputContext, p.inputUsername, p.inputSystemPrompt,
	} {
		if err := step(input); err != nil {
			return err
		}
	}
	known := []string{"command", "flags", "context", "username_override", "system_prompt_override", "$schema"}
	for key := range object {
		if !slices.Contains(known, key) {
			p.screen.notef("--json-config: the member %q is not known and ignored", key)
		}
	}
	p.opts.jsonOutput = p.opts.jsonOutput || o.jsonOutput
	return nil
}

func (p *program) inputCommand(input gjson.Result) error {
	name, members := input.Get("command").String(), gjson.Result{}
	if command := input.Get("command"); command.IsObject() {
		command.ForEach(func(key, value gjson.Result) bool {
			name, members = key.String(), value
			return false
		})
	}
	var known []string
	for _, c := range inputCommands() {
		known = append(known, c.name)
		if c.name != name && !slices.Contains(c.aliases, name) {
			continue
		}
		for _, m := range c.members {
			if err := m.check(name, members.Get(m.name)); err != nil {
				return err
			}
		}
		c.apply(&p.opts, func(member string) gjson.Result { return members.Get(member) })
		return nil
	}
	return usage("--json-config: there is no command %q; there are %s", name, strings.Join(known, ", "))
}

// check holds a value against what the member takes.
func (m inputMember) check(command string, value gjson.Result) error {
	if isMissing := !value.Exists() || value.Type == gjson.Null; isMissing && !m.required {
		return nil
	}
	var ok bool
	var want string
	switch m.kind {
	case "string":
		ok, want = value.Type == gjson.String, "a string"
	case "integer":
		ok, want = value.Type == gjson.Number, "an integer"
	case "strings":
		ok, want = value.IsArray(), "a list of strings"
	}
	if !ok {
		return usage("--json-config: the command %q needs %q, %s", command, m.name, want)
	}
	return nil
}

func (p *program) inputFlags(input gjson.Result) error {
	o := &p.opts
	flags := map[string]*bool{
		"verbose": &o.verbose, "no_chibi": &o.noModel, "force_chibi": &o.forceModel, "force_call_user": &o.noModel,
		"force_call_agent": &o.forceModel, "raw": &o.raw, "quiet": &o.quiet, "wait": &o.wait, "yes": &o.yes,
	}
	if asText := input.Get("flags.json_output"); asText.Type == gjson.False {
		o.jsonOutput = false
	}
	input.Get("flags").ForEach(func(key, value gjson.Result) bool {
		if into := flags[key.String()]; into != nil {
			*into = *into || value.Bool()
		} else if key.String() != "debug" && key.String() != "json_output" {
			p.screen.notef("--json-config: the flag %q is not known and ignored", key.String())
		}
		return true
	})
	debug := []gjson.Result{input.Get("flags.debug")}
	if debug[0].IsArray() {
		debug = debug[0].Array()
	}
	for _, d := range debug {
		if d.IsObject() {
			d.ForEach(func(key, value gjson.Result) bool {
				o.debug = append(o.debug, fmt.Sprintf("%s=%s", key.String(), value.Raw))
				return true
			})
		} else if d.Type == gjson.String {
			o.debug = append(o.debug, d.String())
		}
	}
	return nil
}

func (p *program) inputContext(input gjson.Result) error {
	where := input.Get("context")
	named := func(path string) []string {
		if name := where.Get(path); name.Type == gjson.String {
			return []string{name.String()}
		}
		return nil
	}
	switch {
	case !where.Exists() || where.Type == gjson.Null || where.String() == "current":
		return nil
	case where.Get("switch").IsObject():
		into := &p.opts.switchTo
		if persistent := where.Get("switch.persistent"); persistent.Exists() && !persistent.Bool() {
			into = &p.opts.transient
		}
		*into = named("switch.name")
	case where.Get("transient").IsObject():
		p.opts.transient = named("transient.name")
	case where.Get("ephemeral").IsObject():
		p.opts.transient = named("ephemeral.name")
	}
	if p.opts.switchTo == nil && p.opts.transient == nil {
		return usage(`--json-config: "context" is "current", {"switch": {"name": NAME}} or {"transient": {"name": NAME}}`)
	}
	return nil
}

func (p *program) inputUsername(input gjson.Result) error {
	return inputOverride(input, "username_override", &p.opts.username, &p.opts.transientUsername)
}

func (p *program) inputSystemPrompt(input gjson.Result) error {
	return inputOverride(input, "system_prompt_override", &p.opts.systemPrompt, &p.opts.runSystemPrompt)
}

// inputOverride reads a text that is set for good or for this run.
func inputOverride(input gjson.Result, member string, forGood, forThisRun *[]string) error {
	override := input.Get(member)
	if !override.Exists() || override.Type == gjson.Null {
		return nil
	}
	found := false
	for _, way := range []struct {
		name string
		into *[]string
	}{{"persistent", forGood}, {"transient", forThisRun}, {"ephemeral", forThisRun}} {
		if text := override.Get(way.name); text.Type == gjson.String {
			*way.into, found = []string{text.String()}, true
		}
	}
	if !found {
		return usage(`--json-config: %q is {"persistent": TEXT} or {"transient": TEXT}`, member)
	}
	return nil
}
