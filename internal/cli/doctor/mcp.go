package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/approved"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
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

// changedTools finds tools of servers that are not as they were approved.
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
				found = append(found, warning(fmt.Sprintf("tool %q of MCP server %s is not what was approved: its %s changed",
					d.Name, s.Name, strings.Join(change.Parts, ", ")),
					fmt.Sprintf("chibi mcp approve %s %s", s.Name, term.ShellWord(d.Name))))
			}
		}
	}
	return found
}
