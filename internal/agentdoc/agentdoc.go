// Package agentdoc makes the tables of AGENTS.md from the tables of plugin/dialect: what each coding
// agent's events are here, and what answers and exit statuses of its hooks do; and that of BRIDGE.md:
// what agents carry out. It is no part of the program.
package agentdoc

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/srcdoc"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// Page is the page with the tables, relative to the repository's root.
const Page = "docs/AGENTS.md"

// Pages are the pages with generated tables, relative to the repository's root, and what makes them.
func Pages() map[string]func(root fs.FS) (string, error) {
	return map[string]func(fs.FS) (string, error){Page: Generate, BridgePage: GenerateBridge}
}

// Generate returns the page with its tables as they must be.
func Generate(root fs.FS) (string, error) {
	text, err := fs.ReadFile(root, Page)
	if err != nil {
		return "", err
	}
	page := string(text)
	for _, d := range dialect.All() {
		filled, found := srcdoc.Fill(page, d.Name, Section(d))
		if !found {
			return "", fmt.Errorf("%s has no place for the tables of %s", Page, d.Title)
		}
		page = filled
	}
	return page, nil
}

// Section returns what the page says about an agent.
func Section(d dialect.Dialect) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", provenance(d.Facts), settings(d))
	b.WriteString("| event | here | matcher | what an answer does here | no effect |\n| --- | --- | --- | --- | --- |\n")
	var never []string
	for _, e := range d.Events {
		if e.Kind == dialect.Never {
			never = append(never, "`"+e.Name+"`")
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, points(e), matched(e), does(e), without(e))
	}
	if never != nil {
		fmt.Fprintf(&b, "\nNever fired here: %s.\n", strings.Join(never, ", "))
	}
	fmt.Fprintf(&b, "\n%s\n", exits(d))
	return b.String()
}

// provenance says where the facts come from.
func provenance(f dialect.Facts) string {
	if f.Driven == "" {
		return fmt.Sprintf("Only read about, on %s: %s.", f.Date, f.Read)
	}
	return fmt.Sprintf("Driven: version %s, on %s; read: %s.", f.Driven, f.Date, f.Read)
}

// settings says where hooks stand and how they run.
func settings(d dialect.Dialect) string {
	var files []string
	for _, p := range d.Places {
		path := "`" + p.Path + "`"
		if p.Scope == dialect.ScopeUser {
			path = "`~/" + p.Path + "`"
		}
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	var kinds []string
	for _, k := range d.Shape.Kinds {
		kinds = append(kinds, string(k))
	}
	order := "at once"
	if d.InTurn {
		order = "one after another"
	}
	return fmt.Sprintf("Files: %s. Handlers: %s; those of one event run %s, started by `%s`; `%s` counts %s.",
		strings.Join(files, ", "), strings.Join(kinds, ", "), order, strings.Join(d.Shell, " "), d.Shape.Timeout,
		unit(d.Shape.Unit))
}

func unit(u time.Duration) string {
	if u == time.Millisecond {
		return "milliseconds"
	}
	return "seconds"
}

// points lists where an event fires.
func points(e dialect.Event) string {
	var list []string
	for _, k := range append([]dialect.Kind{e.Kind}, e.Also...) {
		for _, at := range dialect.PointsOf(k) {
			if name := "`" + string(at) + "`"; !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	text := strings.Join(list, ", ")
	switch e.Kind {
	case dialect.ToolSucceeded:
		text += " if the tool succeeded"
	case dialect.ToolFailed:
		text += " if it failed"
	case dialect.AfterShell, dialect.AfterMCP, dialect.AfterEdit:
		text += " " + string(e.Kind)
	case dialect.PromptExpanded:
		text += " of a recipe"
	case dialect.TurnFailed, dialect.TurnInterrupted:
		text += ": " + string(e.Kind)
	}
	return text
}

// matched says what a matcher is compared with.
func matched(e dialect.Event) string {
	return cmp.Or(strings.ReplaceAll(string(e.Matches), "_", " "), "-")
}

// does says what the members of an answer do.
func does(e dialect.Event) string {
	var list []string
	for _, row := range e.Rows {
		if text := effect(row); text != "" && isHeeded(e.Kind, row.Set) && !row.Writes && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if e.PlainText == dialect.TextContext {
		list = append(list, "plain text tells the model")
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// isHeeded reports whether the points at which something happens take what an answer says.
func isHeeded(k dialect.Kind, m dialect.Member) bool {
	switch k {
	case dialect.SessionEnd, dialect.TurnFailed, dialect.TurnInterrupted, dialect.AfterCompact, dialect.AgentStop:
		return m == dialect.SetSystemMessage
	case dialect.BeforeShell, dialect.BeforeMCP, dialect.BeforeRead:
		return m == dialect.SetDecision || m == dialect.SetSystemMessage
	case dialect.AskPermission:
		return m == dialect.SetDecision || m == dialect.SetSystemMessage || m == dialect.SetHalt
	case dialect.BeforeRequest:
		return m == dialect.SetRequest || m == dialect.SetSystemMessage
	case dialect.SelectTools:
		return m == dialect.SetInclude || m == dialect.SetSystemMessage
	}
	return true
}

// effect says what a row does, "" for nothing.
func effect(row dialect.Row) string {
	switch row.Set {
	case dialect.SetDecision:
		return row.To
	case dialect.SetHalt:
		return "ends the turn"
	case dialect.SetContext:
		return "tells the model"
	case dialect.SetSystemMessage:
		return "tells you"
	case dialect.SetInput, dialect.SetInputPatch:
		return "rewrites arguments"
	case dialect.SetOutput:
		return "replaces the result"
	case dialect.SetPrompt:
		return "replaces the prompt"
	case dialect.SetEnv:
		return "sets variables"
	case dialect.SetRequest:
		return "changes the request"
	case dialect.SetInclude:
		return "selects tools"
	}
	return ""
}

// without lists the members of answers that have no effect.
func without(e dialect.Event) string {
	var list []string
	for _, row := range e.Rows {
		name := "`" + row.Path[strings.LastIndexByte(row.Path, '.')+1:] + "`"
		isLost := row.Set == dialect.NoEffect || effect(row) != "" && !isHeeded(e.Kind, row.Set)
		if isLost && !row.Writes && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return cmp.Or(strings.Join(list, ", "), "-")
}

// exits says what exit statuses mean, where events do not say it otherwise.
func exits(d dialect.Dialect) string {
	var list []string
	for _, x := range d.Exits {
		text := meaning(x.Then)
		if x.NeedsText {
			text += " with a text on standard error, else " + meaning(cmp.Or(x.Else, "failed"))
		}
		json := map[string]string{"decides": "JSON decides", "beside": "JSON counts beside it",
			"ignored": "JSON is ignored"}[x.JSON]
		list = append(list, fmt.Sprintf("%s: %s (%s)", x.Status, text, json))
	}
	return "Exit statuses: " + strings.Join(list, "; ") + "."
}

// meaning says what an exit status does.
func meaning(then string) string {
	switch then {
	case "ok":
		return "no opinion"
	case "allow":
		return "allows"
	case "deny":
		return "denies"
	case "halt":
		return "ends the turn"
	case "context":
		return "tells the model"
	case "shown":
		return "tells you"
	}
	return "has failed"
}
