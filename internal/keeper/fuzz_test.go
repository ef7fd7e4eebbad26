package keeper

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzFrames: what comes from a socket is read in bounded memory, and what was read is what
// is written.
func FuzzFrames(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, frameInput, []byte("{}\n")), frameRelease, make([]byte, 8)))
	f.Add([]byte("O\xff\xff\xff\xff"))
	f.Add([]byte("X\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		in, buf, written := bufio.NewReader(bytes.NewReader(data)), make([]byte, maxFrame), []byte(nil)
		for {
			kind, frame, err := readFrame(in, buf)
			if err != nil {
				break
			}
			written = appendFrame(written, kind, frame)
			if kind == frameExit {
				readExit(frame)
			}
		}
		if !bytes.HasPrefix(data, written) {
			t.Errorf("%q was read as %q", data, written)
		}
	})
}

// FuzzLines: so are the lines before frames.
func FuzzLines(f *testing.F) {
	f.Add(`{"chibi_keeper":1,"op":"lend","program":{"dev":1},"process":{"key":{"path":"/p"},"env":"QQ=="}}` + "\n")
	f.Add(`{"chibi_keeper":1,"status":{"pid":7,"processes":[{"plugin":"p"}]}}` + "\n")
	f.Add(strings.Repeat("[", 2000) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		q, err := readRequest(bufio.NewReader(strings.NewReader(text)))
		if err == nil && q.Process != nil && q.Process.keep() < 0 {
			t.Errorf("it would be kept for %v", q.Process.keep())
		}
		if r, err := readReply(bufio.NewReader(strings.NewReader(text)), maxReply); err == nil && r.Version != version {
			t.Errorf("version %d was taken", r.Version)
		}
	})
}
