package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// pluginList shows every entry of the plugins folder, loaded or not.
func (p *program) pluginList(ctx context.Context, _ []string) error {
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

// pluginRow is what is shown of one entry.
type pluginRow struct {
	name, state, file, tools, hooks string
	remarks                         []string
}

// pluginRows puts loaded and left out plugins in the order of their names.
func pluginRows(loaded plugin.Loaded) []pluginRow {
	var rows []pluginRow
	for i := range loaded.Plugins {
		rows = append(rows, loadedRow(&loaded.Plugins[i], loaded.Notices))
	}
	for _, s := range loaded.LeftOut {
		rows = append(rows, pluginRow{name: s.Name, state: "left out: " + s.Reason, file: s.Origin.Path})
	}
	slices.SortStableFunc(rows, func(a, b pluginRow) int { return strings.Compare(a.name, b.name) })
	return rows
}

func loadedRow(p *plugin.Plugin, notices []plugin.Notice) pluginRow {
	row := pluginRow{name: p.Name, state: "ok", file: p.Origin.Path}
	if p.OnFailure == plugin.Block {
		row.state = "ok, blocks when it fails"
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

func hookText(p *plugin.Plugin, name hookpoints.Name) string {
	if p.GuardsAt(name) {
		return string(name) + " (guard)"
	}
	return string(name)
}

func (r pluginRow) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", r.name, r.state)
	fields := []struct{ name, value string }{{"file", r.file}, {"tools", r.tools}, {"hooks", r.hooks}}
	for _, f := range fields {
		if f.value != "" {
			fmt.Fprintf(w, "  %-6s %s\n", f.name, f.value)
		}
	}
	for _, remark := range r.remarks {
		fmt.Fprintf(w, "  %-6s %s\n", "note", remark)
	}
}
