package cli

import (
	"context"

	"github.com/urfave/cli/v2"
)

func (p *program) retryCommand(ctx context.Context) *cli.Command {
	return withExample(leaf(ctx, "retry", "", "send the latest prompt again, if it got no answer", p.retry),
		"chibi retry", "chibi -C draft retry")
}

// retry asks the prompt again whose request failed or was interrupted.
func (p *program) retry(ctx context.Context, _ []string) error {
	return p.working(ctx, func(s *session) error {
		if err := s.connect(); err != nil {
			return err
		}
		defer s.endCleanup()
		return s.answering(ctx, s.agent.Retry)
	})
}
