// Package hookdoc generates the documentation of hook points from package hookpoints: the
// tables of docs/HOOKS.md, the JSON Schemas in docs/schema, the texts of `chibi hook
// show`, and the field descriptions that hookpoints needs at run time. It promises that a
// test fails when any of them is stale. It writes no files; see its command.
package hookdoc

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
)

// Overview returns the table of all points, in Markdown.
func Overview() string {
	var b strings.Builder
	b.WriteString("| hook | mode | fires when | a plugin can |\n| --- | --- | --- | --- |\n")
	for _, info := range hookpoints.All() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", info.Name, info.Name, info.Mode, info.When, can(info))
	}
	return b.String()
}

func can(info hookpoints.Info) string {
	verbs := "observe"
	switch {
	case info.CanDecide() && info.Mode == hookpoints.Chain:
		verbs = "change, block, ask and allow"
	case info.CanDecide():
		verbs = "allow, ask and deny"
	case info.CanBlock() && info.Mode != hookpoints.Chain:
		verbs = "block"
	case info.CanBlock():
		verbs = "change and block"
	case info.CanChange():
		verbs = "change"
	}
	return verbs
}

// Section returns the documentation of one point, in Markdown.
func Section(info hookpoints.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\nFires when: %s. Mode: **%s**, %s.\n", info.Name, info.When, info.Mode, info.Mode.Meaning())
	b.WriteString("\n| payload | type | meaning |\n| --- | --- | --- |\n")
	for _, f := range hookpoints.Fields(info.Payload) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, payloadType(f), f.Doc)
	}
	if info.CanChange() {
		b.WriteString("\n| answer | type | meaning | several answers |\n| --- | --- | --- | --- |\n")
		for _, f := range hookpoints.Fields(info.Answer) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, f.Doc, ruleText(f))
		}
		if words := info.OtherWords(); words != nil {
			fmt.Fprintf(&b, "| `%s` | | other words for no, see [Blocking](#blocking) | as %s |\n",
				strings.Join(namesOf(words), "`, `"), taught(info))
		}
	}
	fmt.Fprintf(&b, "\nA payload, for example:\n\n```json\n%s\n```\n", strictjson.Indented(Example(info)))
	return b.String()
}

// payloadType returns a payload field's type and whether the field is optional. In
// answers all fields are.
func payloadType(f hookpoints.Field) string {
	if f.Optional {
		return f.Type + ", optional"
	}
	return f.Type
}

func ruleText(f hookpoints.Field) string {
	if f.Rule == hookpoints.RuleWith {
		return "goes with `" + strings.Join(strings.Fields(f.With), "` or `") + "`"
	}
	return f.Rule.Meaning()
}

// taught returns how an answer of the point refuses and says why.
func taught(info hookpoints.Info) string {
	no, why := info.Refusing()
	return fmt.Sprintf("`%s` and `%s`", no[0], why[0])
}

func namesOf(fields []hookpoints.Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// Group returns the documentation of all points of a group, in Markdown.
func Group(group hookpoints.Group) string {
	var sections []string
	for _, info := range hookpoints.All() {
		if info.Group == group {
			sections = append(sections, Section(info))
		}
	}
	return strings.Join(sections, "\n")
}

// Text describes one point for the terminal, in lines of at most 80 columns, except the
// example payload, which is one long line that can be copied.
func Text(info hookpoints.Info) string {
	var b strings.Builder
	b.WriteString(wrap(fmt.Sprintf("%s fires when: %s.", info.Name, info.When), ""))
	b.WriteString(wrap(fmt.Sprintf("Mode %s: %s.", info.Mode, info.Mode.Meaning()), ""))
	b.WriteString("\nA plugin receives:\n")
	for _, f := range hookpoints.Fields(info.Payload) {
		b.WriteString(wrap(fmt.Sprintf("%s (%s): %s", f.Name, payloadType(f), f.Doc), "  "))
	}
	if !info.CanChange() {
		b.WriteString("\nIt is only observed: an answer has no effect.\n")
	} else {
		b.WriteString("\nIt may answer:\n")
		for _, f := range hookpoints.Fields(info.Answer) {
			text := fmt.Sprintf("%s (%s): %s Several plugins: %s.", f.Name, f.Type, f.Doc, ruleText(f))
			b.WriteString(wrap(strings.ReplaceAll(text, "`", ""), "  "))
		}
		if words := info.OtherWords(); words != nil {
			text := fmt.Sprintf("%s: other words for no, as %s.", strings.Join(namesOf(words), ", "), taught(info))
			b.WriteString(wrap(strings.ReplaceAll(text, "`", ""), "  "))
		}
	}
	fmt.Fprintf(&b, "\nExample payload, one line:\n%s\n", Example(info))
	return b.String()
}

// wrap wraps a text at 78 columns; lines after the first are indented further.
func wrap(text, indent string) string {
	return indent + term.Fill(text, 78, len(indent)+2, len(indent)) + "\n"
}
