package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// readPrompt puts the prompt together: the words, then what is piped in. With a
// recipe there need be neither.
func (p *program) readPrompt(ctx context.Context, words []string) (string, error) {
	if p.opts.prompt != nil {
		return *p.opts.prompt, nil
	}
	text := strings.Join(words, " ")
	if (len(words) > 0 || p.opts.recipe != nil) && !isPiped(p.stdin) {
		return text, nil
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

// readLine reads one line from a terminal, or until ctx ends.
func readLine(ctx context.Context, f *os.File) (string, error) {
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(f).ReadString('\n')
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
