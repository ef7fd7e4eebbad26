package cmdline

import "strings"

// CommandTable returns the table of the commands of --json-config for the
// documentation, in Markdown.
func CommandTable(flags []*Flag) string {
	var b strings.Builder
	b.WriteString("| command | its members | answers | `data` |\n| --- | --- | --- | --- |\n")
	for _, c := range commands(flags) {
		var members []string
		for _, m := range c.members() {
			name := "`" + m.Member + "`"
			if !c.requires(m) {
				name += "?"
			}
			members = append(members, name)
		}
		answers := c.Answers
		if answers == "" {
			answers = "a result"
		}
		b.WriteString("|")
		for _, cell := range []string{"`" + strings.Join(c.Names, "`, `") + "`",
			strings.Join(members, ", "), answers, c.Data} {
			b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
