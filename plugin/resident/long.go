package resident

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// LongText stands in an answer for a string that is too large for memory.
const LongText = "\u0000long"

const (
	// longFrom is the size in bytes from which a string goes to a file.
	longFrom = 64 << 10
	// beginning is how much of it is kept in memory besides.
	beginning = 1 << 20
)

// Long is a string that is too large for memory: its beginning and a file.
type Long struct {
	// Text is the beginning, or all of it if File is nil.
	Text string
	// File is the whole string. Whoever gets it closes it.
	File *tools.OutputFile
}

// shortener copies a line of JSON and moves its first long string to a file. The line may
// be cut anywhere.
type shortener struct {
	spool func() (process.Spool, error) // nil: the string is kept in memory
	short []byte                        // the line with LongText for the string
	from  int                           // where the present string begins in short; 0: there is none
	long  *unquoter                     // once there is a long string
	taken bool                          // the present string is the long one
	slash bool                          // after a backslash in a string
}

// shorten reads a line. The error is one of reading or writing, or that what is left is too
// large.
func shorten(r io.Reader, spool func() (process.Spool, error)) (short []byte, long *Long, err error) {
	s := &shortener{spool: spool}
	in := bufio.NewReaderSize(r, 64<<10)
	for err == nil {
		var b byte
		if b, err = in.ReadByte(); err == nil {
			err = s.add(b)
		}
		if err == nil && s.taken && !s.long.inside {
			err = s.run(in)
		}
	}
	if s.taken { // the line was cut within the string
		s.short = append(s.short, strictjson.Quote(LongText)[1:]...)
	}
	if s.long != nil {
		long = s.long.close()
		err = errors.Join(s.long.wrong, err)
	}
	if errors.Is(err, io.EOF) && (s.long == nil || s.long.wrong == nil) {
		err = nil
	}
	return s.short, long, err
}

