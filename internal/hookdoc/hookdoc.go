// Package hookdoc generates the documentation of hook points from package hookpoints: the
// overview in docs/HOOKS.md, the pages docs/reference/hooks-*.md, the JSON Schemas in
// docs/schema, the texts of `chibi hook show`, and the field descriptions that hookpoints
// needs at run time. It promises that a test fails when any of them is stale. It writes no
// files; see its command.
package hookdoc

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
)

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
		return "goes with " + withNames(f)
	}
	return f.Rule.Meaning()
}

// withNames lists the fields to which a field belongs.
func withNames(f hookpoints.Field) string {
	return "`" + strings.Join(strings.Fields(f.With), "` or `") + "`"
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

// Text describes one point for the terminal, in lines of at most 80 columns, except the
// example payload, which is one long line that can be copied.
func Text(info hookpoints.Info) string {
	var b strings.Builder
	b.WriteString(wrap(fmt.Sprintf("%s fires when %s.", info.Name, info.When), ""))
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
