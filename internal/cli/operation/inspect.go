package operation

import (
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
)

// InspectRows are the operations that show texts and configuration values.
func InspectRows() []Row {
	thing := cmdline.Value{Word: "THING", Kind: cmdline.Thing, Member: "thing", Known: Inspectable}
	inspectCommand := &cmdline.Command{Names: []string{"inspect"},
		Data: "`context`, `thing`, `value`: a string, `null` for none, of `list` a list of strings"}
	return []Row{
		{&cmdline.Flag{Name: "inspect-current", Letters: "n", Takes: []cmdline.Value{thing}, Command: inspectCommand,
			About: `show a text or a configuration value; "list" lists their names`},
			Operation{Role: Shows, Phase: PhaseShow, Run: onCurrent(inspect)}},
		{&cmdline.Flag{Name: "inspect", Letters: "N", Command: inspectCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}, thing}},
			Operation{Role: Shows, Phase: PhaseShow, Run: onNamed(inspect)}},
	}
}

// Inspectable lists what -n and -N show: texts, then configuration keys.
func Inspectable() []string {
	return append([]string{"system_prompt", "reflection", "todos", "goals", "home", "list"}, config.Keys()...)
}

// inspect prints one thing about a context: a text, or the value of a configuration
// key.
func inspect(ctx context.Context, run Run, name, thing string) error {
	if thing == "prompt" {
		thing = "system_prompt"
	}
	c, err := run.Session.Store.Context(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	data := command.Fields{"context": name, "thing": thing, "value": nil}
	if thing == "list" {
		data["value"] = Inspectable()
		return run.Env.Out.Answer("inspect", data, "Inspectable items:\n  "+strings.Join(Inspectable(), "\n  "))
	}
	value, none, err := inspected(ctx, run, c, thing)
	if err != nil {
		return err
	}
	if value == "" {
		return run.Env.Out.Answer("inspect", data, none)
	}
	data["value"] = value
	return run.Env.Out.Answer("inspect", data, strings.TrimSuffix(value, "\n"))
}

// inspected returns a text of a context or a value of its configuration, and what to
// print if it is empty.
func inspected(ctx context.Context, run Run, c contexts.Context, thing string) (value, none string, err error) {
	switch thing {
	case "system_prompt":
		value, err = c.SystemPrompt(ctx)
		return value, "(no system prompt set)", err
	case "reflection":
		value, err = c.Reflection(ctx)
		return value, "(no reflection set)", err
	case "todos":
		value, err = c.Todos(ctx)
		return value, "(no todos)", err
	case "goals":
		value, err = c.Goals(ctx)
		return value, "(no goals)", err
	case "home":
		return run.Session.Home, "", nil
	}
	if !slices.Contains(config.Keys(), thing) {
		return "", "", command.Usage("there is nothing called %q to inspect; chibi -n list lists the names", thing)
	}
	t, err := run.Session.For(ctx, c.Name())
	if err != nil {
		return "", "", err
	}
	defer t.Close()
	value, _ = t.Config.Value(thing)
	return value, "(not set)", nil
}
