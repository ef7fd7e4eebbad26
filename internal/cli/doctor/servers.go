package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/approved"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize/english"
)

// mcpServers starts the MCP servers that are programs, and finds those that do not answer. Servers
// elsewhere are asked too if online is set.
func mcpServers(ctx context.Context, e *examination) (found []finding) {
	if e.session == nil {
		return nil
	}
	m := app.MCPOf(e.session)
	servers, problems := m.Servers()
	for _, problem := range problems {
		found = append(found, warning(problem.Error(), ""))
	}
	var asked []mcpservers.Server
	for _, s := range servers {
		if !s.Disabled && (s.Command != "" || e.online) {
			asked = append(asked, s)
		}
	}
	works := 0
	_, failures := m.AskAll(ctx, asked)
	for i, err := range failures {
		if err == nil {
			works++
			continue
		}
		found = append(found, failure(err.Error(), fmt.Sprintf("chibi mcp check %s; to leave the server out, set enabled = "+
			"false under [mcp.%[1]s]", term.ShellWord(asked[i].Name))))
	}
	found = append(found, changedTools(e.session.Home, m, servers)...)
	for _, about := range m.UnknownTools() {
		found = append(found, warning(about, ""))
	}
	if works > 0 {
		found = append(found, fine(english.Plural(works, "MCP server answers", "MCP servers answer")))
	}
	return found
}

func changedTools(home string, m mcpservers.Manual, servers []mcpservers.Server) (found []finding) {
	store := approved.Open(home)
	for _, s := range servers {
		e, _ := m.Remembered(s)
		if s.Disabled || e.List == nil {
			continue
		}
		for _, d := range e.List.Tools {
			change, err := store.Changed(mcp.NewTool(nil, s.Server, d).Spec().Remote)
			if err != nil {
				return append(found, failure(err.Error(), ""))
			}
			if change != nil {
				found = append(found, warning(fmt.Sprintf("tool %q of MCP server %s differs from its approved definition: "+
					"its %s changed", d.Name, s.Name, strings.Join(change.Parts, ", ")),
					fmt.Sprintf("chibi mcp approve %s %s", s.Name, term.ShellWord(d.Name))))
			}
		}
	}
	return found
}

func endedLogins(s *app.Session) (found []finding) {
	m := app.MCPOf(s)
	servers, _ := m.Servers()
	for _, server := range servers {
		hasEnded, err := m.HasEndedLogin(server)
		switch {
		case err != nil:
			return []finding{failure(err.Error(), "")}
		case hasEnded && !server.Disabled:
			found = append(found, warning(fmt.Sprintf("the login at MCP server %s has expired or was revoked", server.Name),
				"chibi mcp login "+server.Name))
		}
	}
	return found
}

func model(_ context.Context, s *app.Session) []finding {
	switch {
	case !s.Config.Configured():
		why, fix := app.ModelOf(s).WhyDemo()
		return []finding{warning(why+"; the built-in demo model answers", fix)}
	case s.Config.Model == "":
		return []finding{failure("no model is configured for "+app.Host(s.Config.BaseURL),
			"set model in "+filepath.Join(s.Home, "config.toml"))}
	}
	return nil
}

const pingTimeout = 15 * time.Second

// modelServer sends a request to the address of the model's server that prompts use.
func modelServer(ctx context.Context, s *app.Session) []finding {
	if !s.Config.Configured() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	client := app.ModelOf(s).Client()
	defer client.Close()
	status, err := client.Ping(ctx)
	if err != nil {
		return []finding{failure(err.Error(), "check base_url and the network")}
	}
	return []finding{serverStatus(s.Config, status)}
}

func serverStatus(c config.Config, status int) finding {
	name, reply := app.Host(c.BaseURL), fmt.Sprintf("%d %s", status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return failure(fmt.Sprintf("%s refuses the key (%s)", name, reply),
			"check api_key, or the environment variable that contains it")
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return failure(fmt.Sprintf("%s has no chat completions (%s)", withoutSecrets(openai.Endpoint(c.BaseURL)), reply),
			"check base_url; it usually ends in /v1 or /chat/completions")
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return warning(fmt.Sprintf("%s can be reached, but does not answer now (%s)", name, reply), "try again later")
	case c.APIKey == "":
		return fine(name + " can be reached; no key is sent to it")
	}
	return fine(name + " can be reached and accepts the key")
}

func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return app.Host(address)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
