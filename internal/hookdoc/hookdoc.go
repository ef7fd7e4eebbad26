// Package hookdoc makes the documentation of hook points from package
// hookpoints: the tables of docs/HOOKS.md, the JSON Schemas in docs/schema, the
// texts of `chibi hook show`, and the field descriptions that hookpoints needs
// at run time. It promises that a test notices when any of them is stale. It
// writes nothing itself; see its command.
package hookdoc

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
)

// Overview is the table of all points, in Markdown.
func Overview() string {
	var b strings.Builder
	b.WriteString("| hook | mode | fires when | a plugin can |\n| --- | --- | --- | --- |\n")
	for _, info := range hookpoints.All() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", info.Name, info.Name, info.Mode, info.When, can(info))
	}
	return b.String()
}

// can says in words what a plugin can do at a point.
func can(info hookpoints.Info) string {
	verbs := "observe"
	switch {
	case info.CanBlock():
		verbs = "change and block"
	case info.CanChange():
		verbs = "change"
	}
	if info.Awaits != "" {
		verbs += " (does not fire yet: awaits " + info.Awaits + ")"
	}
	return verbs
}

// Section is the documentation of one point, in Markdown.
func Section(info hookpoints.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\nFires when: %s. Mode: **%s**, %s.\n", info.Name, info.When, info.Mode, info.Mode.Meaning())
	if info.Awaits != "" {
		fmt.Fprintf(&b, "\n**Does not fire yet:** it awaits %s.\n", info.Awaits)
	}
	b.WriteString("\n| payload | type | meaning |\n| --- | --- | --- |\n")
	for _, f := range hookpoints.Fields(info.Payload) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.Type, f.Doc)
	}
	if !info.CanChange() {
		return b.String()
	}
	b.WriteString("\n| answer | type | meaning | several answers |\n| --- | --- | --- | --- |\n")
	for _, f := range hookpoints.Fields(info.Answer) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, f.Doc, ruleText(f))
	}
	return b.String()
}

func ruleText(f hookpoints.Field) string {
	if f.Rule == hookpoints.RuleWith {
		return "goes with `" + f.With + "`"
	}
	return f.Rule.Meaning()
}

// Group is the documentation of all points of a group, in Markdown.
func Group(group hookpoints.Group) string {
	var sections []string
	for _, info := range hookpoints.All() {
		if info.Group == group {
			sections = append(sections, Section(info))
		}
	}
	return strings.Join(sections, "\n")
}

// Text describes one point for the terminal, in lines of at most 80 columns; only
// the example payload is one long line, to be copied.
func Text(info hookpoints.Info) string {
	var b strings.Builder
	b.WriteString(wrap(fmt.Sprintf("%s fires when: %s.", info.Name, info.When), ""))
	b.WriteString(wrap(fmt.Sprintf("Mode %s: %s.", info.Mode, info.Mode.Meaning()), ""))
	if info.Awaits != "" {
		b.WriteString(wrap("It does not fire yet: it awaits "+info.Awaits+".", ""))
	}
	b.WriteString("\nA plugin receives:\n")
	for _, f := range hookpoints.Fields(info.Payload) {
		b.WriteString(wrap(fmt.Sprintf("%s (%s): %s", f.Name, f.Type, f.Doc), "  "))
	}
	if !info.CanChange() {
		b.WriteString("\nIt observes: an answer changes nothing.\n")
	} else {
		b.WriteString("\nIt may answer:\n")
		for _, f := range hookpoints.Fields(info.Answer) {
			text := fmt.Sprintf("%s (%s): %s Several plugins: %s.", f.Name, f.Type, f.Doc, ruleText(f))
			b.WriteString(wrap(strings.ReplaceAll(text, "`", ""), "  "))
		}
	}
	fmt.Fprintf(&b, "\nExample payload, one line:\n%s\n", Example(info))
	return b.String()
}

// wrap breaks a text into lines of at most 78 columns; lines after the first
// are indented further.
func wrap(text, indent string) string {
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+len(word)+1 > 78 && strings.TrimSpace(line) != "" {
			lines = append(lines, line)
			line = indent + "  "
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n") + "\n"
}
