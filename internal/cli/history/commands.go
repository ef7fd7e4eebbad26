// Package history has the commands about the transcript: history shows it, retry
// repeats a prompt that got no answer.
package history

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands history and retry.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{
		historyCommand(env),
		env.Command(command.Spec{
			Name: "retry", About: "send the latest prompt again, if it got no answer",
			Examples: []string{"chibi retry", "chibi -C draft retry"},
			Run:      func(ctx context.Context, _ []string) error { return retry(ctx, env) },
		}),
	}
}

// retry repeats the prompt whose request failed or was interrupted.
func retry(ctx context.Context, env *command.Env) error {
	return env.Work(ctx, func(s *app.Session) error {
		if err := s.Connect(); err != nil {
			return err
		}
		defer app.Cleanup(ctx, s)
		return s.Answer(ctx, s.Agent.Retry)
	})
}
