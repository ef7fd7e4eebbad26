package agentdoc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// matrix is what becomes of hooks of all agents in all others, made by firing each of their events there.
type matrix struct {
	rows  []row
	cells map[row]map[string]*cell // by the agent in which they are
	homes map[string]string        // how many events of an agent are asked in another one, by AGENT in OTHER
}

// row is what a hook says at a kind of moment.
type row struct{ at, says string }

// cell is what becomes of it.
type cell struct {
	arrives []string
	unseen  bool
}

// Matrix returns the two tables: what becomes of what hooks say, and how many events of each agent others have.
func Matrix() (string, error) {
	m, all := matrix{cells: map[row]map[string]*cell{}, homes: map[string]string{}}, agents.All()
	for _, in := range all {
		if err := m.fire(in, all); err != nil {
			return "", err
		}
	}
	return m.says() + "\n" + m.events(), nil
}

// fire fires the events of an agent at hooks of all others.
func (m *matrix) fire(in engine.Dialect, all []engine.Dialect) error {
	r, err := bridge.NewRehearsal(context.Background(), in)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, of := range all {
		asked, events := 0, 0
		for _, e := range of.Events {
			if e.Kind == engine.Never || of.Name == in.Name {
				continue
			}
			passages, err := r.Passages(context.Background(), of, e)
			if err != nil {
				return err
			}
			asked, events = asked+min(1, len(passages)), events+1
			for _, p := range passages {
				m.add(in, p)
			}
		}
		m.homes[of.Name+" in "+in.Name] = fmt.Sprintf("%d of %d", asked, events)
	}
	m.homes[in.Name+" in "+in.Name] = "its own"
	return nil
}

// add adds what became of what hooks say at an event of an agent.
func (m *matrix) add(in engine.Dialect, p bridge.Passage) {
	at, _ := in.Event(p.At)
	for _, b := range p.Becomes {
		one := row{moment(at.Kind), inWords(b.Says)}
		if m.cells[one] == nil {
			m.rows, m.cells[one] = append(m.rows, one), map[string]*cell{}
		}
		c := m.cells[one][in.Name]
		if c == nil {
			c = &cell{}
			m.cells[one][in.Name] = c
		}
		text := inWords(cmp.Or(b.Arrives, lost))
		if b.Is() {
			text = "yes"
		}
		if c.unseen = c.unseen || b.Unseen; !slices.Contains(c.arrives, text) {
			c.arrives = append(c.arrives, text)
		}
	}
}

const lost = "lost"

// moment names a kind of moment; all moments after a tool has run have one name.
func moment(k engine.Kind) string {
	switch k {
	case engine.ToolSucceeded, engine.ToolFailed:
		k = engine.AfterTool
	case engine.TurnInterrupted:
		k = engine.TurnFailed
	}
	return string(k)
}

// moments are the kinds in the order of the table.
func moments() (list []string) {
	for _, k := range []engine.Kind{engine.SessionStart, engine.Prompt, engine.BeforeTool, engine.AskPermission,
		engine.AfterTool, engine.AfterBatch, engine.AfterResponse, engine.Stop, engine.TurnFailed, engine.BeforeCompact,
		engine.AfterCompact, engine.AgentStart, engine.AgentStop, engine.SessionEnd} {
		list = append(list, string(k))
	}
	return list
}

// String is the cell; nil: no hook is asked there.
func (c *cell) String() string {
	switch {
	case c == nil:
		return "-"
	case len(c.arrives) > 1 && slices.Contains(c.arrives, lost):
		return "in part" + c.mark()
	}
	return strings.Join(c.arrives, " or ") + c.mark()
}

// mark says that nobody has seen what comes of it.
func (c *cell) mark() string {
	if c.unseen {
		return "*"
	}
	return ""
}

// says is the table of what becomes of what hooks say; a row of which nothing arrives anywhere is named below.
func (m *matrix) says() string {
	var b strings.Builder
	heading(&b, "| event: effect at home |")
	never := map[string][]string{}
	slices.SortStableFunc(m.rows, func(x, y row) int {
		return slices.Index(moments(), x.at) - slices.Index(moments(), y.at)
	})
	for _, at := range m.rows {
		text, arrives := "", false
		for _, in := range agents.Names() {
			c := m.cells[at][in]
			text += " " + c.String() + " |"
			arrives = arrives || c != nil && !slices.Equal(c.arrives, []string{lost})
		}
		if arrives {
			fmt.Fprintf(&b, "| %s: %s |%s\n", at.at, at.says, text)
			continue
		}
		never[at.at] = append(never[at.at], at.says)
	}
	var list []string
	for _, at := range moments() {
		if never[at] != nil {
			list = append(list, at+": "+strings.Join(never[at], ", "))
		}
	}
	fmt.Fprintf(&b, "\nNo agent reads these: %s.\n", strings.Join(list, "; "))
	return b.String()
}

// events is the table of how many events of each agent are asked in others.
func (m *matrix) events() string {
	var b strings.Builder
	heading(&b, "| events of |")
	for _, of := range agents.Names() {
		fmt.Fprintf(&b, "| %s |", of)
		for _, in := range agents.Names() {
			fmt.Fprintf(&b, " %s |", m.homes[of+" in "+in])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// heading is the first line of a table with a column for each agent.
func heading(b *strings.Builder, first string) {
	fmt.Fprintf(b, "%s in %s |\n|%s\n", first, strings.Join(agents.Names(), " | in "),
		strings.Repeat(" --- |", 1+len(agents.Names())))
}
