package mcp

import (
	"context"
	"runtime"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func loginCommand(env *command.Env) *cli.Command {
	var noBrowser bool
	return env.Command(command.Spec{
		Name: "login", Args: "SERVER", About: "log in to an MCP server with a URL, in your browser",
		More: "chibi opens the login page, prints its address in case no browser opens, and waits for five " +
			"minutes; Ctrl-C ends it. chibi registers itself at the login server; where that fails, register it " +
			"there with the address http://127.0.0.1:PORT/callback, and set mcp.SERVER.oauth.client_id and redirect_port.",
		Flags:    []cli.Flag{command.Switch(&noBrowser, "no-browser", "only print the address")},
		Examples: []string{"chibi mcp login notes"},
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			m := app.MCPOf(s)
			server, err := m.Find(args[0])
			if err != nil {
				return err
			}
			return login(ctx, env, m, logging{server, noBrowser})
		},
	})
}

type logging struct {
	server    mcpservers.Server
	noBrowser bool
}

// login logs in to a server, and asks it for its tools, which nobody could until then.
func login(ctx context.Context, env *command.Env, m mcpservers.Manual, l logging) error {
	err := m.Login(ctx, l.server, func(address string) {
		how := "Log in at this address"
		if !l.noBrowser && openBrowser(address) {
			how = "Log in with your browser, which opens; if it does not, open this address"
		}
		env.Out.Notef("%s:\n\n%s\n", how, address)
	})
	if err != nil {
		return err
	}
	if err := env.Out.Say("Logged in to MCP server %q.", l.server.Name); err != nil {
		return err
	}
	list, err := m.Ask(ctx, l.server)
	if err != nil {
		return err
	}
	return env.Out.Say("It has %s; to see more: chibi mcp check %s", english.Plural(len(list.Tools), "tool", ""),
		l.server.Name)
}

func logoutCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "logout", Args: "SERVER", About: "forget the login at an MCP server",
		More:     "chibi does not tell the login server; the tokens stay valid until they expire or you revoke them there.",
		Examples: []string{"chibi mcp logout notes"},
		Reads: func(_ context.Context, s *app.Session, args []string) error {
			n, err := app.MCPOf(s).Logout(args[0])
			switch {
			case err != nil:
				return err
			case n == 0:
				return env.Out.Say("There was no login at MCP server %q.", args[0])
			}
			return env.Out.Say("Logged out of MCP server %q.", args[0])
		},
	})
}

// browserTime bounds the program that opens a browser where it cannot be left alone.
const browserTime = 10 * time.Second

// openBrowser opens an address, which begins with http:// or https://, in the person's
// browser. It reports whether there was one to be asked.
func openBrowser(address string) bool {
	var runner process.Runner
	words := opener(runtime.GOOS, runner.Getenv)
	if words == nil {
		return false
	}
	path, ok := runner.LookPath(words[0])
	if !ok {
		return false
	}
	c := process.Command{Path: path, Args: append(words[1:], address), Timeout: browserTime}
	if runtime.GOOS == "windows" { // there the program ends at once
		_, err := runner.Run(context.Background(), c)
		return err == nil
	}
	return runner.Detach(c) == nil
}

func opener(system string, getenv func(string) string) []string {
	switch {
	case system == "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler"}
	case system == "darwin" && getenv("SSH_CONNECTION") == "":
		return []string{"open"}
	case system != "darwin" && getenv("DISPLAY")+getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
