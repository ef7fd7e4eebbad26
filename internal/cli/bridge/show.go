package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/urfave/cli/v2"
)

// shown is what an agent does with chibi's plugins. docs/JSON.md describes its members.
type shown struct {
	Agent  string            `json:"agent"`
	Title  string            `json:"title"`
	Driven string            `json:"driven"`
	Read   string            `json:"read"`
	Date   string            `json:"date"`
	HasAsk bool              `json:"has_ask"`
	After  string            `json:"after_add,omitempty"`
	Gone   []string          `json:"told_when_gone"`
	Events []shownEvent      `json:"events"`
	Never  []hookpoints.Name `json:"never_fired"`
	// Reads are the settings files of other agents whose hooks it runs by itself, Asked the other agents
	// whose hooks chibi asks there, and Allows says that what these approve counts.
	Reads  []shownReading `json:"runs_by_itself"`
	Asked  []string       `json:"hooks_of"`
	Allows bool           `json:"allow"`
	// Own are files and directories of its own hooks that only chibi's configuration names: nobody asks these.
	Own []string `json:"not_asked"`
}

// shownReading are settings files of another agent.
type shownReading struct {
	Agent string   `json:"agent"`
	Files []string `json:"files"`
	Names string   `json:"tool_names"`
	// Where is where it reads them, If what chibi cannot see.
	Where string `json:"where,omitempty"`
	If    string `json:"if,omitempty"`
	title string // the other agent's
}

// shownEvent is an event of the agent.
type shownEvent struct {
	Event   string            `json:"event"`
	Points  []hookpoints.Name `json:"points"`
	Bridged bool              `json:"bridged"`
	Lost    []string          `json:"lost"`
}

func showCommand(env *command.Env) *cli.Command {
	var asJSON bool
	var hooksOf string
	return env.Command(command.Spec{
		Name: "show", Args: "AGENT",
		About: "show the hook points that fire at an agent's events, what the agent ignores, and whose hooks run",
		More: "It also lists the hooks that the agent runs by itself, so that chibi does not ask them there: its own, and " +
			"the hooks of other agents whose settings files it reads. [bridge] foreign in the configuration names the " +
			"agents whose hooks chibi asks there.\n\nWith --for it lists the hooks that you have for another agent: the " +
			"events of AGENT at which chibi asks each of them, and the parts of its answers that AGENT ignores.",
		Flags: []cli.Flag{command.JSONFlag(&asJSON), &cli.StringFlag{Name: "for", Destination: &hooksOf,
			Usage: "list the hooks of `OTHER`, and what they do in AGENT"}},
		Examples: []string{"chibi bridge show claude", "chibi bridge show codex --for claude"},
		Run: func(ctx context.Context, args []string) error {
			d, err := agentNamed(args[0])
			if err != nil {
				return err
			}
			if hooksOf != "" {
				one, err := showFor(ctx, env, d, hooksOf)
				if err != nil {
					return err
				}
				return printed(one, env, asJSON)
			}
			one := shownOf(d)
			if err := env.With(ctx, app.ToRead, func(s *app.Session) error {
				one.Asked = append(one.Asked, s.Loader().HooksIn(d.Name).Asked()...)
				one.Allows, one.Own = s.Config.Bridge.Allow, append(one.Own, ownOnly(s.Config.Foreign.ByName[d.Name])...)
				return nil
			}); err != nil {
				env.Out.Notef("chibi cannot find out whose hooks answer in %s: %v", d.Title, err)
			}
			return printed(one, env, asJSON)
		},
	})
}

// printed prints a description.
func printed(what fmt.Stringer, env *command.Env, asJSON bool) error {
	if asJSON {
		return env.Out.JSON(what)
	}
	_, err := fmt.Fprint(output.HelpWriter(env.Out.Screen), what)
	return err
}

// shownOf describes an agent.
func shownOf(d engine.Dialect) shown {
	one := shown{Agent: d.Name, Title: d.Title, Driven: d.Facts.Driven, Read: d.Facts.Read, Date: d.Facts.Date,
		HasAsk: d.HasAsk, After: d.AfterAdd, Events: []shownEvent{}, Never: agents.Bridged{Dialect: d}.NeverFired(),
		Gone: append([]string{}, bridge.ToldWhenGone(d)...), Asked: []string{}, Reads: []shownReading{}, Own: []string{}}
	for _, r := range d.Reads {
		one.Reads = append(one.Reads, readingOf(r))
	}
	for _, e := range d.Events {
		event := shownEvent{Event: e.Name, Bridged: e.Bridged, Points: []hookpoints.Name{}, Lost: []string{}}
		if e.Bridged {
			event.Points = agents.Bridged{Dialect: d}.PointsAt(e)
		}
		event.Lost = append(event.Lost, e.Lost...)
		one.Events = append(one.Events, event)
	}
	return one
}

