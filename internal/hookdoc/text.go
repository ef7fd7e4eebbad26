package hookdoc

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
)

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
