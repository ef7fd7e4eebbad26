package question

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Text returns a question for a person who is asked elsewhere, in rows of at most so many
// columns: what the call would do, all of it up to 128 KiB of each part, and who asks.
func Text(q permissions.Question, columns int) string {
	p := page{columns: columns}
	p.show(q, 0)
	return p.out.String()
}

// Block returns a text that is not ours as the questions show it.
func Block(text string, columns int) string {
	p := page{columns: columns}
	p.block(text, plain, 0)
	return p.out.String()
}

// show shows what the call would do, and who asks; at most so many rows of each foreign
// text, 0: all.
func (p *page) show(q permissions.Question, rows int) {
	p.cut = false
	a := q.Access
	tool := term.Visible(q.Tool.Name)
	if q.Agent != "" {
		tool = "sub-agent " + term.Visible(q.Agent) + ": " + tool
	}
	switch {
	case a.Command != "":
		p.title(tool + " wants to run:")
		p.block(a.Command, plain, rows)
		p.text("in")
		p.block(a.Dir, plain, rows)
		if a.Stdin != "" {
			p.text("with the input")
			p.block(strings.TrimSuffix(a.Stdin, "\n"), plain, rows)
		}
	case a.URL != "":
		p.title(tool + " wants to fetch:")
		p.block(a.URL, plain, rows)
		p.text("from the host")
		p.block(host(a.URL), plain, rows)
	case a.Path != "":
		p.title(tool + " wants to " + verb(q.Tool.Category, a) + ":")
		p.path(a, rows)
	default:
		p.title(tool + " would be called with:")
		p.block(string(q.Arguments), plain, rows)
	}
	if q.Tool.Remote != nil {
		p.remote(q, rows)
	}
	p.why(q.Why, rows)
}

func (p *page) why(j permissions.Judgement, rows int) {
	by := "Asked by " + term.Visible(cmp.Or(j.By, "nobody in particular"))
	if j.Reason == "" {
		p.text(by + ".")
	} else {
		p.text(by + ":")
		p.block(j.Reason, plain, rows)
	}
	switch {
	case j.Changed != nil && j.Protected:
		p.text("Only you can allow this, and only once. That also approves the tool as it is now.")
	case j.Changed != nil:
		p.text("Only you can allow this. That approves the tool as it is now.")
	case j.Protected:
		p.text("Only you can allow this, and only once.")
	}
}

func (p *page) path(a tools.Access, rows int) {
	p.block(a.Path, plain, rows)
	if a.Real != "" && a.Real != a.Path {
		p.text("which is")
		p.block(a.Real, plain, rows)
	}
	switch {
	case a.Diff != "":
		p.text("The change:")
		p.block(strings.TrimSuffix(a.Diff, "\n"), diff, rows)
	case a.Content != nil:
		p.text("The new text:")
		p.block(strings.TrimSuffix(*a.Content, "\n"), plain, rows)
	}
}

func verb(c tools.Category, a tools.Access) string {
	switch {
	case c == tools.CategoryRead:
		return "read"
	case c == tools.CategorySearch:
		return "search"
	case c == tools.CategoryEdit || c == tools.CategoryWrite && a.Exists:
		return "change"
	case c == tools.CategoryWrite:
		return "create"
	}
	return "use"
}

// host returns the host of a URL, which the URL may hide behind a name and a password.
func host(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return "an unknown host"
}

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
		p.coloured("1", "It differs from the definition approved on "+change.Since.Local().Format("2 January 2006")+":")
		p.block(strings.TrimSuffix(change.Diff, "\n"), diff, rows)
		return
	}
	if q.Tool.Description != "" {
		p.text("and says about it")
		p.block(q.Tool.Description, plain, min(rows, maxSaid))
	}
}
