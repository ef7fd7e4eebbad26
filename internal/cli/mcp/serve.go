package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpserve"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/urfave/cli/v2"
)

const tokenVar = "CHIBI_MCP_TOKEN"

type serving struct {
	tools     mcpserve.Options
	address   string
	tokenFile string
	agent     string
}

const serveHelp = "A program that takes MCP servers starts this command by itself, and speaks with it " +
	"over standard input and output. It gets the tools of all plugins, and the tools that list " +
	"and read cached outputs, which are too large to show (cache_list, file_head, " +
	"file_tail, file_lines, file_grep).\n\n" +
	"Calls pass the filters, hooks, rules and permissions like calls of chibi's own model. The client asks " +
	"you chibi's questions (MCP calls that elicitation); where it cannot, chibi refuses the call, and its " +
	"answer names the rule that would allow it. A client that answers such questions by itself is like " +
	"--trust-tools. chibi draws nothing on the terminal, and its plugins have no terminal.\n\n" +
	"The calls use the context that -C names, or the current one: its rules, its cache and its trace " +
	"(chibi trace), but chibi stores nothing in its conversation. When plugins or the configuration change, " +
	"chibi loads them again and tells the clients.\n\n" +
	"With --http, clients send a token: Authorization: Bearer TOKEN. chibi reads it from the file that " +
	"--token-file names, or from the variable " + tokenVar + "; otherwise it prints a random one once on " +
	"standard error."

func serveCommand(env *command.Env) *cli.Command {
	var s serving
	return env.Command(command.Spec{
		Name: "serve", About: "offer the plugins' tools to other programs, as an MCP server", More: serveHelp,
		Flags: []cli.Flag{
			command.Switch(&s.tools.Coding, "coding", "also offer the coding tools"),
			command.Switch(&s.tools.Servers, "servers", "also offer the tools of the MCP servers in the configuration"),
			&cmdline.Flag{Name: "agent", Takes: cmdline.Word("AGENT", cmdline.Text), Into: cmdline.Last(&s.agent),
				About: "AGENT is the client, in which chibi bridge works: chibi runs none of its own hooks, and on_start and " +
					"on_end fire at the events of its session; chibi bridge add writes it"},
			&cmdline.Flag{Name: "http", Takes: cmdline.Word("ADDRESS", cmdline.Text), Into: cmdline.Last(&s.address),
				About: "serve over HTTP at ADDRESS, such as 127.0.0.1:8080; only programs of this machine can connect"},
			&cmdline.Flag{Name: "token-file", Takes: cmdline.Word("FILE", cmdline.File), Into: cmdline.Last(&s.tokenFile),
				About: "the token that clients send with --http; only you may be able to read FILE"},
		},
		Examples: []string{"chibi mcp serve", "claude mcp add chibi -- chibi mcp serve",
			"chibi --allow 'shell(go test*)' mcp serve --coding", "chibi mcp serve --http 127.0.0.1:8080"},
		Run: func(ctx context.Context, _ []string) error { return serve(ctx, env, s) },
	})
}

func serve(ctx context.Context, env *command.Env, s serving) error {
	if s.tokenFile != "" && s.address == "" {
		return command.Usage("--token-file is for --http; name an address with it")
	}
	way, err := open(ctx, env, s) // before anything takes over the environment
	if err != nil {
		return err
	}
	opts, err := env.Request(app.ToWork)
	if err != nil {
		return err
	}
	s.tools.Coding = s.tools.Coding || opts.Permissions.Coding
	opts.Permissions.Coding = s.tools.Coding
	opts.Watched = true
	if err := forAgent(&opts, s.agent); err != nil {
		return err
	}
	withoutTerminal(&opts)
	session, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer session.Close()
	app.ReportSkipped(session)
	return mcpserve.Serve(ctx, session, s.tools, func(served *mcpserve.Tools) error {
		server := mcpserve.New(served, opts.Version)
		watched, stop := context.WithCancel(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { served.Watch(watched, server.Renew) })
		defer watching.Wait()
		defer stop()
		return way(server)
	})
}

// forAgent changes the options for the client that a word names, "" names none. A command of the model takes
// no hooks out.
func forAgent(opts *app.Options, word string) error {
	d, known := agents.ByName(word)
	switch {
	case word == "":
	case !known:
		return command.Usage("--agent: there is no agent %q; there are: %s", word, strings.Join(agents.BridgeNames(), ", "))
	case opts.Within == nil:
		opts.Agent, opts.InSession = d.Name, agents.Bridged{Dialect: d}.TellsSessions()
	}
	return nil
}

// open opens the way that clients come, and returns what serves them there.
func open(ctx context.Context, env *command.Env, s serving) (serve func(*mcpserve.Server) error, err error) {
	token, isNew, err := tokenOf(s)
	if err != nil {
		return nil, err
	}
	if s.address == "" {
		return func(server *mcpserve.Server) error {
			if screen.IsTerminal(env.Stdin) {
				env.Out.Notef("this waits for messages of an MCP client on standard input; Ctrl-C ends it; see chibi mcp " +
					"serve --help")
			}
			return server.Lines(ctx, env.Stdin, env.Out.Screen.Stdout())
		}, nil
	}
	l, err := mcpserve.Listen(ctx, s.address)
	if err != nil {
		return nil, app.UsageError{Err: err}
	}
	return func(server *mcpserve.Server) error {
		env.Out.Notef("%s", whereItIs(l.Addr(), token, isNew))
		return server.HTTP(ctx, l, token)
	}, nil
}

// withoutTerminal changes the options so that standard output is the protocol's, and no
// terminal is used. The context is used only for this run.
func withoutTerminal(opts *app.Options) {
	opts.Transient = true
	opts.Permissions.Ask, opts.Permissions.Fill = nil, nil
	opts.Plugins.Terminal, opts.Plugins.Lend, opts.Plugins.NoTerminal = nil, nil, true
	out := &opts.Output
	out.Text, out.TextEnd, out.Entry, out.Event, out.Waiting = nil, nil, nil, nil, nil
}

// whereItIs says where clients find a server over HTTP, and which token they send if it was
// made for this run.
func whereItIs(address net.Addr, token string, isNew bool) string {
	where := fmt.Sprintf("clients find this server at http://%s%s", address, mcpserve.Path)
	if isNew {
		where += "; they send: Authorization: Bearer " + token
	}
	return where
}

// tokenOf returns the token that clients send, and whether it was made for this run. Plugins
// do not get it.
func tokenOf(s serving) (token string, isNew bool, err error) {
	token = os.Getenv(tokenVar)
	os.Unsetenv(tokenVar)
	switch {
	case s.tokenFile != "":
		token, err = mcpserve.ReadToken(s.tokenFile)
	case token != "":
		err = mcpserve.CheckToken(token)
	}
	if err != nil {
		return "", false, app.UsageError{Err: err}
	}
	return cmp.Or(token, mcpserve.NewToken()), token == "", nil
}
