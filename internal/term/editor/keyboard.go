package editor

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/chibi-host/chibi/internal/term/typing"
)

type keyboard struct {
	*typed
	in  *typing.Reader
	ctx func() error
}

func newKeyboard(ctx context.Context, in *os.File, before *typed) (*keyboard, error) {
	reader, err := typing.NewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	return &keyboard{before, reader, ctx.Err}, nil
}

func (k *keyboard) why(err error) error {
	switch {
	case k.ctx() != nil:
		return k.ctx()
	case k.interrupted:
		return ErrInterrupted
	}
	return err
}

// Read reads keys, at most to the end of a line: what was typed after it is for the next
// prompt.
func (k *keyboard) Read(p []byte) (int, error) {
	for len(k.pending) == 0 {
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		if n > 0 {
			k.feed(buf[:n])
			continue
		}
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	line := k.pending
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	k.pending = k.pending[n:]
	return n, nil
}
