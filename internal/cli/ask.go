package cli

import (
	"context"
	"os"

	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/permissions"
	tty "golang.org/x/term"
)

// ask asks the person about a tool call at the terminal.
func ask(ctx context.Context, f *os.File, flush func(), q permissions.Question) (permissions.Answer, error) {
	t := question.Terminal{File: f, Flush: flush, Config: "config.toml",
		Colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if columns, _, err := tty.GetSize(int(f.Fd())); err == nil {
		t.Columns = columns
	}
	return question.Ask(ctx, t, q)
}
