package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/dustin/go-humanize"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds a message of a client, in bytes.
const maxMessage = 16 << 20

// Lines serves one client that writes messages as lines to in and reads them from out, until
// it closes one of the two, which ends its calls, or until ctx ends. Afterwards the server is
// closed; a read from in may not be over.
func (s *Server) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.Close()
	ctx, leave, err := s.life.join(ctx)
	if err != nil {
		return err
	}
	defer leave()
	defer context.AfterFunc(ctx, s.life.end)() // without which the library would wait for calls
	answers, requests := &lockedWriter{to: out}, &ids{}
	messages := &filter{in: bufio.NewReaderSize(in, 64<<10), answers: answers, ids: requests}
	err = s.mcp.Run(ctx, &sdk.IOTransport{Reader: messages, Writer: &answerer{answers, requests},
		MaxLineLength: 2 * maxMessage})
	// A client that leaves while the server tells it something is found by that, before the end of in.
	for _, end := range []error{context.Canceled, io.EOF, syscall.EPIPE, io.ErrClosedPipe} {
		if errors.Is(err, end) {
			return nil
		}
	}
	return err
}

// lockedWriter writes whole messages of several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(message []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(message)
}

// Close does nothing: the streams are the program's.
func (w *lockedWriter) Close() error { return nil }

// answerer writes the messages of the library, with the client's ids. Each Write has one.
type answerer struct {
	*lockedWriter
	ids *ids
}

func (a *answerer) Write(message []byte) (int, error) {
	given, err := a.ids.given(message)
	if err != nil {
		return len(message), err
	}
	_, err = a.lockedWriter.Write(given)
	return len(message), err
}

// filter passes the messages of a client on, and answers lines that are not messages. It is needed
// because one such line would end the connection.
type filter struct {
	in      *bufio.Reader
	answers io.Writer
	ids     *ids
	rest    []byte // of a message that was not read as a whole
}

// Read returns a part of the next message.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		members, wrong := check(line)
		if wrong != nil {
			if err := f.refuse(wrong); err != nil {
				return 0, err
			}
			continue
		}
		if line, err = f.ids.taken(line, members); err != nil {
			return 0, err
		}
		f.rest = append(bytes.TrimRight(line, "\r\n"), '\n')
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Close does nothing: the streams are the program's.
func (f *filter) Close() error { return nil }

// line reads a line. Of one that is too long nothing is kept; it is answered. A line that the
// client has not finished does not count.
func (f *filter) line() (line []byte, err error) {
	tooLong := false
	for {
		part, err := f.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if tooLong = tooLong || len(line)+len(part) > maxMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err != nil:
		case !tooLong:
			return line, nil
		default:
			wrong := &wrongMessage{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(
				"the message is larger than %s", humanize.IBytes(maxMessage))}
			return nil, f.refuse(wrong)
		}
	}
}

// wrongMessage is the error with which a line is answered.
type wrongMessage struct {
	id      json.RawMessage // null if the line has none
	Code    int             `json:"code"`
	Message string          `json:"message"`
}

// refuse answers a line that is not a message.
func (f *filter) refuse(wrong *wrongMessage) error {
	if wrong.id == nil {
		wrong.id = json.RawMessage("null")
	}
	answer, err := strictjson.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *wrongMessage   `json:"error"`
	}{"2.0", wrong.id, wrong})
	if err != nil {
		return err
	}
	_, err = f.answers.Write(append(answer, '\n'))
	return err
}

// check returns the members of a message, or what is wrong with another line.
func check(line []byte) (members map[string]json.RawMessage, wrong *wrongMessage) {
	if err := strictjson.Check(line); err != nil {
		return nil, &wrongMessage{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf(
			"this line is not JSON, so it was not read: %v; write each message as one line of JSON", err)}
	}
	if strictjson.Decode(line, &members) != nil {
		return nil, &wrongMessage{Code: jsonrpc.CodeInvalidRequest,
			Message: "a message is one JSON object; the protocol has no lists of messages since 2025-06-18"}
	}
	id, hasID := members["id"]
	if hasID && string(id) == "null" {
		return nil, &wrongMessage{Code: jsonrpc.CodeInvalidRequest,
			Message: "the id of a request is a string or a number; a notification has none"}
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err == nil && message != nil {
		return members, nil
	}
	wrong = &wrongMessage{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("this is not a message of JSON-RPC "+
		"2.0: %v",
		err)}
	if len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9') {
		wrong.id = id
	}
	return nil, wrong
}
