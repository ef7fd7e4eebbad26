package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

// runFlags are the flags of hook run.
type runFlags struct {
	dialect, event, data []string
	json                 bool
	command              []string
}

func runCommand(env *command.Env) *cli.Command {
	var f runFlags
	return env.Command(command.Spec{
		Name: "run", Args: "COMMAND [ARG]...",
		About: "run one hook of a coding agent and show what it decides, here and in the other agents",
		More: "One word is a command line for the agent's shell; several are a program and its arguments. Write -- " +
			"before a command that has flags of its own. It runs whatever chibi trust says; chibi itself changes nothing.",
		Flags: []cli.Flag{
			&cmdline.Flag{Name: "dialect", Takes: cmdline.Word("AGENT", cmdline.Argument), Into: cmdline.List(&f.dialect),
				About: "whose hook it is: " + strings.Join(agents.Names(), ", ")},
			&cmdline.Flag{Name: "event", Takes: cmdline.Word("EVENT", cmdline.Argument), Into: cmdline.List(&f.event),
				About: "the event, as the agent calls it"},
			&cmdline.Flag{Name: "data", Takes: cmdline.Word("PAYLOAD", cmdline.Payload), Into: cmdline.List(&f.data),
				About: "the agent's payload: JSON, @FILE, or - for standard input; without --data, an example"},
			command.JSONFlag(&f.json),
		},
		Examples: []string{"chibi hook run --dialect claude --event PreToolUse -- python3 .claude/hooks/guard.py",
			"chibi hook run --dialect gemini --event BeforeTool --data @payload.json './guard.sh'"},
		Run: func(ctx context.Context, args []string) error {
			f.command = args
			return env.With(ctx, app.ToRead, func(s *app.Session) error { return run(ctx, env, s, f) })
		},
	})
}

// run runs a hook once.
func run(ctx context.Context, env *command.Env, s *app.Session, f runFlags) error {
	d, e, err := f.find()
	if err != nil {
		return err
	}
	var payload []byte
	if f.data != nil {
		if payload, err = dataText(ctx, env, f.data[0]); err != nil {
			return err
		}
		if payload, err = oneLine(payload); err != nil {
			return command.Usage("--data: %v", err)
		}
	}
	if err := app.MayRun(s, f.command); err != nil {
		return err
	}
	h := settings.Handler{Event: e.Name, Line: 1, Kind: engine.CommandHandler, Command: f.command[0],
		Args: f.command[1:], Exec: len(f.command) > 1}
	runner := s.Loader().Runner()
	runner.Stderr = nil // it is shown with the rest
	opts := hooks.Options{Name: d.Name + ":" + e.Name, Path: "the command line", Dir: s.Project.Dir, Runner: runner,
		Agents: agents.All}
	about := engine.Run{Session: "00000000-0000-4000-8000-000000000000", Cwd: s.Project.Dir, Project: s.Project.Root,
		Home: project.UserHome(), Source: "startup", Model: s.Config.Model}
	trial, err := hooks.Try(ctx, d, hooks.Tried{Handler: h, Options: opts, Payload: payload,
		Moment: example(e.Kind, about)})
	if err != nil {
		return err
	}
	if f.json {
		return env.Out.JSON(trialJSON(d, e, trial))
	}
	return env.Out.Say("%s", trialText(d, e, trial))
}

// find returns the agent and the event.
func (f runFlags) find() (d engine.Dialect, e engine.Event, err error) {
	if len(f.dialect) != 1 || len(f.event) != 1 {
		return d, e, command.Usage("say whose hook it is and at which event: --dialect claude --event PreToolUse")
	}
	d, _ = agents.ByName(f.dialect[0])
	_, known := agents.NameOf(d.Name)
	if !known {
		return d, e, command.Usage("there is no agent %q; chibi knows %s", f.dialect[0], strings.Join(agents.Names(), ", "))
	}
	if e, known = d.Event(f.event[0]); !known {
		var names []string
		for _, e := range d.Events {
			names = append(names, e.Name)
		}
		return d, e, command.Usage("%s has no event %q; it has %s", d.Title, f.event[0], strings.Join(names, ", "))
	}
	return d, e, nil
}

// example returns a moment of a kind, by the example of the point at which it happens.
func example(kind engine.Kind, about engine.Run) engine.Moment {
	points := engine.PointsOf(kind)
	if points == nil {
		m, _ := engine.MomentAt("", kind, nil, about)
		return m
	}
	info, _ := hookpoints.Find(points[0])
	m, _ := engine.MomentAt(points[0], kind, hookdoc.Example(info), about)
	if m.Has(engine.ToolName) { // agents have names for tools of a category only
		m.Values[engine.ToolCategory] = json.RawMessage(`"shell"`)
		m.Values[engine.ToolSubject] = json.RawMessage(`"command"`)
	}
	return m
}

// trialText describes a trial for people.
func trialText(d engine.Dialect, e engine.Event, t hooks.Trial) string {
	var text strings.Builder
	say := func(what, format string, args ...any) {
		fmt.Fprintf(&text, "%-14s %s\n", what, term.Name(fmt.Sprintf(format, args...)))
	}
	say("payload", "%s", strings.TrimSpace(string(t.Payload)))
	say("ended", "%s", endOf(t.Outcome))
	if out := strings.TrimSpace(string(t.Outcome.Stdout)); out != "" {
		say("stdout", "%s", out)
	}
	if errors := strings.TrimSpace(t.Outcome.Stderr); errors != "" {
		say("stderr", "%s", errors)
	}
	say(d.Name, "%s", t.Effect)
	for _, note := range t.Effect.Notes {
		say("", "%s", note)
	}
	for _, here := range t.Here {
		say("chibi", "%s: %s", here.Point, cmp.Or(string(here.Body), "no opinion"))
		for _, note := range here.Notes {
			say("", "%s", note)
		}
	}
	if t.Here == nil {
		say("chibi", "never fires %s", e.Name)
	}
	for _, other := range t.Others {
		say(other.Agent, "%s: %s", other.Event, other.Effect)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// endOf says how a process ended.
func endOf(out engine.Outcome) string {
	switch {
	case out.TimedOut:
		return "it took too long"
	case out.Signal != "":
		return "by " + out.Signal
	}
	return fmt.Sprintf("exit status %d", out.Exit)
}

// trialJSON describes a trial as JSON.
func trialJSON(d engine.Dialect, e engine.Event, t hooks.Trial) output.Fields {
	here, others := []output.Fields{}, []output.Fields{}
	for _, h := range t.Here {
		here = append(here, output.Fields{"point": h.Point, "answer": string(h.Body),
			"notes": append([]string{}, h.Notes...)})
	}
	for _, o := range t.Others {
		others = append(others, output.Fields{"agent": o.Agent, "event": o.Event, "verdict": o.Effect.String()})
	}
	return output.Fields{"agent": d.Name, "event": e.Name, "payload": string(t.Payload), "ended": endOf(t.Outcome),
		"stdout": string(t.Outcome.Stdout), "stderr": t.Outcome.Stderr, "verdict": t.Effect.String(),
		"notes": append([]string{}, t.Effect.Notes...), "here": here, "elsewhere": others}
}
