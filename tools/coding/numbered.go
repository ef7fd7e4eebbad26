package coding

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/clip"
)

// The bounds of what is read for the model.
const (
	// maxLine is how much is shown of a line, in bytes.
	maxLine = 2000
	// maxShown is how much read_file returns, in bytes; it ends with a whole line.
	maxShown = 1 << 20
	// maxTime is how long a call reads.
	maxTime = 20 * time.Second
	// binaryPrefix is the beginning of a file where a NUL byte makes it a binary file.
	binaryPrefix = 8 << 10
)

// isBinary reports whether a file that begins like this is not text.
func isBinary(beginning []byte) bool { return bytes.IndexByte(beginning, 0) >= 0 }

// errTime means that maxTime was not enough.
var errTime = errors.New("it takes too long")

// read returns the lines with their numbers, and remarks about them.
func (r reading) read(ctx context.Context, content io.Reader) (string, error) {
	in := lineReader{in: bufio.NewReaderSize(content, 256<<10), until: time.Now().Add(maxTime)}
	for in.count < r.offset-1 {
		_, err := in.next(ctx)
		if err == io.EOF {
			return "", fmt.Errorf("offset %d is past the end of %s, which has %s", r.offset, r.place.named, lines(in.count))
		}
		if errors.Is(err, errTime) {
			return "", fmt.Errorf("line %d of %s was not reached in %v: that passed %s", r.offset, r.place.named, maxTime,
				lines(in.count))
		}
		if err != nil {
			return "", r.place.explain("read", err)
		}
	}
	var out shown
	var err error
	for out.lines < r.limit && out.text.Len() < maxShown && err == nil {
		var l line
		if l, err = in.next(ctx); err == nil {
			out.add(in.count, l)
		}
	}
	switch {
	case errors.Is(err, errTime):
		out.say("reading stopped after %v; continue with offset %d", maxTime, in.count+1)
	case err != nil && err != io.EOF:
		return "", r.place.explain("read", err)
	case in.count == 0:
		out.say("%s is empty", r.place.named)
	case out.lines == 0:
		return "", fmt.Errorf("offset %d is past the end of %s, which has %s", r.offset, r.place.named, lines(in.count))
	case err == nil && in.hasMore():
		out.say("there are more lines; continue with offset %d", in.count+1)
	case r.offset > 1:
		out.say("the file ends here; it has %s", lines(in.count))
	}
	return out.String(), nil
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// lineReader reads lines of any length in bounded memory and time.
type lineReader struct {
	in    *bufio.Reader
	until time.Time
	count int // the lines that were read
	kept  []byte
}

// line is one line, without its end.
type line struct {
	text    []byte // at most maxLine bytes; until the next line is read
	left    int    // how many bytes there are behind that
	hasCR   bool   // it ends with CR LF
	hasNoLF bool   // it is the last one, and ends without a newline
}

// next reads a line; io.EOF: there is none.
func (r *lineReader) next(ctx context.Context) (line, error) {
	r.kept = r.kept[:0]
	length := 0
	for {
		part, err := r.in.ReadSlice('\n')
		length += len(part)
		r.kept = append(r.kept, part[:min(len(part), maxLine+len("\r\n")-len(r.kept))]...)
		switch {
		case err == bufio.ErrBufferFull || err == nil && r.count%1024 == 0:
			if late := r.isLate(ctx); late != nil {
				return line{}, late
			}
			if err != nil {
				continue
			}
		case err != nil && (err != io.EOF || length == 0):
			return line{}, err
		}
		r.count++
		return r.line(length, part), nil
	}
}

func (r *lineReader) isLate(ctx context.Context) error {
	if time.Now().After(r.until) {
		return errTime
	}
	return ctx.Err()
}

// line makes a line of what was kept of it, its length and the last part of it.
func (r *lineReader) line(length int, last []byte) line {
	l := line{hasNoLF: !bytes.HasSuffix(last, []byte("\n")), hasCR: bytes.HasSuffix(last, []byte(crlf))}
	switch {
	case l.hasCR:
		length -= len(crlf)
	case !l.hasNoLF:
		length--
	}
	l.text = r.kept[:min(length, len(r.kept))]
	if length > maxLine {
		l.text = l.text[:clip.Whole(l.text[:maxLine])]
		l.left = length - len(l.text)
	}
	return l
}

func (r *lineReader) hasMore() bool {
	_, err := r.in.Peek(1)
	return err == nil
}

type shown struct {
	text           strings.Builder
	lines          int
	crs, damaged   int // lines with CR LF, and bytes that are no text
	endsWithoutEnd bool
	said           []string
}

func (s *shown) add(number int, l line) {
	s.lines++
	fmt.Fprintf(&s.text, "%6d\t", number)
	text := l.text
	if number == 1 {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	s.damaged += writeText(&s.text, text)
	if l.left > 0 {
		fmt.Fprintf(&s.text, " [%d more bytes in this line]", l.left)
	}
	s.text.WriteByte('\n')
	if l.hasCR {
		s.crs++
	}
	s.endsWithoutEnd = l.hasNoLF
}

// byteOrderMark may begin a text file.
const byteOrderMark = "\ufeff"

// writeText writes valid UTF-8 without NUL characters, and returns how many bytes were
// replaced for that.
func writeText(out *strings.Builder, text []byte) (replaced int) {
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		out.Write(text)
		return 0
	}
	for len(text) > 0 {
		char, size := utf8.DecodeRune(text)
		if char == 0 || char == utf8.RuneError && size == 1 {
			char = utf8.RuneError
			replaced++
		}
		out.WriteRune(char)
		text = text[size:]
	}
	return replaced
}

func (s *shown) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

// String returns the lines, and behind them the remarks.
func (s *shown) String() string {
	if s.crs > 0 {
		s.say("%d of these lines end with CR LF, which file_edit keeps", s.crs)
	}
	if s.endsWithoutEnd {
		s.say("the last line has no newline at its end")
	}
	if s.damaged > 0 {
		s.say("%d bytes that are not UTF-8 text, or NUL, are shown as U+FFFD", s.damaged)
	}
	for _, remark := range s.said {
		fmt.Fprintf(&s.text, "[%s]\n", remark)
	}
	return s.text.String()
}
