package cli

import (
	"context"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
)

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

// isPiped reports whether standard input is a pipe or a file. If there are words, chibi
// does not wait for a terminal or a device.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

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

// readInput reads the whole run from standard input, for --json-config. Of the flags on
// the command line, only those whose rows set Beside are used too.
func readInput(ctx context.Context, p *program) error {
	text, err := p.env.Input(ctx, "the run")
	if err != nil {
		return err
	}
	given := flagsOf(p.rows)
	p.opts = options{sharing: p.opts.sharing}
	p.rows = p.opts.table()
	flags := flagsOf(p.rows)
	cmdline.Copy(given, flags)
	if err := cmdline.ReadInput(flags, []byte(text), func(what string) { p.env.Out.Notef("%s", what) }); err != nil {
		return app.UsageError{Err: err}
	}
	p.opts.asked = operation.AskedOf(p.rows)
	return checkWithin(p.env.Within, &p.opts, p.rows)
}

func inputSchema(flags []*cmdline.Flag) cmdline.Schema {
	return cmdline.InputSchema(flags, map[cmdline.Kind]cmdline.Definition{
		cmdline.Thing:    {Name: "Inspectable", Schema: cmdline.Schema{"type": "string", "enum": operation.Inspectable()}},
		cmdline.DebugKey: {Name: "DebugKey", Schema: operation.DebugSchema()},
	})
}
