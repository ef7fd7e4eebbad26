package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// pluginList shows everything that was found, loaded or not, of all protocols.
func (p *program) pluginList(ctx context.Context, _ []string) error {
	p.askAgain = true
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	rows := pluginRows(s.loaded)
	if len(rows) == 0 {
		p.screen.notef("there are no plugins in %s; docs/PLUGINS.md shows how to write one", s.pluginsDir())
	}
	for _, row := range rows {
		row.print(p.screen.Stdout())
	}
	return nil
}

// pluginRow is what is shown of one plugin.
type pluginRow struct {
	name, state, protocol, file, order, tools, hooks string
	remarks                                          []string
}

// pluginRows puts those that were left out behind the others of their protocol;
// chibi's own are in the order of their names, whether they were loaded or not.
func pluginRows(loaded plugin.Loaded) []pluginRow {
	rows := map[string][]pluginRow{}
	var protocols []string
	add := func(row pluginRow) {
		if rows[row.protocol] == nil {
			protocols = append(protocols, row.protocol)
		}
		rows[row.protocol] = append(rows[row.protocol], row)
	}
	for i := range loaded.Plugins {
		row := loadedRow(&loaded.Plugins[i], loaded.Notices)
		row.order = fmt.Sprintf("%d of %d", i+1, len(loaded.Plugins))
		add(row)
	}
	for _, s := range loaded.LeftOut {
		state := "left out: " + s.Reason
		if s.Untrusted {
			state += "; approve it with: chibi trust"
		}
		add(pluginRow{name: s.Name, state: state, protocol: s.Origin.Protocol, file: s.Origin.Path})
	}
	slices.SortStableFunc(rows[native.Protocol], func(a, b pluginRow) int { return strings.Compare(a.name, b.name) })
	if i := slices.Index(protocols, native.Protocol); i > 0 {
		protocols = slices.Insert(slices.Delete(protocols, i, i+1), 0, native.Protocol)
	}
	var list []pluginRow
	for _, protocol := range protocols {
		list = append(list, rows[protocol]...)
	}
	return list
}

func loadedRow(p *plugin.Plugin, notices []plugin.Notice) pluginRow {
	row := pluginRow{name: p.Name, state: "ok", protocol: p.Origin.Protocol, file: p.Origin.Path}
	if p.OnFailure == plugin.Block {
		row.state = "ok, blocks when it fails"
	}
	if p.Note != "" {
		row.remarks = append(row.remarks, p.Note)
	}
	var tools, hooks []string
	for _, t := range p.Tools {
		tools = append(tools, t.Spec().Name)
	}
	for _, name := range p.Hooks {
		hooks = append(hooks, hookText(p, name))
	}
	row.tools, row.hooks = strings.Join(tools, ", "), strings.Join(hooks, ", ")
	for _, n := range notices {
		if n.Plugin == p.Name {
			row.remarks = append(row.remarks, n.Text)
		}
	}
	return row
}

// hookText is a hook point, with what the plugin's protocol calls it.
func hookText(p *plugin.Plugin, name hookpoints.Name) string {
	text := string(name)
	if event := p.EventAt(name); event != "" {
		text = fmt.Sprintf("%s (here %s)", event, name)
	}
	if p.GuardsAt(name) {
		text += " (guard)"
	}
	switch failure := p.FailureAt(name); {
	case failure == p.OnFailure:
	case failure == plugin.Block:
		text += " (blocks when it fails)"
	default:
		text += " (does not block when it fails)"
	}
	return text
}

func (r pluginRow) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", term.Name(r.name), term.Line(r.state))
	fields := []struct{ name, value string }{{"from", r.protocol}, {"file", term.Name(r.file)}, {"order", r.order},
		{"tools", r.tools}, {"hooks", r.hooks}}
	for _, f := range fields {
		if f.value != "" {
			fmt.Fprintf(w, "  %-6s %s\n", f.name, f.value)
		}
	}
	for _, remark := range r.remarks {
		fmt.Fprintf(w, "  %-6s %s\n", "note", term.Line(remark))
	}
}
