package bridge

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/drive"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/process"
)

// Verifying says how to verify an agent.
type Verifying struct {
	// Limit is how long the agent may take.
	Limit time.Duration
	// Alone are the words that start this program so that it calls [drive.Serving].
	Alone []string
}

// Verified is what chibi has seen of an agent. docs/JSON.md describes its members.
type Verified struct {
	Agent   string `json:"agent"`
	Title   string `json:"title"`
	Program string `json:"program"`
	// Closed says that the agent had no network.
	Closed bool `json:"network_closed"`
	// Hooks are the hooks of its settings. Fired has places in Hooks, in the order in which the hooks ran.
	Hooks []Tried `json:"hooks"`
	Fired []int   `json:"fired"`
	// Held says that a denial held. Problems say what is wrong.
	Held     bool     `json:"denial_held"`
	Problems []string `json:"problems"`
	// Notes are further facts for the person.
	Notes []string    `json:"notes"`
	Run   drive.Ended `json:"run"`
}

// UndrivenError means that chibi does not know how to run an agent without a person.
type UndrivenError struct{ Title string }

// Error names the agents that it can run.
func (e *UndrivenError) Error() string {
	var names []string
	for _, a := range drive.Agents() {
		names = append(names, a.Name)
	}
	return fmt.Sprintf("chibi cannot verify %s: it does not know how to run it without a person; there are: %s",
		e.Title, strings.Join(names, ", "))
}

// modelAddress is where the model listens if the agent has no network: no other program has one then.
const modelAddress = "127.0.0.1:4711"

// Verify runs the agent with a copy of its settings and a scripted model. The model makes two calls, and chibi
// denies the second. Verify reports which hooks ran and whether the denial held.
func (i Installer) Verify(ctx context.Context, v Verifying) (seen Verified, err error) {
	how, known := drive.ByName(i.Agent.Name)
	if !known {
		return seen, &UndrivenError{i.Agent.Title}
	}
	program, found := process.Runner{}.LookPath(how.Program)
	if !found {
		return seen, fmt.Errorf("chibi cannot verify %s: there is no %s in PATH", i.Agent.Title, how.Program)
	}
	dir, remove, err := disk.MkdirTemp("chibi-verify-")
	if err != nil {
		return seen, err
	}
	defer remove()
	s := &scratch{Installer: i, program: v.Alone[0], dir: dir, files: map[string]copied{}, known: map[string]int{}}
	if err := s.copyAll(); err != nil {
		return seen, err
	}
	if !slices.ContainsFunc(s.tried, func(t Tried) bool { return t.Own }) {
		return seen, fmt.Errorf("%s has no entries of this home in its settings; chibi bridge add %s writes them",
			i.Agent.Title, i.Agent.Name)
	}
	seen = Verified{Agent: i.Agent.Name, Title: i.Agent.Title, Program: program, Fired: []int{}, Problems: []string{},
		Notes: append([]string{}, s.notes...)}
	s.alone = drive.NewAlone(ctx)
	seen.Closed = s.alone != nil
	if err := s.run(ctx, how, v, &seen); err != nil {
		return seen, err
	}
	seen.Hooks = s.tried
	s.judge(&seen, v.Limit)
	return seen, nil
}

// run runs the agent.
func (s *scratch) run(ctx context.Context, how drive.Agent, v Verifying, seen *Verified) (err error) {
	address := modelAddress
	var l net.Listener
	if !seen.Closed {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		defer l.Close()
		address = l.Addr().String()
	}
	how = how.At("http://"+address, s.project())
	if err := s.prepare(how); err != nil {
		return err
	}
	run := drive.Run{Agent: how.Name, Path: seen.Program, Args: append(how.Args, "Please do the work."),
		Env: s.env(how, seen.Closed), Dir: s.project(), Address: address, Look: deniedReason, Limit: v.Limit}
	for _, file := range []string{allowedFile, deniedFile} { // wherever the agent's shell works
		command := "echo ran > " + quoteWord(filepath.Join(s.project(), file))
		run.Steps = append(run.Steps, drive.Step{Calls: []drive.Call{how.Run(command)}})
	}
	if seen.Closed {
		seen.Run, err = run.DoAlone(ctx, s.alone, v.Alone)
	} else {
		seen.Run, err = run.Do(ctx, l)
	}
	return err
}

