package term

import "strings"

// Fill breaks a text into lines that begin at a column; the first line begins after
// used columns.
func Fill(text string, width, column, used int) string {
	var b strings.Builder
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case used+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", column))
			used = column
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String()
}
