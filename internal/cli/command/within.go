package command

import (
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/urfave/cli/v2"
)

// admit returns an error for a command that is refused within a command of a model.
func (e *Env) admit(c *cli.Context) error {
	if e.Within == nil {
		return nil
	}
	name := c.Command.HelpName[len("chibi "):]
	row, known := within.Command(name)
	if known && !row.Refused() || row.Unless != "" && c.IsSet(row.Unless) {
		return nil
	}
	return app.UsageError{Err: e.Within.Refusal("chibi "+name, row)}
}
