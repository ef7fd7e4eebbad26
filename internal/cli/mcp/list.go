// Package mcp has the commands about MCP servers: those whose tools chibi's model can
// call, and the one that chibi is itself.
package mcp

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about MCP servers.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("mcp", "tools of MCP servers, and chibi as a server of tools", []*cli.Command{
		addCommand(env), listCommand(env), checkCommand(env), refreshCommand(env), callCommand(env), approveCommand(env),
		loginCommand(env), logoutCommand(env), serveCommand(env),
	})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the MCP servers and their tools, as far as chibi knows them; it starts no server",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Reads: func(_ context.Context, s *app.Session, _ []string) error { return list(env.Out, app.MCPOf(s), asJSON) },
	})
}

func list(out *output.Printer, m mcpservers.Manual, asJSON bool) error {
	servers, problems := m.Servers()
	for _, problem := range problems {
		out.Notef("%v", problem)
	}
	all := []listedServer{}
	for _, s := range servers {
		all = append(all, listedOf(m, s))
	}
	if asJSON {
		return out.JSON(all)
	}
	if len(all) == 0 && len(problems) == 0 {
		out.Notef("there are no MCP servers; chibi mcp add adds one")
	}
	for _, one := range all {
		one.print(writer(out.Screen))
	}
	for _, about := range m.UnknownTools() {
		out.Notef("%s", about)
	}
	return nil
}

// The states of a listed server.
const (
	stateKnown    = "known"     // its tools are remembered
	stateUnasked  = "not asked" // it was never asked for them
	stateFailed   = "failed"    // it could not be asked when it was tried last
	stateDisabled = "disabled"
)

// listedServer describes an MCP server. docs/JSON.md describes its members.
type listedServer struct {
	Name      string       `json:"name"`
	State     string       `json:"state"`
	Failure   string       `json:"failure,omitempty"`
	Command   []string     `json:"command,omitempty"`
	URL       string       `json:"url,omitempty"`
	Source    string       `json:"source"`
	OfProject bool         `json:"of_project"`
	Trusted   bool         `json:"trusted"`
	Program   string       `json:"program,omitempty"`
	Version   string       `json:"version,omitempty"`
	Protocol  string       `json:"protocol,omitempty"`
	Asked     *time.Time   `json:"asked,omitempty"`
	Tools     []listedTool `json:"tools"`
	Beyond    int          `json:"beyond,omitempty"`
	LeftOut   []string     `json:"left_out,omitempty"`
}

type listedTool struct {
	Name        string `json:"name"`
	CalledAs    string `json:"called_as"`
	Description string `json:"description,omitempty"`
	Category    string `json:"category"`
	ReadOnly    bool   `json:"read_only"`
	Unoffered   string `json:"unoffered,omitempty"`
}

func listedOf(m mcpservers.Manual, s mcpservers.Server) listedServer {
	one := listedServer{Name: s.Name, State: stateUnasked, URL: s.URL, Source: s.Source, OfProject: s.OfProject,
		Trusted: s.Trusted, Tools: []listedTool{}}
	if s.Command != "" {
		one.Command = append([]string{s.Command}, s.Args...)
	}
	if e, known := m.Remembered(s); known {
		one.remember(m, s, e)
	}
	if s.Disabled {
		one.State = stateDisabled
	}
	return one
}

func (l *listedServer) remember(m mcpservers.Manual, s mcpservers.Server, e mcplists.Entry) {
	if e.List != nil {
		l.State = stateKnown
		l.Program, l.Version, l.Protocol = e.List.Program, e.List.Version, e.List.Protocol
		l.Asked, l.Beyond, l.LeftOut = &e.List.Asked, e.List.Beyond, e.List.LeftOut
		for _, d := range e.List.Tools {
			l.Tools = append(l.Tools, listedToolOf(m, s, d))
		}
	}
	if e.Failure != "" {
		l.State, l.Failure = stateFailed, e.Failure
	}
}

func listedToolOf(m mcpservers.Manual, s mcpservers.Server, d mcp.Definition) listedTool {
	spec := mcp.NewTool(nil, s.Server, d).Spec()
	one := listedTool{Name: d.Name, CalledAs: spec.Name, Description: spec.Description, Category: string(spec.Category),
		ReadOnly: d.ReadOnly}
	if !m.Offers(s, d.Name) {
		one.Unoffered = fmt.Sprintf("mcp.%s.tools leaves it out", s.Name)
	}
	return one
}

func (l *listedServer) state() string {
	switch l.State {
	case stateKnown:
		return fmt.Sprintf("%s, asked %s", l.count(), humanize.Time(*l.Asked))
	case stateUnasked:
		return "its tools are not known yet; chibi mcp check " + l.Name
	case stateFailed:
		return "chibi could not ask it: " + l.Failure
	}
	return l.State
}

func (l *listedServer) count() string {
	text := english.Plural(len(l.Tools), "tool", "")
	if l.Beyond > 0 {
		text += fmt.Sprintf(" (and %s beyond the bound)", humanize.Comma(int64(l.Beyond)))
	}
	return text
}

// writer returns where lists are written: on a terminal, lines are wrapped to its width.
func writer(s *screen.Screen) io.Writer {
	if s.Columns() > 0 {
		return output.HelpWriter(s)
	}
	return s.Stdout()
}

func (l *listedServer) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", l.Name, term.Line(l.state()))
	l.printFields(w)
	var names []string
	for _, t := range l.Tools {
		if t.Unoffered == "" {
			names = append(names, t.Name)
		}
	}
	printField(w, "tools", strings.Join(names, ", "))
}

func (l *listedServer) printFields(w io.Writer) {
	var command []string
	for _, word := range l.Command {
		command = append(command, term.ShellWord(word))
	}
	says := strings.TrimSpace(l.Program + " " + l.Version)
	if l.Protocol != "" {
		says += ", MCP " + l.Protocol
	}
	trusted := ""
	if l.Trusted {
		trusted = "yes: chibi believes what it says about its tools"
	}
	printField(w, "runs", strings.Join(command, " "))
	printField(w, "at", l.URL)
	printField(w, "from", l.Source)
	printField(w, "says", says)
	printField(w, "trusted", trusted)
	for _, why := range l.LeftOut {
		printField(w, "left out", why)
	}
}

func printField(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "  %-9s%s\n", name, term.Line(value))
	}
}
