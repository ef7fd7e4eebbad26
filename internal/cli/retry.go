package cli

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/urfave/cli/v2"
)

func (p *program) retryCommand(ctx context.Context) *cli.Command {
	return withExample(leaf(ctx, "retry", "", "send the latest prompt again, if it got no answer", p.retry),
		"chibi retry", "chibi -C draft retry")
}

// retry asks the prompt again whose request failed or was interrupted.
func (p *program) retry(ctx context.Context, _ []string) error {
	return p.working(ctx, func(s *session) error {
		if err := s.Connect(); err != nil {
			return err
		}
		defer app.Cleanup(ctx, s.Session)
		return s.Answer(ctx, s.Agent.Retry)
	})
}
