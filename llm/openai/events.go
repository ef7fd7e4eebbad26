package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLongEvent means that an event is longer than the bound.
var errLongEvent = errors.New("an event is too long")

// events reads server-sent events in linear time and memory, however the input is split.
// Lines end with LF, CR or CR LF.
type events struct {
	in *bufio.Reader
	// most bounds the bytes of an event.
	most int

	line, data []byte
	afterCR    bool
}

// next returns the data of the next event that has data. It ignores an event that is cut
// off inside a line. The data is valid until the next call.
func (e *events) next() (data []byte, err error) {
	e.data = e.data[:0]
	hasData := false
	for {
		if err := e.readLine(); err != nil {
			if err == io.EOF && hasData {
				err = nil
			}
			return e.data, err
		}
		if len(e.line) == 0 && hasData {
			return e.data, nil
		}
		name, value, _ := bytes.Cut(e.line, []byte(":"))
		if string(name) != "data" {
			continue // comments and other fields
		}
		if hasData {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(value, []byte(" "))...)
		hasData = true
		if len(e.data) > e.most {
			return nil, errLongEvent
		}
	}
}

func (e *events) readLine() error {
	e.line = e.line[:0]
	for {
		b, err := e.in.ReadByte()
		if err != nil {
			return err
		}
		wasCR := e.afterCR
		e.afterCR = b == '\r'
		switch {
		case b == '\n' && wasCR:
			continue // the LF of CR LF
		case b == '\n', b == '\r':
			return nil
		case len(e.line) >= e.most:
			return errLongEvent
		}
		e.line = append(e.line, b)
	}
}
