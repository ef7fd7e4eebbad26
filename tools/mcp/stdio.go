package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxMessage bounds a message of a server, in bytes. Reading one takes up to five times
	// that in memory.
	maxMessage = 8 << 20
	// maxNoise is how many lines a server may write that are not messages.
	maxNoise = 1000
	// closingTime is how long a server may take to end after its standard input was closed.
	closingTime = 500 * time.Millisecond
)

// stdio is a connection to a server that is a process: each line is a message.
type stdio struct {
	peer process.Lines
	end  func()
	// noise is called with the first line that is not a message.
	noise func(line string)

	skipped int               // that were no messages
	queue   []json.RawMessage // the rest of a batch
}

// Read returns the next message. It skips other lines: many servers, and the programs that start
// them, print a greeting.
func (c *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		text, err := c.next(ctx)
		if err != nil {
			return nil, err
		}
		if m, err := jsonrpc.DecodeMessage(text); err == nil {
			return m, nil
		}
		if err := c.skip(text); err != nil {
			return nil, err
		}
	}
}

// next returns the text of the next message: a line, or a part of a batch, which versions of
// the protocol before 2025-06-18 have.
func (c *stdio) next(ctx context.Context) ([]byte, error) {
	for len(c.queue) == 0 {
		line, err := c.peer.ReadLine(ctx)
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == '{':
			if err := strictjson.Check(line); err != nil {
				return nil, fmt.Errorf("it sent a message that cannot be read: %w", err)
			}
			return line, nil
		case line[0] == '[' && strictjson.Decode(line, &c.queue) == nil:
		default:
			return line, nil
		}
	}
	text := c.queue[0]
	c.queue = c.queue[1:]
	return text, nil
}

// skip counts a line that is not a message.
func (c *stdio) skip(line []byte) error {
	c.skipped++
	if c.skipped == 1 {
		c.noise(clip.Text(string(bytes.ToValidUTF8(line, []byte("?"))), 100))
	}
	if c.skipped > maxNoise {
		return fmt.Errorf("more than %d lines that it wrote to standard output are not messages", maxNoise)
	}
	return nil
}

func (c *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	_, err = c.peer.WriteLine(ctx, text)
	return err
}

// Close ends the process.
func (c *stdio) Close() error {
	c.end()
	return nil
}

// SessionID returns "": only HTTP has sessions.
func (c *stdio) SessionID() string { return "" }
