package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/dustin/go-humanize/english"
)

// hooksOfAgents finds mistakes in the hooks of coding agents, and hooks that are not turned on.
func hooksOfAgents(_ context.Context, s *app.Session) (found []finding) {
	for _, f := range theirs.Check(app.HooksOf(s), s.Agent.Tools) {
		found = append(found, warning(fmt.Sprintf("hook %q: %s", f.Name, f.Text), f.Fix))
	}
	for _, u := range theirs.Unused(app.HooksOf(s)) {
		found = append(found, fine(u.String()))
	}
	return found
}

// bridgedAgents finds entries of chibi bridge in the settings of other agents that ask no plugin, or
// are not what this version writes.
func bridgedAgents(home string) (found []finding) {
	i, err := bridge.NewInstaller(home)
	if err != nil {
		return []finding{failure(err.Error(), "")}
	}
	entries, unread := i.FindAll()
	for _, err := range unread {
		found = append(found, warning(err.Error(), "correct the file; chibi bridge cannot read it"))
	}
	for _, e := range entries {
		at := fmt.Sprintf("%s in %s of %s", english.Plural(len(e.Events), "entry", "entries"), e.File, e.Agent.Title)
		text := fmt.Sprintf("%s: %s", at, e.Problem)
		switch {
		case e.IsDead:
			found = append(found, failure(text+"; chibi asks no plugin there", bridging(e, "add")+", or "+bridging(e, "remove")))
		case e.Problem != "":
			found = append(found, warning(text, bridging(e, "add")))
		case e.Own:
			found = append(found, fine(at+" ask the plugins of this home"))
		}
	}
	return found
}

func bridging(e bridge.Found, verb string) string {
	command := "chibi"
	if !e.Own {
		command += " --home " + term.ShellWord(e.Home)
	}
	command += " bridge " + verb + " " + e.Agent.Name
	if e.Scope == engine.ScopeProject {
		command += " --project"
	}
	return command
}

// lostInAgents finds plugins of which something has no effect in the agents that the home is bridged to.
func lostInAgents(_ context.Context, s *app.Session) (found []finding) {
	for _, d := range bridge.AgentsOf(s.Home) {
		for _, loss := range bridge.LossesIn(d, bridge.AskedIn(s.Loaded.Plugins, s.Loader().HooksIn(d.Name))) {
			found = append(found, warning(fmt.Sprintf("plugin %q in %s: %s", loss.Plugin, d.Title, loss.Text),
				"chibi bridge show "+d.Name))
		}
	}
	return found
}

// answersInAnotherForm finds hooks of coding agents that answered in turns as another agent's hooks
// do.
func answersInAnotherForm(turns []trace.Turn) (found []finding) {
	notes := map[string]bool{}
	for _, turn := range turns {
		for _, r := range slices.Concat(turn.Dispatches()...) {
			for _, note := range r.Notes {
				if strings.Contains(note, hooks.NoMeaning) {
					notes[fmt.Sprintf("hook %q: %s", r.Plugin, note)] = true
				}
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(notes)) {
		found = append(found, warning(text, "let it answer in the form of its agent, or move it to a file of the other one"))
	}
	return found
}
