package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/bridge"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/plugin/dialect"
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
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list which agents have chibi's plugins, in your settings and those of the current project",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run:   func(ctx context.Context, _ []string) error { return list(ctx, env, asJSON) },
	})
}

// list lists the entries of all homes in the settings of all agents.
func list(ctx context.Context, env *command.Env, asJSON bool) error {
	all := []listed{}
	for _, d := range dialect.All() {
		for _, project := range []bool{false, true} {
			i, err := installer(ctx, env, d.Name, written{project: project})
			if err != nil {
				return err
			}
			found, err := i.Find()
			var none *bridge.NoPlaceError
			if err != nil && !errors.As(err, &none) {
				env.Out.Notef("%v", err)
			}
			for _, f := range found {
				all = append(all, listed{Agent: d.Name, Scope: i.Scope, File: f.File, Home: f.Home, OwnHome: f.Own,
					Program: f.Chibi, Events: f.Events, FailClosed: f.FailClosed, Current: f.Problem == "", Problem: f.Problem})
			}
		}
	}
	if asJSON {
		return env.Out.JSON(all)
	}
	if len(all) == 0 {
		env.Out.Notef("no agent has chibi's plugins; chibi bridge add AGENT adds them")
	}
	for _, one := range all {
		if err := env.Out.Say("%s", one); err != nil {
			return err
		}
	}
	return nil
}

// String is a line for people.
func (l listed) String() string {
	text := fmt.Sprintf("%s: %s (%s)", l.Agent, app.Place(l.File), english.Plural(len(l.Events), "event", ""))
	if !l.OwnHome {
		text += ", of the home " + app.Place(l.Home)
	}
	if l.FailClosed {
		text += ", denies without chibi"
	}
	if l.Problem != "" {
		text += "; " + l.Problem
	}
	return text
}
