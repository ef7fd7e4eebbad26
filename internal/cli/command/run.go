package command

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
)

// Run calls do between the start and the end of a run of a session with these
// options.
func Run(ctx context.Context, opts app.Options, do func(*app.Session) error) error {
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s)
	return s.Run(ctx, func() error { return do(s) })
}

// ContextName returns the context that the first of a command's words names, or the
// session's own if there are no words.
func ContextName(ctx context.Context, s *app.Session, words []string) (string, error) {
	if len(words) == 0 {
		return s.Name(), nil
	}
	return app.Existing(ctx, s, words[0])
}
