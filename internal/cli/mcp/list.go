package mcp

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/urfave/cli/v2"
)

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the MCP servers and their tools, as far as they are known; none is started",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(ctx context.Context, _ []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return list(env, app.MCPOf(s), asJSON) })
		},
	})
}

// list lists the servers of the configuration and of the project.
func list(env *command.Env, m mcpservers.Manual, asJSON bool) error {
	servers, problems := m.Servers()
	for _, problem := range problems {
		env.Out.Notef("%v", problem)
	}
	all := []listedServer{}
	for _, s := range servers {
		all = append(all, listedOf(m, s))
	}
	if asJSON {
		return env.Out.JSON(all)
	}
	if len(all) == 0 && len(problems) == 0 {
		env.Out.Notef("there are no MCP servers; chibi mcp add adds one")
	}
	for _, one := range all {
		one.print(writer(env.Out.Screen))
	}
	for _, about := range m.UnknownTools() {
		env.Out.Notef("%s", about)
	}
	return nil
}
