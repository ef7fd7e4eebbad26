package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize"
)

// readPrompt puts the prompt together: the words, then what is piped in. With a
// recipe there need be neither.
func readPrompt(ctx context.Context, p *program, words []string) (string, error) {
	if p.opts.prompt != nil {
		return *p.opts.prompt, nil
	}
	text := strings.Join(words, " ")
	if (len(words) > 0 || p.opts.recipe != nil) && !isPiped(p.stdin) {
		return text, nil
	}
	piped, err := readInputText(ctx, p, "the prompt")
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

// readInputText reads standard input as text. What is larger than the
// configuration allows is refused: a part of it could mean something else.
func readInputText(ctx context.Context, p *program, what string) (string, error) {
	s, err := p.open(ctx, p.reading())
	if err != nil {
		return "", err
	}
	defer s.Close()
	most := int64(s.Config.Limits.PromptBytes)
	text, err := readAll(ctx, p.stdin, most)
	var large *disk.TooLargeError
	if errors.As(err, &large) {
		return "", usage("%s on standard input is larger than %s; nothing was done. Give less of it, or raise prompt_bytes "+
			"under [limits] in %s",
			what, humanize.IBytes(uint64(most)), filepath.Join(s.Home, "config.toml"))
	} else if err != nil {
		return "", fmt.Errorf("reading %s from standard input: %w", what, err)
	}
	return text, nil
}

// readAll reads at most so many bytes to the end, or until ctx ends: a read from
// a pipe or terminal cannot be called off.
func readAll(ctx context.Context, f *os.File, most int64) (string, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(data)) > most {
			err = &disk.TooLargeError{Path: f.Name(), Max: most}
		}
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		if r.err != nil {
			return "", r.err
		}
		return strings.ToValidUTF8(string(r.data), "\uFFFD"), nil
	}
}

// maxTyped bounds a line that is typed as an answer to a question.
const maxTyped = 64 << 10

// readLine reads one line from a terminal, or until ctx ends.
func readLine(ctx context.Context, f *os.File) (string, error) {
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(io.LimitReader(f, maxTyped)).ReadString('\n')
		done <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		if r.err == io.EOF {
			r.err = nil
		}
		return r.line, r.err
	}
}

// join puts a blank line between two texts that are not empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// confirm asks a person on the terminal; --yes answers for them.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	if p.opts.yes {
		return true, nil
	}
	if !isTerminal(p.stdin) {
		return false, errors.New("there is no terminal to ask on; --yes says yes")
	}
	fmt.Fprint(p.screen.Stderr(), term.Plain(question))
	answer, err := readLine(ctx, p.stdin)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}
