package markdown

import "strings"

// final is the final text that is drawn next.
type final struct {
	text  strings.Builder
	begun bool // something is drawn
}

// put adds lines, with a blank line before them unless they go on with what is drawn.
func (f *final) put(lines []string, goOn bool) {
	if len(lines) == 0 {
		return
	}
	if !goOn {
		f.separate()
	}
	f.text.WriteString(strings.Join(lines, "\n") + "\n")
	f.begun = true
}

func (f *final) separate() {
	if f.begun {
		f.text.WriteByte('\n')
	}
	f.begun = true
}

func (f *final) next() string {
	text := f.text.String()
	f.text.Reset()
	return text
}
