package cli

import (
	"os"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/within"
)

// checkWithin returns an error for the first flag that is refused within a command of a model.
func checkWithin(m *within.Mark, o *options, rows []operation.Row) error {
	if m == nil {
		return nil
	}
	for _, r := range rows {
		if r.Given().Times == 0 || r.Name == "" {
			continue
		}
		row, known := within.Flag(r.Name)
		if !known || row.Refused() && !(row.Shared && m.Has(r.Name)) {
			return app.UsageError{Err: m.Refusal("--"+r.Name, row)}
		}
	}
	if err := within.CheckWrite(m, "--trace", o.trace); err != nil {
		return err
	}
	return app.CheckSet(m, o.settings.Set, o.settings.Save)
}

// readWithin returns the mark of this process, which reads from a file.
func readWithin(stdin *os.File) (*within.Mark, error) {
	m, err := within.Read(os.Getenv)
	if err != nil {
		return nil, app.UsageError{Err: err}
	}
	if m != nil {
		m.OnTerminal = screen.IsTerminal(stdin)
	}
	return m, nil
}
