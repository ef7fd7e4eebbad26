package editor

import (
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	tty "golang.org/x/term"
)

// completion returns the function that handles Tab: it inserts the common prefix of the
// completions, or lists them.
func (e *Editor) completion(screen *tty.Terminal) func(line string, pos int, key rune) (string, int, bool) {
	return func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' || e.Complete == nil || pos != len(line) {
			return "", 0, false
		}
		list := e.Complete(line)
		if len(list) == 0 {
			return "", 0, false
		}
		next := common(list)
		if next == line && len(list) > 1 {
			var shown []string
			for _, text := range list {
				shown = append(shown, term.Line(text))
			}
			screen.Write([]byte(strings.Join(shown, "  ") + "\n"))
		}
		return next, len(next), true
	}
}

// common returns the longest common prefix, in whole characters.
func common(list []string) string {
	begin := list[0]
	for _, text := range list[1:] {
		for !strings.HasPrefix(text, begin) {
			begin = strings.ToValidUTF8(begin[:len(begin)-1], "")
		}
	}
	return begin
}
