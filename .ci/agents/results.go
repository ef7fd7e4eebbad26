package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The table in docs/BRIDGE.md stands between these lines.
const (
	tableBegin = "<!-- generated: .ci/agents/run --write -->\n"
	tableEnd   = "<!-- /generated -->"
)

// writeResults writes the transcript beside the script, and the table into the page. Checks
// that were not run now keep what they had.
func writeResults(list []verdict) error {
	source := os.Getenv("CHIBI_AGENTS_SOURCE")
	transcript := filepath.Join(source, "agents.out")
	before, err := os.ReadFile(transcript)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	list = joined(list, string(before))
	var lines strings.Builder
	for _, v := range list {
		lines.WriteString(v.String() + "\n")
	}
	if err := os.WriteFile(transcript, []byte(lines.String()), 0o644); err != nil {
		return err
	}
	return writeTable(filepath.Join(source, "../../docs/BRIDGE.md"), table(list))
}

// joined adds to a list what a transcript has of other checks of the same versions, in the
// order of agents and checks.
func joined(list []verdict, transcript string) (all []verdict) {
	known := map[string]verdict{}
	line := regexp.MustCompile(`(?m)^(\w+) +(\w+) +([^:\n]+): (.*?)(?: - (.*))?$`)
	for _, m := range line.FindAllStringSubmatch(transcript, -1) {
		known[m[2]+m[3]+m[4]] = verdict{m[1], m[2], m[3], m[4], m[5]}
	}
	for _, v := range list {
		known[v.agent+v.version+v.check] = v
	}
	for _, a := range agents() {
		for _, c := range checks() {
			if v, ok := known[a.Name+a.title()+c.name]; ok {
				all = append(all, v)
			}
		}
	}
	return all
}

// writeTable puts the table into its place in a page.
func writeTable(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table: a line %q and a line %q", page, tableBegin, tableEnd)
	}
	return os.WriteFile(page, []byte(before+tableBegin+table+tableEnd+after), 0o644)
}

// table has a row for each check and a column for each agent. Crush and Cursor cannot be
// driven here: what is known of them is from their documents.
func table(list []verdict) string {
	cells := map[string]string{}
	for _, v := range list {
		cell := v.word
		if cell == "PASS" && v.detail != "" {
			cell += ", by itself"
		}
		cells[v.agent+v.version+v.check] = cell
	}
	var columns []agent
	for _, a := range agents() {
		if slices.ContainsFunc(list, func(v verdict) bool { return v.agent == a.Name && v.version == a.title() }) {
			columns = append(columns, a)
		}
	}
	var b strings.Builder
	b.WriteString("| what must hold |")
	for _, a := range columns {
		b.WriteString(" " + a.Name + " " + a.title() + " |")
	}
	b.WriteString(" crush, cursor |\n|" + strings.Repeat(" --- |", len(columns)+2) + "\n")
	for _, c := range checks() {
		b.WriteString("| " + c.name + " |")
		for _, a := range columns {
			b.WriteString(" " + cmp.Or(cells[a.Name+a.title()+c.name], "not run") + " |")
		}
		b.WriteString(" from their documents |\n")
	}
	return b.String()
}
