package command

import (
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/urfave/cli/v2"
)

// admit returns an error for a command that is refused within a command of a model.
func (e *Env) admit(c *cli.Context) error {
	if e.Within == nil {
		return nil
	}
	var names []string
	for _, at := range c.Lineage() {
		if at.Command != nil && at.Command.Name != "" && at.App != nil && at.Command.Name != at.App.Name {
			names = append([]string{at.Command.Name}, names...)
		}
	}
	name := strings.Join(names, " ")
	row, known := within.Command(name)
	if known && !row.Refused() || row.Unless != "" && c.Bool(row.Unless) {
		return nil
	}
	return app.UsageError{Err: e.Within.Refusal("chibi "+name, row)}
}
