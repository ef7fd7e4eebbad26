package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ofClaude turns on the hooks of Claude Code.
const ofClaude = "[foreign.claude]\nuser = true\n"

// rewriting answers a call with its arguments, in which rewritten stands for original.
const rewriting = `sed -n 's/.*"tool_input": *\({[^{}]*}\).*/{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
	`"permissionDecision":"allow","updatedInput":\1}}/;s/original/rewritten/gp'`

// written puts a hook into Claude Code's settings. An agent that reads them runs it by itself, without the bridge
// and with it; in another one it runs with the bridge only.
func written(event, matcher, command string) func(check, options, agent) error {
	return func(c check, o options, a agent) error {
		hook := func(h *home, a agent) error {
			return h.addHooks(".claude/settings.json", []string{event}, func(string) any {
				return object{"matcher": matcher, "hooks": []any{object{"type": "command",
					"command": "echo asked >> " + h.dir + "/asked; " + command}}}
			})
		}
		by := c.itself(o, a)
		if by.often > 0 {
			if err := c.try(o, a, all(ran(1), c.with), hook); err != nil {
				return fmt.Errorf("by itself: %w", err)
			}
		} else if err := c.try(o, a, all(ran(0), c.without), hook); err != nil {
			return before(err)
		}
		return c.try(o, a, all(ran(max(1, by.often)), c.with), func(h *home, a agent) error {
			return cmp.Or(hook(h, a), addBridge(h, a))
		})
	}
}

// ran says how often at most a hook that was written for Claude Code runs; unless that is never, it must run.
func ran(most int) func(trial) error {
	return func(t trial) error {
		text, _ := os.ReadFile(filepath.Join(t.dir, "asked"))
		switch n := strings.Count(string(text), "\n"); {
		case n > most:
			return firm{fmt.Errorf("the hook runs %d times", n)}
		case n == 0 && most > 0:
			return errors.New("the hook does not run")
		}
		return nil
	}
}

// byItself says how an agent runs a hook of Claude Code by itself, and how often it runs with the bridge; 0: it
// does not.
type byItself struct {
	how   string
	often int
}

// itself is what chibi knows of how an agent runs the hook of the check. Where it knows other names of tools,
// chibi asks it too, with Claude Code's, unless the agent's own run has ended the call.
func (c check) itself(o options, a agent) byItself {
	if !c.foreign {
		return byItself{}
	}
	said := c.shown(o, a)
	i := slices.IndexFunc(said.Itself, func(of owner) bool {
		return of.Agent == "claude" && slices.Contains(of.Files, "~/.claude/settings.json")
	})
	switch {
	case a.Name == "claude" || i >= 0 && said.Itself[i].Names == "":
		return byItself{said.Title + " runs it by itself", 1}
	case i >= 0:
		return byItself{said.Title + " runs it by itself, with its own names of tools; chibi with those of Claude Code", 2}
	}
	return byItself{}
}

// beside adds the entries of Claude Code too, which some agents start with their own.
func beside(c check, o options, a agent) error {
	if err := c.try(o, a, c.without, nil); err != nil {
		return before(err)
	}
	return c.try(o, a, c.with, func(h *home, a agent) error {
		_, err := h.chibi(a, "bridge", "add", "--no-mcp", "claude")
		if a.Name == "claude" {
			return err
		}
		return cmp.Or(err, addBridge(h, a))
	})
}