// readingOf describes how an agent reads files of another one.
func readingOf(r engine.Reading) shownReading {
	other, _ := agents.ByName(r.Agent)
	shown := shownReading{Agent: r.Agent, title: other.Title, Names: r.Names, If: r.If}
	for _, place := range other.Places {
		switch {
		case !slices.Contains(r.Scopes, place.Scope):
		case place.Scope == engine.ScopeUser:
			shown.Files = append(shown.Files, "~/"+place.Path)
		default:
			shown.Files = append(shown.Files, place.Path)
		}
	}
	if r.Folders != "" {
		shown.Where = fmt.Sprintf("of the repository, where ~/%s (%s) has the directory", r.Trusted.Path, r.Folders)
	}
	return shown
}

// String says what is read, and whether chibi asks there.
func (r shownReading) String() string {
	text := fmt.Sprintf("runs by itself hooks of %s in %s", r.title, strings.Join(r.Files, ", "))
	if r.Where != "" {
		text += " " + r.Where
	}
	asked := "; chibi does not ask them there"
	if r.If != "" {
		asked = ", if " + r.If + "; chibi cannot see that, and asks them too"
	}
	return text + asked + ". They get " + r.Names + "."
}

// String is the description for people.
func (s shown) String() string {
	var b strings.Builder
	how := "read about in " + s.Read
	if s.Driven != "" {
		how = "driven as version " + s.Driven
	}
	fmt.Fprintf(&b, "%s (%s, %s)\n", s.Title, how, s.Date)
	var unused []string
	for _, e := range s.Events {
		if !e.Bridged {
			unused = append(unused, e.Event)
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", e.Event, join(e.Points))
		for _, lost := range e.Lost {
			fmt.Fprintf(&b, "    lost: %s\n", strings.TrimSuffix(lost, "."))
		}
	}
	if !s.HasAsk {
		fmt.Fprintf(&b, "Where a plugin or a rule wants to ask you, chibi denies: hooks of %s cannot ask.\n", s.Title)
	}
	if len(unused) > 0 {
		fmt.Fprintf(&b, "Events at which chibi asks no plugin: %s.\n", strings.Join(unused, ", "))
	}
	fmt.Fprintf(&b, "Hook points that do not fire: %s.\n", join(s.Never))
	if gone := strings.Join(s.Gone, ", "); gone != "" {
		fmt.Fprintf(&b, "If chibi is gone, %s tells you at: %s.\n", s.Title, gone)
	} else {
		fmt.Fprintf(&b, "If chibi is gone, %s does not tell you.\n", s.Title)
	}
	s.sayHooks(&b)
	if s.After != "" {
		fmt.Fprintf(&b, "%s.\n", s.After)
	}
	return b.String()
}

// ownOnly lists what of an agent's hooks the configuration names besides the agent's own files.
func ownOnly(set config.ForeignAgent) []string { return slices.Concat(set.Files, set.Plugins) }

// sayHooks says whose hooks the agent runs by itself, and whose chibi asks there.
func (s shown) sayHooks(b *strings.Builder) {
	fmt.Fprintf(b, "%s runs the hooks of its own settings files by itself; chibi does not ask them there.\n", s.Title)
	for _, r := range s.Reads {
		fmt.Fprintf(b, "%s %s\n", s.Title, r)
	}
	if len(s.Own) > 0 {
		fmt.Fprintf(b, "In %s chibi asks no hooks that only [foreign.%s] names: put them into its own settings (%s).\n",
			s.Title, s.Agent, strings.Join(s.Own, ", "))
	}
	allow := "chibi ignores their approvals, as [bridge] allow is false"
	if s.Allows {
		allow = "Their approvals count, as [bridge] allow is true"
	}
	if len(s.Asked) == 0 {
		fmt.Fprintf(b, "No hooks of other agents answer in %s: [bridge] foreign turns them on.\n", s.Title)
		return
	}
	fmt.Fprintf(b, "Hooks of other agents that answer in %s: %s. %s.\n", s.Title, strings.Join(s.Asked, ", "), allow)
}

// join lists hook points.
func join(points []hookpoints.Name) string {
	var names []string
	for _, point := range points {
		names = append(names, string(point))
	}
	return strings.Join(names, ", ")
}
