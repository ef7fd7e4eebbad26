// Package agentdoc makes the tables of AGENTS.md from the tables of internal/agents/engine: what each coding
// agent's events are here, and what answers and exit statuses of its hooks do; and that of BRIDGE.md:
// what agents carry out. It is not a part of the program.
package agentdoc

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/srcdoc"
)

// Page is the page with the tables, relative to the repository's root.
const Page = "docs/AGENTS.md"

// Pages are the pages with generated tables, relative to the repository's root, and what makes them.
func Pages() map[string]func(root fs.FS) (string, error) {
	return map[string]func(fs.FS) (string, error){Page: Generate, BridgePage: GenerateBridge}
}

// Generate returns the page with its tables as they must be.
func Generate(root fs.FS) (string, error) {
	before, err := fs.ReadFile(root, Page)
	if err != nil {
		return "", err
	}
	page := string(before)
	for _, d := range agents.All() {
		filled, found := srcdoc.Fill(page, d.Name, Section(d))
		if !found {
			return "", fmt.Errorf("%s has no place for the tables of %s", Page, d.Title)
		}
		page = filled
	}
	text, err := Matrix()
	if err != nil {
		return "", err
	}
	filled, found := srcdoc.Fill(page, "hooks in other agents", text)
	if !found {
		return "", fmt.Errorf("%s has no place for the tables of hooks in other agents", Page)
	}
	return filled, nil
}

// Section returns what the page says about an agent.
func Section(d engine.Dialect) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", provenance(d.Facts), settings(d))
	b.WriteString("| event | here | matcher | what an answer does here | no effect |\n| --- | --- | --- | --- | --- |\n")
	var never []string
	for _, e := range d.Events {
		if e.Kind == engine.Never {
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
func provenance(f engine.Facts) string {
	if f.Driven == "" {
		return fmt.Sprintf("Only read about, on %s: %s.", f.Date, f.Read)
	}
	return fmt.Sprintf("Driven: version %s, on %s; read: %s.", f.Driven, f.Date, f.Read)
}

// settings says where hooks stand and how they run.
func settings(d engine.Dialect) string {
	var files []string
	for _, p := range d.Places {
		path := "`" + p.Path + "`"
		if p.Scope == engine.ScopeUser {
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
	return fmt.Sprintf("Files: %s. Handlers: %s; the handlers of one event run %s, started by `%s`; `%s` counts %s.",
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
func points(e engine.Event) string {
	var list []string
	for _, k := range append([]engine.Kind{e.Kind}, e.Also...) {
		for _, at := range engine.PointsOf(k) {
			if name := "`" + string(at) + "`"; !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	text := strings.Join(list, ", ")
	switch e.Kind {
	case engine.ToolSucceeded:
		text += " if the tool succeeded"
	case engine.ToolFailed:
		text += " if it failed"
	case engine.AfterShell, engine.AfterMCP, engine.AfterEdit:
		text += " " + string(e.Kind)
	case engine.PromptExpanded:
		text += " of a recipe"
	case engine.TurnFailed, engine.TurnInterrupted:
		text += ": " + string(e.Kind)
	}
	return text
}

// matched says what a matcher is compared with.
func matched(e engine.Event) string {
	return cmp.Or(strings.ReplaceAll(string(e.Matches), "_", " "), "-")
}

// does says what the members of an answer do.
func does(e engine.Event) string {
	var list []string
	for _, row := range e.Rows {
		text := row.Set.Does(row.To)
		if text != "" && isHeeded(e.Kind, row.Set) && !row.Writes && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if e.PlainText == engine.TextContext {
		list = append(list, "plain text tells the model")
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// isHeeded reports whether the points at which something happens take what an answer says.
func isHeeded(k engine.Kind, m engine.Member) bool {
	switch k {
	case engine.SessionEnd, engine.TurnFailed, engine.TurnInterrupted, engine.AfterCompact, engine.AgentStop:
		return m == engine.SetSystemMessage
	case engine.BeforeShell, engine.BeforeMCP, engine.BeforeRead:
		return m == engine.SetDecision || m == engine.SetSystemMessage
	case engine.AskPermission:
		return m == engine.SetDecision || m == engine.SetSystemMessage || m == engine.SetHalt
	case engine.BeforeRequest:
		return m == engine.SetRequest || m == engine.SetSystemMessage
	case engine.SelectTools:
		return m == engine.SetInclude || m == engine.SetSystemMessage
	}
	return true
}

// without lists the members of answers that have no effect.
func without(e engine.Event) string {
	var list []string
	for _, row := range e.Rows {
		name := "`" + row.Path[strings.LastIndexByte(row.Path, '.')+1:] + "`"
		isLost := row.Set == engine.NoEffect || row.Set.Does(row.To) != "" && !isHeeded(e.Kind, row.Set)
		if isLost && !row.Writes && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return cmp.Or(strings.Join(list, ", "), "-")
}

// exits says what exit statuses mean, where events do not say it otherwise.
func exits(d engine.Dialect) string {
	var list []string
	for _, x := range d.Exits {
		text := meaning(x.Then)
		if x.NeedsText {
			text += " with a text on standard error, else " + meaning(cmp.Or(x.Else, engine.EndsFailed))
		}
		json := map[engine.JSONRule]string{engine.JSONDecides: "JSON decides", engine.JSONBeside: "JSON counts beside it",
			engine.JSONDenies: "JSON can only deny", engine.JSONIgnored: "JSON is ignored"}[x.JSON]
		list = append(list, fmt.Sprintf("%s: %s (%s)", x.Status, text, json))
	}
	return "Exit statuses: " + strings.Join(list, "; ") + "."
}

// meaning says what an exit status does.
func meaning(then engine.Ending) string {
	switch then {
	case engine.EndsOK:
		return "no opinion"
	case engine.EndsDenied:
		return "denies"
	case engine.EndsHalted:
		return "ends the turn"
	case engine.EndsContext:
		return "tells the model"
	case engine.EndsShown:
		return "tells you"
	}
	return "has failed"
}