// run takes what is in the buffer of the long string, up to its next escape or its end.
func (s *shortener) run(in *bufio.Reader) error {
	ahead, err := in.Peek(in.Buffered())
	if i := bytes.IndexAny(ahead, `"\`); i >= 0 {
		ahead = ahead[:i]
	}
	if err != nil || len(ahead) == 0 {
		return err
	}
	if err := s.long.plain(ahead); err != nil {
		return err
	}
	_, err = in.Discard(len(ahead))
	return err
}

// readLong reads a line that is in a file.
func readLong(path string, spool func() (process.Spool, error)) (short []byte, long *Long, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return shorten(f, spool)
}

// add takes the next byte.
func (s *shortener) add(b byte) error {
	ends := s.from > 0 && b == '"' && !s.slash
	s.slash = s.from > 0 && b == '\\' && !s.slash
	switch {
	case s.taken && ends:
		s.short = append(s.short, strictjson.Quote(LongText)[1:]...)
		s.from, s.taken = 0, false
		return nil
	case s.taken:
		return s.long.add(b)
	}
	s.short = append(s.short, b)
	switch {
	case ends:
		s.from = 0
	case s.from == 0 && b == '"':
		s.from = len(s.short)
	case s.from > 0 && s.long == nil && len(s.short)-s.from >= longFrom:
		return s.move()
	case len(s.short) > MaxAnswer:
		return fmt.Errorf("its answer is larger than %d MiB without its longest text", MaxAnswer>>20)
	}
	return nil
}

// move begins to move the present string to a file.
func (s *shortener) move() error {
	s.long, s.taken = &unquoter{}, true
	if s.spool != nil {
		file, err := s.spool()
		if err != nil {
			return err
		}
		s.long.file, s.long.out = file, bufio.NewWriterSize(file, 256<<10)
	}
	for _, b := range s.short[s.from:] {
		if err := s.long.add(b); err != nil {
			return err
		}
	}
	s.short = s.short[:s.from]
	return nil
}

// unquoter writes what stands in a string of JSON.
type unquoter struct {
	file  process.Spool
	out   *bufio.Writer
	head  []byte
	size  int64
	wrong error

	escape []byte // an escape that is not complete, without its backslash
	inside bool   // escape is being read
	high   rune   // the first half of a character in two escapes
}

// add takes the next byte between the quotes.
func (u *unquoter) add(b byte) error {
	switch {
	case !u.inside && b == '\\':
		u.inside, u.escape = true, u.escape[:0]
		return nil
	case !u.inside:
		u.lone()
		return u.put(b)
	}
	u.escape = append(u.escape, b)
	if u.escape[0] == 'u' && len(u.escape) < 5 {
		return nil
	}
	u.inside = false
	if u.escape[0] == 'u' {
		return u.unicode()
	}
	u.lone()
	return u.put(plainEscape(u.escape[0]))
}

func plainEscape(letter byte) byte {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return letter
}

// unicode takes an escape of four digits, which may be a half of a character.
func (u *unquoter) unicode() error {
	r := utf8.RuneError
	if n, err := strconv.ParseUint(string(u.escape[1:]), 16, 32); err == nil {
		r = rune(n)
	}
	if u.high != 0 {
		if whole := utf16.DecodeRune(u.high, r); whole != utf8.RuneError {
			u.high = 0
			return u.putRune(whole)
		}
		u.lone()
	}
	if utf16.IsSurrogate(r) && r < 0xDC00 {
		u.high = r
		return nil
	}
	return u.putRune(r)
}

// lone writes a half that no other half follows.
func (u *unquoter) lone() {
	if u.high != 0 {
		u.high = 0
		u.putRune(utf8.RuneError)
	}
}

func (u *unquoter) putRune(r rune) error { return u.write(utf8.AppendRune(nil, r)) }

// plain takes bytes between the quotes that have no escapes.
func (u *unquoter) plain(data []byte) error {
	u.lone()
	return u.write(data)
}

func (u *unquoter) put(b byte) error {
	if u.out == nil || len(u.head) < beginning {
		return u.write([]byte{b})
	}
	u.size++
	if u.wrong == nil {
		u.wrong = u.out.WriteByte(b)
	}
	return u.wrong
}

// write writes bytes. Without a file all of them stay in memory.
func (u *unquoter) write(data []byte) error {
	u.size += int64(len(data))
	if u.out == nil {
		u.head = append(u.head, data...)
	} else if room := beginning - len(u.head); room > 0 {
		u.head = append(u.head, data[:min(room, len(data))]...)
	}
	if u.out != nil && u.wrong == nil {
		_, u.wrong = u.out.Write(data)
	}
	return u.wrong
}

func (u *unquoter) close() *Long {
	u.lone()
	head, long := u.head, &Long{}
	if u.file != nil {
		head = head[:clip.Whole(head)]
		u.wrong = errors.Join(u.wrong, u.out.Flush(), u.file.Close())
		long.File = tools.NewOutputFile(u.file, u.size)
	}
	// As a reader of JSON does, Map replaces each invalid byte, ToValidUTF8 several by one.
	long.Text = strings.Map(func(r rune) rune { return r }, string(head))
	return long
}

// cut returns the long string of a line that was never completed, once its process has
// ended; nil if there is none.
func cut(p *process.Process, spool func() (process.Spool, error)) *Long {
	out, _ := p.Wait()
	file := tools.NewOutputFile(out.Spooled, out.Size)
	defer file.Close()
	if file == nil {
		_, long, _ := shorten(bytes.NewReader(out.Stdout), nil)
		return long
	}
	_, long, _ := readLong(file.Path(), spool) // what could be read is better than nothing
	return long
}

// discard removes the files of lines that nobody reads, once their process has ended: of
// those in the queue, and of one that was never completed.
func discard(p *process.Process) {
	out, _ := p.Wait()
	tools.NewOutputFile(out.Spooled, out.Size).Close()
	for {
		line, err := p.ReadLong(context.Background()) // it waits for nothing: the process has ended
		if err != nil {
			return
		}
		tools.NewOutputFile(line.Spooled, line.Size).Close()
	}
}
