package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
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
	// Losses are the plugins of the own home of which something has no effect there.
	Losses []bridge.Loss `json:"losses,omitempty"`
}

// errDead is the error of a list with entries that do nothing.
var errDead = errors.New("there are entries that ask no plugin, see above; chibi bridge add AGENT writes them anew, " +
	"chibi bridge remove AGENT takes them out")

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list which agents have chibi's plugins, in your settings and those of the current project",
		More:  "If there are entries that ask no plugin, as their program or their home is gone, it exits with status 1.",
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
			one.Losses = lossesIn(f.Agent)
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
		for _, loss := range one.Losses {
			if err := out.Say("  plugin %q: %s", loss.Plugin, loss.Text); err != nil {
				return err
			}
		}
	}
	return nil
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
