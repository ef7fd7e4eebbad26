package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/dustin/go-humanize"
)

// Env is what a command gets: where it reads and prints, and how it opens a home.
// It is complete only when the command runs, as it depends on the flags before the
// command.
type Env struct {
	// Stdin is standard input.
	Stdin *os.File
	// Out prints.
	Out *output.Printer
	// Request returns the options of a session for a purpose, according to the
	// flags before the command. A command may change them before it opens the
	// session itself.
	Request func(app.Purpose) (app.Options, error)
	// ReportUnused tells the person which operations of the flags before the command are
	// not carried out.
	ReportUnused func()
	// Yes reports whether --yes answers for the person.
	Yes func() bool
	// Within is the mark of a command of a model that this run belongs to; nil: it belongs to
	// none.
	Within *within.Mark
	// Prompt asks the model as if the prompt were on the command line.
	Prompt func(ctx context.Context, prompt Prompt) error

	yes bool // --yes after the command
}

// Prompt is a prompt as given on the command line.
type Prompt struct {
	// Recipe names a recipe, Args are its arguments as NAME=VALUE.
	Recipe string
	Args   []string
	// Words are the prompt; none: standard input, if it has text.
	Words []string
}

// With calls do with a session of whose start and end no plugin hears, such as one that only
// reads the home.
func (e *Env) With(ctx context.Context, purpose app.Purpose, do func(*app.Session) error) error {
	opts, err := e.Request(purpose)
	if err != nil {
		return err
	}
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// Manage calls do between the start and the end of a run that neither asks the
// model nor calls a tool.
func (e *Env) Manage(ctx context.Context, do func(*app.Session) error) error {
	return e.run(ctx, app.ToManage, do)
}

// Work is like Manage, for a run that asks the model or calls a tool.
func (e *Env) Work(ctx context.Context, do func(*app.Session) error) error {
	return e.run(ctx, app.ToWork, do)
}

func (e *Env) run(ctx context.Context, purpose app.Purpose, do func(*app.Session) error) error {
	opts, err := e.Request(purpose)
	if err != nil {
		return err
	}
	return Run(ctx, opts, do)
}

// ErrNoTerminal says that a question cannot be asked.
var ErrNoTerminal = errors.New("there is no terminal to ask on; --yes answers yes")

// Confirm asks a person on the terminal; --yes answers for them. Without a terminal
// the error is [ErrNoTerminal].
func (e *Env) Confirm(ctx context.Context, question string) (bool, error) {
	if e.yes || e.Yes() {
		return true, nil
	}
	if !screen.IsTerminal(e.Stdin) {
		return false, ErrNoTerminal
	}
	fmt.Fprint(e.Out.Screen.Stderr(), term.Plain(question))
	answer, err := readLine(ctx, e.Stdin)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// Input reads standard input as text; what is its name in errors. Input larger than
// the configuration allows is an error: a part of it could mean something else.
func (e *Env) Input(ctx context.Context, what string) (text string, err error) {
	err = e.With(ctx, app.ToRead, func(s *app.Session) error {
		most := int64(s.Config.Limits.PromptBytes)
		text, err = ReadAll(ctx, e.Stdin, most)
		if _, ok := errors.AsType[*disk.TooLargeError](err); ok {
			return Usage("%s on standard input is larger than %s; nothing was done. Give less of it, or raise prompt_bytes "+
				"under [limits] in %s",
				what, humanize.IBytes(uint64(most)), filepath.Join(s.Home, "config.toml"))
		} else if err != nil {
			return fmt.Errorf("reading %s from standard input: %w", what, err)
		}
		if isBinary(text) {
			return Usage("%s on standard input is not text but binary; nothing was done. Convert it to text, or name the "+
				"file to a model with tools", what)
		}
		return nil
	})
	return text, err
}

// isBinary reports whether input is not text in any encoding that people pipe: it has a zero byte,
// or more control characters than the log of a terminal.
func isBinary(input string) bool {
	controls := 0
	for _, b := range []byte(input) {
		switch {
		case b == 0:
			return true
		case b < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x1b", rune(b)):
			controls++
		}
	}
	return controls > len(input)/32
}

// ReadAll reads at most so many bytes, to the end or until ctx ends: a read from a
// pipe or terminal cannot be cancelled.
func ReadAll(ctx context.Context, f *os.File, most int64) (string, error) {
	return until(ctx, func() (string, error) {
		data, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(data)) > most {
			err = &disk.TooLargeError{Path: f.Name(), Max: most}
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), err
	})
}

// maxTyped bounds a line that is typed as an answer to a question.
const maxTyped = 64 << 10

func readLine(ctx context.Context, f *os.File) (string, error) {
	return until(ctx, func() (string, error) {
		line, err := bufio.NewReader(io.LimitReader(f, maxTyped)).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return line, err
	})
}

// until returns what read returns, or the error of ctx if that ends first. read then goes
// on by itself.
func until(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		return r.text, r.err
	}
}
