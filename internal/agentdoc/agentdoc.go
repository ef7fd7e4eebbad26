// Package agentdoc makes the tables of AGENTS.md from the tables of internal/agents/engine: the points at which
// each coding agent's events fire, and the effects of answers and exit statuses; and the table of BRIDGE.md: the
// changes that agents carry out. It is not a part of the program.
package agentdoc

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/srcdoc"
	"github.com/dustin/go-humanize/english"
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
	b.WriteString("| event | chibi's point | matcher | an answer here | without effect |\n" +
		"| --- | --- | --- | --- | --- |\n")
	var never []string
	for _, e := range d.Events {
		if e.Kind == engine.Never {
			never = append(never, "`"+e.Name+"`")
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, points(e), matched(e), does(e), without(e))
	}
	if never != nil {
		fmt.Fprintf(&b, "\nchibi never fires %s.\n", strings.Join(never, ", "))
	}
	fmt.Fprintf(&b, "\n%s", exits(d))
	return b.String()
}

// provenance says where the facts come from.
func provenance(f engine.Facts) string {
	if f.Driven == "" {
		return fmt.Sprintf("Nobody ran it. Source of the facts, on %s: %s.", f.Date, f.Read)
	}
	return fmt.Sprintf("Sources of the facts: version %s, run on %s, and %s.", f.Driven, f.Date, f.Read)
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
	text := fmt.Sprintf("Files: %s. Handlers: %s; several of one event run %s. `%s` starts commands; `%s` counts %s.",
		strings.Join(files, ", "), strings.Join(kinds, ", "), order, strings.Join(d.Shell, " "), d.Shape.Timeout,
		unit(d.Shape.Unit))
	if n := d.MaxContinuations; n > 0 {
		text += fmt.Sprintf(" Hooks can make one turn go on %s.", english.Plural(n, "time", ""))
	}
	return text
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

// does lists the effects of an answer.
func does(e engine.Event) string {
	var list []string
	for _, row := range e.Rows {
		if row.Set.Does(row.To) == "" || !isHeeded(e.Kind, row.Set) || row.Writes {
			continue
		}
		if text := inWords(effect(e, row)); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if e.PlainText == engine.TextContext {
		list = append(list, "plain text tells the model")
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// effect is the effect of a row. A denial after a tool, or at a stop, keeps nothing from happening.
func effect(e engine.Event, row engine.Row) string {
	if row.Set != engine.SetDecision {
		return row.Set.Does(row.To)
	}
	isReplaced := e.DenyReplaces && row.To == hookpoints.DecisionDeny
	return strings.Join(engine.Effect{Decision: row.To, OutputReplaced: isReplaced}.Does(e.Kind), " and ")
}

// inWords returns an effect in the words of the page, where a decision is a verb like the other effects.
func inWords(does string) string {
	return strings.NewReplacer("deny", "denies", "ask", "asks you", "allow", "allows").Replace(does)
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

// exits lists the exit statuses, where events do not have others.
func exits(d engine.Dialect) string {
	var b strings.Builder
	b.WriteString("| exit status | effect | JSON of the answer |\n| --- | --- | --- |\n")
	for _, x := range d.Exits {
		text := ending(x.Then)
		if x.NeedsText {
			text += " with a text on standard error, otherwise " + ending(cmp.Or(x.Else, engine.EndsFailed))
		}
		json := map[engine.JSONRule]string{engine.JSONDecides: "decides", engine.JSONBeside: "counts too",
			engine.JSONDenies: "can only deny", engine.JSONIgnored: "ignored"}[x.JSON]
		fmt.Fprintf(&b, "| %s | %s | %s |\n", x.Status, text, json)
	}
	return b.String()
}

// ending is the effect of an exit status.
func ending(then engine.Ending) string {
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
	return "fails"
}
