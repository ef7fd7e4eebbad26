package bridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/cli/command"
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
	return env.Command(command.Spec{
		Name: "show", Args: "AGENT", About: "show which hook points fire at an agent's events, and what is lost there",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)}, Examples: []string{"chibi bridge show claude"},
		Run: func(_ context.Context, args []string) error {
			d, err := agentNamed(args[0])
			if err != nil {
				return err
			}
			one := shownOf(d)
			if asJSON {
				return env.Out.JSON(one)
			}
			_, err = fmt.Fprint(command.HelpWriter(env.Out.Screen), one)
			return err
		},
	})
}

// shownOf describes an agent.
func shownOf(d engine.Dialect) shown {
	one := shown{Agent: d.Name, Title: d.Title, Driven: d.Facts.Driven, Read: d.Facts.Read, Date: d.Facts.Date,
		HasAsk: d.HasAsk, After: d.AfterAdd, Events: []shownEvent{}, Never: engine.Bridged{Dialect: d}.NeverFired(),
		Gone: append([]string{}, engine.ToldWhenGone(d)...)}
	for _, e := range d.Events {
		event := shownEvent{Event: e.Name, Bridged: e.Bridged, Points: []hookpoints.Name{}, Lost: []string{}}
		if e.Bridged {
			event.Points = engine.Bridged{Dialect: d}.PointsAt(e)
		}
		event.Lost = append(event.Lost, e.Lost...)
		one.Events = append(one.Events, event)
	}
	return one
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
		fmt.Fprintf(&b, "What a plugin or a rule wants to be asked is denied: %s has no question of its own.\n", s.Title)
	}
	fmt.Fprintf(&b, "Events at which nothing is asked: %s.\n", strings.Join(unused, ", "))
	fmt.Fprintf(&b, "Hook points that do not fire: %s.\n", join(s.Never))
	if gone := strings.Join(s.Gone, ", "); gone != "" {
		fmt.Fprintf(&b, "If chibi is gone, you are told at: %s.\n", gone)
	} else {
		fmt.Fprintf(&b, "If chibi is gone, you are not told.\n")
	}
	if s.After != "" {
		fmt.Fprintf(&b, "%s.\n", s.After)
	}
	return b.String()
}

// join lists hook points.
func join(points []hookpoints.Name) string {
	var names []string
	for _, point := range points {
		names = append(names, string(point))
	}
	return strings.Join(names, ", ")
}
