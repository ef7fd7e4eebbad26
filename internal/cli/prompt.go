package cli

import (
	"context"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
)

// readPrompt puts the prompt together: the words, then what is piped in. With a
// recipe there need be neither.
func readPrompt(ctx context.Context, p *program, words []string) (string, error) {
	if p.opts.prompt != nil {
		return *p.opts.prompt, nil
	}
	text := strings.Join(words, " ")
	if (len(words) > 0 || p.opts.recipe != nil) && !isPiped(p.env.Stdin) {
		return text, nil
	}
	piped, err := p.env.Input(ctx, "the prompt")
	if err != nil {
		return "", err
	}
	return join(text, strings.TrimRight(piped, "\n")), nil
}

// isPiped reports whether somebody sends text on standard input. With words given,
// a terminal or a device is not waited for.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// join puts a blank line between two texts that are not empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// recipePrompt is the prompt of a run with a recipe: the recipe's, then what the
// person wrote.
func recipePrompt(ctx context.Context, s *app.Session, pairs []string, text string) (string, error) {
	args := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return "", command.Usage("--arg %s: want NAME=VALUE", pair)
		}
		args[name] = value
	}
	return app.RecipePrompt(ctx, s, args, text)
}
