// Package complete has the commands by which a shell completes chibi's command line.
package complete

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

//go:embed completion
var scripts embed.FS

// Commands lists the commands of completion: one prints the script for a shell, the
// other, which the scripts call, lists the completions of a word.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{
		env.Command(command.Spec{
			Name: "completion", Args: "SHELL", About: "print the script that completes chibi's commands in bash, zsh or fish",
			Run: func(_ context.Context, args []string) error { return printScript(env, args[0]) },
		}),
		{Name: "__complete", Hidden: true, SkipFlagParsing: true, ArgsUsage: "[WORD]...",
			Action: func(c *cli.Context) error {
				complete(c.Context, env, c.App, c.Args().Slice())
				return nil
			}},
	}
}

func printScript(env *command.Env, shell string) error {
	script, err := scripts.ReadFile("completion/chibi." + shell)
	if err != nil {
		return command.Usage("there is no completion for %q; want bash, zsh or fish", shell)
	}
	_, err = env.Out.Screen.Stdout().Write(script)
	return err
}

// complete prints the completions of the last word, one per line. It prints no errors,
// which would appear in the middle of the line that a person is typing.
func complete(ctx context.Context, env *command.Env, app *cli.App, words []string) {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	c := completer{sources: sources{env: env}, app: app}
	for _, word := range c.candidates(ctx, words[:last]) {
		if strings.HasPrefix(word, words[last]) {
			fmt.Fprintln(env.Out.Screen.Stdout(), word)
		}
	}
}
