package question

import (
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/permissions"
)

// maxSaid bounds the rows of what a server says about its tool that are shown at first.
const maxSaid = 8

// remote shows which tool of which MCP server it is, all of the call if only a part of it was
// shown, what the server says about the tool, and how that differs from what was approved.
func (p *page) remote(q permissions.Question, rows int) {
	a, server := q.Access, term.Visible(q.Tool.Remote.Server)
	if a.Command != "" || a.URL != "" || a.Path != "" {
		p.text("with the arguments")
		p.block(string(q.Arguments), plain, rows)
	}
	p.text("It is of the MCP server " + server + ", which calls it")
	p.block(q.Tool.Remote.Tool, plain, rows)
	if change := q.Why.Changed; change != nil {
		p.coloured("1", "It is not what was approved on "+change.Since.Local().Format("2 January 2006")+":")
		p.block(strings.TrimSuffix(change.Diff, "\n"), diff, rows)
		return
	}
	if q.Tool.Description != "" {
		p.text("and says about it")
		p.block(q.Tool.Description, plain, min(rows, maxSaid))
	}
}
