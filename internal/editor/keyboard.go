package editor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// keyboard is what is typed at a terminal, with pasted texts taken out of it.
type keyboard struct {
	in          *os.File
	wake, waker *os.File // a pipe that is closed when ctx ends
	stop        func() bool
	ctx         func() error

	pending     []byte // for the reader
	held        []byte // the begin of what may become a mark
	paste       []byte
	pasting     bool
	pastes      []string
	interrupted bool
}

// newKeyboard reads keys until ctx ends. A read from a terminal cannot be called
// off, so it waits with poll for a key or the end of ctx; then no goroutine
// stays behind that would swallow the next line.
func newKeyboard(ctx context.Context, in *os.File) (*keyboard, error) {
	wake, waker, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	k := &keyboard{in: in, wake: wake, waker: waker, ctx: ctx.Err}
	k.stop = context.AfterFunc(ctx, func() { waker.Close() })
	return k, nil
}

func (k *keyboard) close() {
	k.stop()
	k.waker.Close()
	k.wake.Close()
}

// why is the reason for an error of the terminal.
func (k *keyboard) why(err error) error {
	switch {
	case k.ctx() != nil:
		return k.ctx()
	case k.interrupted:
		return ErrInterrupted
	}
	return err
}

// Read reads keys.
func (k *keyboard) Read(p []byte) (int, error) {
	for len(k.pending) == 0 {
		buf := make([]byte, 4096)
		n, err := k.readRaw(buf)
		if n > 0 {
			k.feed(buf[:n])
			continue
		}
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	n := copy(p, k.pending)
	k.pending = k.pending[n:]
	return n, nil
}

// readRaw waits for keys or the end of ctx.
func (k *keyboard) readRaw(buf []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(k.in.Fd()), Events: unix.POLLIN}, {Fd: int32(k.wake.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case fds[1].Revents != 0:
			return 0, context.Canceled
		}
		return k.in.Read(buf)
	}
}

// The marks of a terminal around what is pasted.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// feed takes bytes from the terminal apart.
func (k *keyboard) feed(data []byte) {
	data = append(k.held, data...)
	k.held = nil
	for len(data) > 0 {
		mark := pasteBegins
		if k.pasting {
			mark = pasteEnds
		}
		at := bytes.Index(data, []byte(mark))
		if at < 0 {
			keep := len(data) - partial(data, mark)
			k.take(data[:keep])
			k.held = bytes.Clone(data[keep:])
			return
		}
		k.take(data[:at])
		data = data[at+len(mark):]
		if k.pasting = !k.pasting; !k.pasting {
			k.endPaste()
		}
	}
}

// partial is how many bytes at the end of data may be the begin of a mark. A
// lone escape is a key.
func partial(data []byte, mark string) int {
	for n := min(len(data), len(mark)-1); n > 1; n-- {
		if bytes.HasSuffix(data, []byte(mark[:n])) {
			return n
		}
	}
	return 0
}

func (k *keyboard) take(data []byte) {
	if k.pasting {
		k.paste = append(k.paste, data...)
		return
	}
	k.interrupted = k.interrupted || bytes.IndexByte(data, 3) >= 0
	k.pending = append(k.pending, bytes.ReplaceAll(data, []byte{0}, nil)...)
}

// maxInline is how long, in bytes, a pasted text may be to be typed into the
// line; longer ones, and those of several lines, are shown as a note.
const maxInline = 200

// endPaste types what was pasted, or a note that stands for it.
func (k *keyboard) endPaste() {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(strings.ToValidUTF8(string(k.paste), "\uFFFD"))
	k.paste = nil
	text = strings.Trim(text, "\n")
	if len(text) <= maxInline && !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		k.pending = append(k.pending, text...)
		return
	}
	k.pastes = append(k.pastes, text)
	k.pending = append(k.pending, note(len(k.pastes), text)...)
}

func note(number int, text string) string {
	return fmt.Sprintf("[pasted text %d: %d lines]", number, strings.Count(text, "\n")+1)
}

// expand puts pasted texts in the place of their notes.
func (k *keyboard) expand(line string) string {
	for i, text := range k.pastes {
		line = strings.ReplaceAll(line, note(i+1, text), text)
	}
	return line
}
