package mcp

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/tools"
	"github.com/urfave/cli/v2"
)

type newServer struct {
	name    string
	reached []string // its program and arguments, or its URL
	// As NAME=VALUE: variables of the program, headers sent to the URL.
	env, headers []string
}

func addCommand(env *command.Env) *cli.Command {
	var s newServer
	return env.Command(command.Spec{
		Name: "add", Args: "SERVER COMMAND|URL [ARG]...", About: "add an MCP server to the configuration",
		More: "Write -- before a command that has flags of its own. Values may have variables of the environment in them, " +
			"such as '$TOKEN'; chibi fills them in when the server starts.",
		Flags: []cli.Flag{
			&cmdline.Flag{Name: "env", Takes: cmdline.Word("NAME=VALUE", cmdline.Text), Repeats: true,
				About: "a variable that the program gets", Into: cmdline.List(&s.env)},
			&cmdline.Flag{Name: "header", Takes: cmdline.Word("NAME=VALUE", cmdline.Text), Repeats: true,
				About: "a header that chibi sends to the URL", Into: cmdline.List(&s.headers)},
		},
		Examples: []string{"chibi mcp add everything -- npx -y @modelcontextprotocol/server-everything",
			`chibi mcp add --header 'Authorization=Bearer $TOKEN' notes https://notes.example.com/mcp`},
		Reads: func(_ context.Context, session *app.Session, args []string) error {
			s.name, s.reached = args[0], args[1:]
			return add(env, session, s)
		},
	})
}

func add(env *command.Env, s *app.Session, n newServer) error {
	if there, exists := s.Config.MCP[n.name]; exists {
		return command.Usage("MCP server %q is configured already, at %s; change it there", n.name, there.Where)
	}
	keys, err := n.keys()
	if err != nil {
		return err
	}
	file := app.Configuration(s.Home)
	err = file.Rewrite(func(path string, data []byte) (text []byte, err error) {
		for text = data; err == nil && len(keys) > 0; keys = keys[1:] {
			text, err = config.Edit(path, text, keys[0].name, keys[0].value)
		}
		return text, err
	})
	if err != nil {
		return err
	}
	return env.Out.Say("Added MCP server %q to %s. To start it and see its tools: chibi mcp check %[1]s", n.name,
		file.Path)
}

type key struct{ name, value string }

func (n newServer) keys() ([]key, error) {
	if err := tools.CheckServerName(n.name); err != nil {
		return nil, command.Usage("%v", err)
	}
	where, args, isURL := n.reached[0], n.reached[1:], strings.Contains(n.reached[0], "://")
	switch {
	case isURL && len(args)+len(n.env) > 0:
		return nil, command.Usage("a server with a URL has neither arguments nor variables; give headers with --header")
	case isURL:
		return n.settings("headers", n.headers, key{"url", config.Quote(where)})
	case len(n.headers) > 0:
		return nil, command.Usage("%s is a program, and chibi sends no headers to programs; give variables with --env", where)
	case len(args) > 0:
		return n.settings("env", n.env, key{"command", config.Quote(where)}, key{"args", quotedList(args)})
	}
	return n.settings("env", n.env, key{"command", config.Quote(where)})
}

// settings returns keys for the server, and for each NAME=VALUE a key of its table.
func (n newServer) settings(table string, list []string, keys ...key) ([]key, error) {
	for _, setting := range list {
		name, value, found := strings.Cut(setting, "=")
		if !found {
			return nil, command.Usage("%q is not NAME=VALUE", setting)
		}
		keys = append(keys, key{table + "." + config.Quote(name), config.Quote(value)})
	}
	for i := range keys {
		keys[i].name = "mcp." + config.Quote(n.name) + "." + keys[i].name
	}
	return keys, nil
}

func quotedList(list []string) string {
	var quoted []string
	for _, text := range list {
		quoted = append(quoted, config.Quote(text))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
