// Package mcp has the commands about MCP servers: those whose tools chibi's model can
// call, and the one that chibi is itself. Each command is a file of its own.
package mcp

import (
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about MCP servers.
func Commands(env *command.Env) []*cli.Command {
	list := commands(env)
	if len(list) == 0 {
		return nil
	}
	return []*cli.Command{env.Group("mcp", "tools of MCP servers, and chibi as a server of tools", list)}
}

func commands(env *command.Env) []*cli.Command {
	return []*cli.Command{
		addCommand(env), listCommand(env), checkCommand(env), refreshCommand(env), callCommand(env), approveCommand(env),
		loginCommand(env), logoutCommand(env), serveCommand(env),
	}
}