// judge reports what a run with a limit showed.
func (s *scratch) judge(seen *Verified, limit time.Duration) {
	ran, _ := disk.ReadFile(disk.OS{}, s.fired(), maxSettings) // without it nothing has run
	for line := range bytes.Lines(ran) {
		n, err := strconv.Atoi(string(bytes.TrimSpace(line)))
		if err != nil || n < 0 || n >= len(seen.Hooks) {
			continue // written by something else
		}
		seen.Fired = append(seen.Fired, n)
		seen.Hooks[n].Fired++
	}
	problem := func(format string, args ...any) { seen.Problems = append(seen.Problems, fmt.Sprintf(format, args...)) }
	if seen.Run.Late {
		problem("%s had not ended after %v, so chibi ended it", seen.Title, limit)
	}
	byFile(seen.Hooks, func(t Tried) bool { return t.Must && t.Fired == 0 }, func(file, events string) {
		problem("chibi's entries in %s did not fire for %s", file, events)
	})
	byFile(seen.Hooks, func(t Tried) bool { return t.Own && !t.Runs }, func(file, events string) {
		problem("chibi's entries in %s are not as chibi writes them for %s, and did not run; chibi bridge add writes "+
			"them again", file, events)
	})
	for _, dead := range s.dead() {
		problem("%s: %s", dead.File, dead.Problem)
	}
	why := s.passed(seen.Run)
	if seen.Held = why == ""; !seen.Held {
		problem("%s", why)
	}
	if seen.Run.Status != 0 && !seen.Run.Late {
		seen.Notes = append(seen.Notes, fmt.Sprintf("%s ended with status %d: %s", seen.Title, seen.Run.Status,
			clip.Text(strings.Join(strings.Fields(seen.Run.Said), " "), 300)))
	}
	if s.Agent.AfterAdd != "" {
		seen.Notes = append(seen.Notes, s.Agent.AfterAdd+"; chibi did that here")
	}
}

// dead lists entries that ask no plugin in the real settings, whatever the copy of them does.
func (s *scratch) dead() (list []Found) {
	for _, scope := range []string{engine.ScopeUser, engine.ScopeProject} {
		i := s.Installer
		i.Scope = scope
		found, _ := i.Find() // the copy does not have files that chibi cannot read
		for _, f := range found {
			if f.Own && f.IsDead {
				list = append(list, f)
			}
		}
	}
	return list
}

// byFile calls say for each file that has hooks of a kind, with their events.
func byFile(hooks []Tried, is func(Tried) bool, say func(file, events string)) {
	var files []string
	events := map[string][]string{}
	for _, t := range hooks {
		if !is(t) {
			continue
		}
		if events[t.File] == nil {
			files = append(files, t.File)
		}
		events[t.File] = append(events[t.File], t.Event)
	}
	for _, file := range files {
		say(file, strings.Join(events[file], ", "))
	}
}

// passed says why a denial did not hold, "": it did.
func (s *scratch) passed(run drive.Ended) string {
	wrote := func(name string) bool { return disk.Exists(disk.OS{}, filepath.Join(s.project(), name)) }
	switch {
	case wrote(deniedFile):
		return "a denial did not hold: the agent made the call that chibi denies"
	case !wrote(allowedFile):
		return fmt.Sprintf("chibi does not know whether a denial holds: after %d requests to the model the agent had "+
			"not even made the call that nobody denies", run.Asked)
	case !run.Told:
		return "chibi does not know whether a denial holds: the agent did not make the call, but did not tell the model why"
	}
	return ""
}
