package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// listed are the entries of one home in a settings file. docs/JSON.md describes its members.
type listed struct {
	Agent      string   `json:"agent"`
	Scope      string   `json:"scope"`
	File       string   `json:"file"`
	Home       string   `json:"home"`
	OwnHome    bool     `json:"own_home"`
	Program    string   `json:"program"`
	Events     []string `json:"events"`
	FailClosed bool     `json:"fail_closed"`
	Current    bool     `json:"current"`
	Problem    string   `json:"problem,omitempty"`
	// Fired says when the agent ran the entry for an event last: of the own home.
	Fired map[string]time.Time `json:"fired,omitempty"`
	// Unasked are sessions of the agent since the entries were added in which none of them fired.
	Unasked []bridge.Session `json:"sessions_without,omitempty"`
	// Losses are the plugins of the own home of which something has no effect there.
	Losses []bridge.Loss `json:"losses,omitempty"`
}

// errDead is the error of a list with entries that do nothing.
var errDead = errors.New("there are entries that ask no plugin, see above; chibi bridge add AGENT writes them again, " +
	"chibi bridge remove AGENT takes them out")

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the agents that have chibi's plugins, in your settings and in the settings of the project",
		More: "For each entry of this home chibi shows when it fired last. It also lists the sessions in which none has " +
			"fired since you added them, by the names and times of the agent's own files. The exit status is 1 if there " +
			"are entries that ask no plugin because their program or their home is gone.",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run:   func(ctx context.Context, _ []string) error { return list(ctx, env, asJSON) },
	})
}

// list lists the entries of all homes in the settings of all agents.
func list(ctx context.Context, env *command.Env, asJSON bool) error {
	i, err := anywhere(env)
	if err != nil {
		return err
	}
	all, lossesIn := []listed{}, losses(ctx, env)
	found, unread := i.FindAll()
	for _, err := range unread {
		env.Out.Notef("%v", err)
	}
	for _, f := range found {
		one := listed{Agent: f.Agent.Name, Scope: f.Scope, File: f.File, Home: f.Home, OwnHome: f.Own,
			Program: f.Chibi, Events: f.Events, FailClosed: f.FailClosed, Current: f.Problem == "", Problem: f.Problem}
		if f.Own {
			one.Losses, one.Fired, one.Unasked = lossesIn(f.Agent), f.FiredLast(), i.Unasked(f)
		}
		all = append(all, one)
	}
	if err := sayListed(env.Out, all, asJSON); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f bridge.Found) bool { return f.IsDead }) {
		return errDead
	}
	return nil
}

// sayListed prints what was found.
func sayListed(out *output.Printer, all []listed, asJSON bool) error {
	if asJSON {
		return out.JSON(all)
	}
	if len(all) == 0 {
		out.Notef("no agent has chibi's plugins; chibi bridge add AGENT adds them")
	}
	for _, one := range all {
		if err := out.Say("%s", one); err != nil {
			return err
		}
		for _, text := range one.history() {
			if err := out.Say("  %s", text); err != nil {
				return err
			}
		}
		for _, loss := range one.Losses {
			if err := out.Say("  plugin %q: %s", loss.Plugin, loss.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxUnasked bounds how many sessions are named.
const maxUnasked = 3

// history says for people when the entries fired last, and in which sessions none did.
func (l listed) history() (lines []string) {
	if !l.OwnHome {
		return nil
	}
	var times, never []string
	events := map[string][]string{}
	for _, event := range l.Events {
		at, fired := l.Fired[event]
		if !fired {
			never = append(never, event)
			continue
		}
		text := humanize.Time(at)
		if !slices.Contains(times, text) {
			times = append(times, text)
		}
		events[text] = append(events[text], event)
	}
	for _, text := range times {
		lines = append(lines, fmt.Sprintf("fired %s: %s", text, strings.Join(events[text], ", ")))
	}
	if len(never) > 0 {
		lines = append(lines, "not fired yet: "+strings.Join(never, ", "))
	}
	if len(l.Unasked) > 0 {
		text := fmt.Sprintf("%s without chibi since the entries were added; chibi bridge verify %s says whether they fire:",
			english.Plural(len(l.Unasked), "session", ""), l.Agent)
		for _, s := range l.Unasked[:min(len(l.Unasked), maxUnasked)] {
			text += fmt.Sprintf(" %s (%s)", s.File, s.Last.Format("2006-01-02 15:04"))
		}
		lines = append(lines, text)
	}
	return lines
}

// String is a line for people.
func (l listed) String() string {
	text := fmt.Sprintf("%s: %s (%s)", l.Agent, l.File, english.Plural(len(l.Events), "event", ""))
	if !l.OwnHome {
		text += ", of the home " + l.Home
	}
	if l.FailClosed {
		text += ", denies without chibi"
	}
	if l.Problem != "" {
		text += "; " + l.Problem
	}
	return text
}
