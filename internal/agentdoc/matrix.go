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
	"golang.org/x/sync/errgroup"
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
	all := agents.All()
	found := make([][]passed, len(all))
	var each errgroup.Group
	for i, in := range all {
		each.Go(func() (err error) {
			found[i], err = passedIn(in, all)
			return err
		})
	}
	if err := each.Wait(); err != nil {
		return "", err
	}
	m := matrix{cells: map[row]map[string]*cell{}, homes: map[string]string{}}
	for _, list := range found {
		for _, p := range list {
			m.add(p)
		}
	}
	return m.says() + "\n" + m.events(), nil
}

// passed are the passages of the events of an agent in another one.
type passed struct {
	in, of string
	asked  int // events that are asked there
	events int
	list   []bridge.Passage
	kinds  []engine.Kind // of the passages
}

// passedIn fires the events of an agent at hooks of all others.
func passedIn(in engine.Dialect, all []engine.Dialect) (list []passed, err error) {
	r, err := bridge.NewRehearsal(context.Background(), in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for _, of := range all {
		p := passed{in: in.Name, of: of.Name}
		for _, e := range of.Events {
			if e.Kind == engine.Never || of.Name == in.Name {
				continue
			}
			p.events++
			passages, err := r.Passages(context.Background(), of, e)
			if err != nil {
				return nil, err
			}
			p.asked += min(1, len(passages))
			for _, one := range passages {
				at, _ := in.Event(one.At)
				p.list, p.kinds = append(p.list, one), append(p.kinds, at.Kind)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// add adds what became of the hooks of an agent in another one.
func (m *matrix) add(p passed) {
	m.homes[p.of+" in "+p.in] = fmt.Sprintf("%d of %d", p.asked, p.events)
	if p.of == p.in {
		m.homes[p.of+" in "+p.in] = "its own"
	}
	for i, one := range p.list {
		for _, b := range one.Becomes {
			at := row{moment(p.kinds[i]), b.Says}
			if m.cells[at] == nil {
				m.rows, m.cells[at] = append(m.rows, at), map[string]*cell{}
			}
			c := m.cells[at][p.in]
			if c == nil {
				c = &cell{}
				m.cells[at][p.in] = c
			}
			text := cmp.Or(b.Arrives, lost)
			if b.Is() {
				text = "yes"
			}
			if c.unseen = c.unseen || b.Unseen; !slices.Contains(c.arrives, text) {
				c.arrives = append(c.arrives, text)
			}
		}
	}
}

const lost = "lost"

// moment names a kind of moment, those of tools that have run together.
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
	heading(&b, "| a hook says |")
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
	fmt.Fprintf(&b, "\nNowhere arrives: %s.\n", strings.Join(list, "; "))
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
