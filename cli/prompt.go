package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// readPrompt puts the prompt together: the words, then what is piped in. On a
// terminal without words it reads until Ctrl-D.
func (p *program) readPrompt(ctx context.Context, words []string) (string, error) {
	text := strings.Join(words, " ")
	if len(words) > 0 && !isPiped(p.stdin) {
		return text, nil
	}
	if len(words) == 0 && term.IsTerminal(int(p.stdin.Fd())) {
		p.screen.line("Type your prompt; end it with Ctrl-D on a line of its own.")
	}
	piped, err := readAll(ctx, p.stdin)
	if err != nil {
		return "", err
	}
	return join(text, strings.TrimRight(piped, "\n")), nil
}

// isPiped says whether somebody sends text on standard input. With words given,
// a terminal or a device is not waited for.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// readAll reads to the end, or until ctx ends: a read from a pipe or terminal
// cannot be called off.
func readAll(ctx context.Context, f *os.File) (string, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(f)
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		if r.err != nil {
			return "", fmt.Errorf("reading the prompt from standard input: %w", r.err)
		}
		return strings.ToValidUTF8(string(r.data), "\uFFFD"), nil
	}
}

// join puts a blank line between two texts that are not empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
