package cli

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/operation"
)

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
