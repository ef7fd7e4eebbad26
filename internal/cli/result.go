package cli

import (
	"fmt"

	"github.com/chibi-host/chibi/internal/cli/command"
)

// fields are the members of an object that an operation answers.
type fields = command.Fields

func (p *program) say(format string, args ...any) error { return p.out.Say(format, args...) }

func (p *program) answer(operation string, data any, text string) error {
	return p.out.Answer(operation, data, text)
}

func (p *program) printJSON(v any) error { return p.out.JSON(v) }

func (p *program) printJSONLine(v any) error { return p.out.JSONLine(v) }

func (p *program) paint(mark, text string) string { return p.out.Paint(mark, text) }

func (p *program) notice(text string) { p.out.Notice(text) }

func (p *program) detail(format string, args ...any) { p.out.Detail(fmt.Sprintf(format, args...)) }
