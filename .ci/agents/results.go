package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The table in docs/BRIDGE.md stands between these lines.
const (
	tableBegin = "<!-- generated: .ci/agents/run --write -->\n"
	tableEnd   = "<!-- /generated -->"
)

// writeResults writes the transcript beside the script, and the table into the page.
func writeResults(list []verdict) error {
	source := os.Getenv("CHIBI_AGENTS_SOURCE")
	var lines strings.Builder
	for _, v := range list {
		lines.WriteString(v.String() + "\n")
	}
	if err := os.WriteFile(filepath.Join(source, "agents.out"), []byte(lines.String()), 0o644); err != nil {
		return err
	}
	page := filepath.Join(source, "../../docs/BRIDGE.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table: a line %q and a line %q", page, tableBegin, tableEnd)
	}
	return os.WriteFile(page, []byte(before+tableBegin+table(list)+tableEnd+after), 0o644)
}

// table has a row for each check and a column for each agent.
func table(list []verdict) string {
	var columns, names []string
	cells, seen := map[string]string{}, map[string]bool{}
	for _, v := range list {
		agent := v.agent + " " + v.version
		if !seen[agent] {
			columns = append(columns, agent)
		}
		if !seen["check "+v.check] {
			names = append(names, v.check)
		}
		seen[agent], seen["check "+v.check] = true, true
		cells[v.check+agent] = v.word
	}
	columns, cell := append(columns, "cursor", "crush"), func(name, agent string) string {
		if word := cells[name+agent]; word != "" {
			return word
		}
		return "from their documents"
	}
	var b strings.Builder
	b.WriteString("| | " + strings.Join(columns, " | ") + " |\n|" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, name := range names {
		b.WriteString("| " + name)
		for _, agent := range columns {
			b.WriteString(" | " + cell(name, agent))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}
