// Package gitconfig reads git's files of settings, knows which settings make git run a program or
// take settings from another file, and puts such settings back as they were while others stay.
//
// It promises that it reads a file as git does, follows nothing that a file includes, and uses no
// part of a file that it cannot read to the end: [Parse] then returns an error.
package gitconfig

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// MaxFile bounds a file, in bytes. Git's own are a thousandth of that.
const MaxFile = 1 << 20

const maxSettings = 20_000

// Setting is one line of a file: a name and a value.
type Setting struct {
	// Name is "section.key" or "section.subsection.key", in lower case but for the subsection.
	Name string
	// Value is the value, "true" for a name alone.
	Value string

	start, end int // its bytes, without the end of the line
}

// Parse returns the settings of a file, in order.
func Parse(data []byte) ([]Setting, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("it has more than %d bytes", MaxFile)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("it has a NUL character")
	}
	p := &parser{data: data}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		p.at = len("\ufeff")
	}
	for p.at < len(data) {
		if err := p.item(); err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(p.at, len(data))], []byte("\n")), err)
		}
	}
	return p.list, nil
}

// parser reads a file. The end of a line is \n or \r\n, the end of the file is one too.
type parser struct {
	data    []byte
	at      int
	section string
	list    []Setting
}

func (p *parser) next() byte {
	if p.at >= len(p.data) {
		p.at = len(p.data) + 1
		return '\n'
	}
	c := p.data[p.at]
	p.at++
	if c == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
		p.at++
		return '\n'
	}
	return c
}

// item reads what is not a blank: a comment, the head of a section, or a setting.
func (p *parser) item() error {
	start := p.at
	switch c := p.next(); {
	case isBlank(c):
	case c == '#' || c == ';':
		for p.next() != '\n' {
		}
	case c == '[':
		return p.head()
	case isLetter(c):
		return p.setting(start, c)
	default:
		return fmt.Errorf("%q begins neither a section nor a setting", c)
	}
	return nil
}

// head reads the head of a section behind its bracket.
func (p *parser) head() error {
	var name strings.Builder
	for {
		switch c := p.next(); {
		case c == ']':
			p.section = name.String()
			return nil
		case isBlank(c):
			return p.subsection(c, name.String())
		case isKey(c) || c == '.':
			name.WriteByte(lower(c))
		default:
			return fmt.Errorf("%q in the name of a section", c)
		}
	}
}

// subsection reads a subsection in quotes, behind a blank.
func (p *parser) subsection(c byte, section string) error {
	for isBlank(c) && c != '\n' {
		c = p.next()
	}
	if c != '"' {
		return errors.New("want a subsection in quotes")
	}
	name := []byte(section + ".")
	for {
		switch c = p.next(); c {
		case '"':
			if p.next() != ']' {
				return errors.New("want ] behind a subsection")
			}
			p.section = string(name)
			return nil
		case '\\':
			c = p.next()
		}
		if c == '\n' {
			return errors.New("a subsection does not end")
		}
		name = append(name, c)
	}
}

// setting reads a setting whose first letter is read.
func (p *parser) setting(start int, c byte) (err error) {
	var key strings.Builder
	for ; isKey(c); c = p.next() {
		key.WriteByte(lower(c))
	}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	s := Setting{Name: strings.TrimPrefix(p.section+"."+key.String(), "."), Value: "true", start: start}
	switch {
	case len(p.list) == maxSettings:
		return fmt.Errorf("more than %d settings", maxSettings)
	case c == '=':
		s.Value, err = p.value()
	case c != '\n':
		err = fmt.Errorf("%q behind the name of a setting", c)
	}
	s.end = min(p.at-1, len(p.data))
	if s.end > start && s.end < len(p.data) && p.data[s.end-1] == '\r' {
		s.end--
	}
	p.list = append(p.list, s)
	return err
}

// value reads a value to the end of its line, which is continued behind a backslash.
func (p *parser) value() (string, error) {
	var value []byte
	quoted, comment, kept := false, false, 0 // kept: without blanks at the end
	for {
		c := p.next()
		switch {
		case c == '\n' && quoted:
			return "", errors.New("a quote does not end")
		case c == '\n':
			return string(value[:kept]), nil
		case comment:
		case isBlank(c) && !quoted:
			if len(value) > 0 {
				value = append(value, c)
			}
		case (c == '#' || c == ';') && !quoted:
			comment = true
		case c == '"':
			quoted = !quoted
			kept = len(value)
		case c == '\\':
			if c = p.next(); c == '\n' {
				kept = len(value)
				continue
			}
			at := strings.IndexByte(`tbn"\`, c)
			if at < 0 {
				return "", fmt.Errorf(`\%c in a value`, c)
			}
			c = "\t\b\n\"\\"[at]
			fallthrough
		default:
			value = append(value, c)
			kept = len(value)
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }

func isKey(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
