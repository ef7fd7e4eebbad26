package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/dustin/go-humanize"
)

// ShowRows are the operations that show contexts. They fill l.
func ShowRows(l *Listing) []Row {
	return []Row{
		{&cmdline.Flag{Name: "list-current-context", Letters: "l", About: "show the current context",
			Command: &cmdline.Command{Names: []string{"list_current_context"},
				Data: "`name`, `current`, `active`, `mail`, `failed_mail`, `created_at`, `last_activity_at`, `messages`, " +
					"`summary`, `todos`, `goals`"}},
			Operation{Role: Shows, Phase: PhaseShow, Run: onCurrent(noWord(ShowContext))}},
		{&cmdline.Flag{Name: "list-contexts", Letters: "L", About: "list all contexts", Into: cmdline.Switch(&l.Asked),
			Command: &cmdline.Command{Names: []string{"list_contexts"},
				Data: "a list of `name`, `current`, `active`, `mail`, `failed_mail`, `created_at`, `last_activity_at`"}},
			Operation{Role: Shows, Phase: PhaseShow, Run: func(ctx context.Context, run Run, _ cmdline.Given) error {
				return ListContexts(ctx, run, l.Selection)
			}}},
		{Flag: l.Limited()},
		{Flag: l.Used()},
	}
}

// ContextDetails is what is known about one context, as JSON.
type ContextDetails struct {
	ContextInfo
	Messages int    `json:"messages"`
	Summary  string `json:"summary"`
	Todos    string `json:"todos"`
	Goals    string `json:"goals"`
}

// ShowContext prints what is known about a context.
func ShowContext(ctx context.Context, run Run, name string) error {
	d, err := DetailsOf(ctx, run.Session, name)
	if err != nil {
		return err
	}
	state := ""
	if d.Active {
		state = " [active]"
	}
	text := fmt.Sprintf("Context: %s%s\nMessages: %d", name, state, d.Messages)
	for _, part := range []struct{ title, text string }{{"Summary", d.Summary}, {"Todos", d.Todos}, {"Goals", d.Goals}} {
		if line, _, _ := strings.Cut(strings.TrimSpace(part.text), "\n"); line != "" {
			text += fmt.Sprintf("\n%s: %s", part.title, line)
		}
	}
	if d.Mail {
		text += "\nMail: waiting; it is delivered with the next prompt"
	}
	if d.FailedMail > 0 {
		text += fmt.Sprintf("\nNot answered: %d; chibi context failed %s shows them", d.FailedMail, name)
	}
	if d.LastActivity != nil {
		text += "\nLast used: " + humanize.Time(*d.LastActivity)
	}
	return run.Out.Answer("list_current_context", d, text)
}

// DetailsOf reads what is known about a context.
func DetailsOf(ctx context.Context, s *app.Session, name string) (d ContextDetails, err error) {
	info, err := s.Store.Info(ctx, name)
	if err != nil {
		return d, err
	}
	d.ContextInfo = describeContext(info)
	c, err := s.Store.Context(name)
	if err != nil {
		return d, err
	}
	window, err := c.Window(ctx)
	if err != nil {
		return d, err
	}
	d.Messages = len(contexts.Messages(window))
	for _, text := range []struct {
		into *string
		read func(context.Context) (string, error)
	}{{&d.Summary, c.Summary}, {&d.Todos, c.Todos}, {&d.Goals, c.Goals}} {
		if *text.into, err = text.read(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}

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

func inspect(ctx context.Context, run Run, name, thing string) error {
	if thing == "prompt" {
		thing = "system_prompt"
	}
	c, err := run.Session.Store.Context(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	data := output.Fields{"context": name, "thing": thing, "value": nil}
	if thing == "list" {
		data["value"] = Inspectable()
		return run.Out.Answer("inspect", data, "Inspectable items:\n  "+strings.Join(Inspectable(), "\n  "))
	}
	value, none, err := inspected(ctx, run, c, thing)
	if err != nil {
		return err
	}
	if value == "" {
		return run.Out.Answer("inspect", data, none)
	}
	data["value"] = value
	return run.Out.Answer("inspect", data, strings.TrimSuffix(value, "\n"))
}

func inspected(ctx context.Context, run Run, c *contexts.Context, thing string) (value, none string, err error) {
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
		return "", "", output.Usage("there is nothing called %q to inspect; chibi -n list lists the names", thing)
	}
	t, err := run.Session.For(ctx, c.Name())
	if err != nil {
		return "", "", err
	}
	defer t.Close()
	value, _ = t.Config.Value(thing)
	return value, "(not set)", nil
}
