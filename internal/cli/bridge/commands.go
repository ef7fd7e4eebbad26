// Package bridge has the commands that let chibi's plugins work inside other agents. Each
// command is a file of its own.
package bridge

import (
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about the bridge.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("bridge", "chibi's plugins inside other coding agents", commands(env))}
}

// commands are the family's commands, in the order of its help.
func commands(env *command.Env) []*cli.Command {
	return []*cli.Command{addCommand(env), removeCommand(env), listCommand(env), showCommand(env), verifyCommand(env),
		runCommand(env), serveCommand(env)}
}

// agentNamed returns the dialect of the agent that a word names.
func agentNamed(word string) (engine.Dialect, error) {
	d, known := agents.ByName(word)
	if !known {
		return d, command.Usage("there is no agent %q; there are: %s", word, strings.Join(agents.BridgeNames(), ", "))
	}
	return d, nil
}
