package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/drive"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

const verifyHelp = "It starts the installed agent without a person, in a directory of its own, with a model on this " +
	"machine whose answers are fixed: two calls of the shell. chibi denies the second one. The agent gets only the " +
	"hooks of its settings. chibi's entries run with a home of their own, so they do not ask your plugins; other hooks " +
	"only note that they fire. chibi copies no key and no login. The agent has no network if the system can keep a " +
	"program from it; the output says so.\n\n" +
	"The exit status is 0 if all entries fired that fire in every session and the denial held; 1 if not, or if the " +
	"agent could not be run; 2 for an agent that chibi cannot run without a person, and other mistakes in the command."

// verifyLimit is how long an agent may take.
const verifyLimit = 3 * time.Minute

// verification is what the words and flags of verify say.
type verification struct {
	env           *command.Env
	asJSON, alone bool
	limit         time.Duration
}

func verifyCommand(env *command.Env) *cli.Command {
	v := verification{env: env}
	return env.Command(command.Spec{
		Name: "verify", Args: "AGENT", About: "run an agent and see which entries fire there, and whether a denial holds",
		More: verifyHelp,
		Flags: []cli.Flag{command.JSONFlag(&v.asJSON),
			&cli.DurationFlag{Name: "timeout", Usage: "end the agent after `TIME`", Value: verifyLimit,
				DefaultText: verifyLimit.String(), Destination: &v.limit},
			&cli.BoolFlag{Name: "alone", Usage: "do the run that standard input describes", Hidden: true,
				Destination: &v.alone}},
		Examples: []string{"chibi bridge verify claude"},
		Run: func(ctx context.Context, args []string) error {
			if v.alone {
				return drive.Serving(ctx, env.Stdin, env.Out.Screen.Stdout())
			}
			seen, err := v.verify(ctx, args[0])
			if err != nil {
				return err
			}
			return v.say(seen)
		},
	})
}

// verify verifies an agent.
func (v verification) verify(ctx context.Context, agent string) (seen bridge.Verified, err error) {
	d, err := agentNamed(agent)
	switch {
	case err != nil:
		return seen, err
	case v.limit <= 0:
		return seen, command.Usage("--timeout %v is not a time in which an agent can end", v.limit)
	case runtime.GOOS == "windows":
		return seen, command.Usage("chibi cannot verify agents on Windows: the script that notes that a hook fires needs sh")
	}
	i, err := anywhere(v.env)
	if err != nil {
		return seen, err
	}
	chibi, err := os.Executable()
	if err != nil {
		return seen, err
	}
	i.Agent = d
	alone := []string{chibi, "bridge", "verify", "--alone", d.Name}
	seen, err = i.Verify(ctx, bridge.Verifying{Limit: v.limit, Alone: alone})
	if undriven := (*bridge.UndrivenError)(nil); errors.As(err, &undriven) {
		return seen, app.UsageError{Err: err}
	}
	return seen, err
}

// say prints what was seen. The error is what is not as it should be.
func (v verification) say(seen bridge.Verified) error {
	if v.asJSON {
		if err := v.env.Out.JSON(seen); err != nil {
			return err
		}
	} else if err := v.env.Out.Say("%s", verifiedText(seen)); err != nil {
		return err
	}
	for _, note := range seen.Notes[:min(len(seen.Notes), maxNotes)] {
		v.env.Out.Notef("%s", term.Line(note))
	}
	if more := len(seen.Notes) - maxNotes; more > 0 {
		v.env.Out.Notef("and %d more notes; --json has all", more)
	}
	if len(seen.Problems) > 0 {
		return fmt.Errorf("not all is as it should be in %s: %s", seen.Title, term.Line(strings.Join(seen.Problems, "; ")))
	}
	return nil
}

// maxNotes bounds how many notes are printed.
const maxNotes = 20

// maxSaidHooks bounds how many hooks that fired are printed.
const maxSaidHooks = 100

// verifiedText says for people what was seen.
func verifiedText(seen bridge.Verified) string {
	network := "without a network"
	if !seen.Closed {
		network = "with a network, as this system cannot keep a program from it (its proxies were a closed port)"
	}
	lines := []string{fmt.Sprintf("%s (%s) ran for %.1f s, %s.", seen.Title, seen.Program,
		float64(seen.Run.TookMS)/1000, network)}
	lines = append(lines, "Fired, in this order:")
	for at, n := range seen.Fired[:min(len(seen.Fired), maxSaidHooks)] {
		lines = append(lines, fmt.Sprintf("  %d. %s: %s", at+1, term.Line(seen.Hooks[n].Event), hookText(seen.Hooks[n])))
	}
	if more := len(seen.Fired) - maxSaidHooks; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	if len(seen.Fired) == 0 {
		lines = append(lines, "  none")
	}
	lines = append(lines, silentText(seen.Hooks, "Did not fire, and fires in every session:", true)...)
	lines = append(lines, silentText(seen.Hooks, "Did not fire, and need not in such a session:", false)...)
	if seen.Held {
		lines = append(lines, "A denial held: the agent did not make the call and told the model why.")
	}
	return strings.Join(lines, "\n")
}

// silentText lists the hooks that did not fire, of one entry or handler the events on a line.
func silentText(hooks []bridge.Tried, title string, must bool) (lines []string) {
	var whose []string
	events := map[string][]string{}
	for _, t := range hooks {
		if t.Fired > 0 || t.Must != must {
			continue
		}
		text := hookText(t)
		if !slices.Contains(whose, text) {
			whose = append(whose, text)
		}
		events[text] = append(events[text], t.Event)
	}
	if len(whose) > 0 {
		lines = append(lines, title)
	}
	for _, text := range whose {
		lines = append(lines, fmt.Sprintf("  %s: %s", term.Line(strings.Join(events[text], ", ")), text))
	}
	return lines
}

// hookText describes a hook of the agent's settings, in which anything may be written.
func hookText(t bridge.Tried) string {
	what := "chibi"
	if !t.Own {
		what = clip.Text(term.Line(t.Command), 60) + " (not run: a recorder is in its place)"
	}
	if t.Matcher != "" {
		what = fmt.Sprintf("%q: %s", t.Matcher, what)
	}
	return term.Line(what + ", in " + t.File)
}
