package config

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// statement is a KEY = VALUE of a TOML text that is known to be valid, with its
// place. The key is the whole one, that of its table included.
type statement struct {
	key               []string
	begin, value, end int // of the key and the value
	inline            bool
	children          []statement // of an inline table
	open, close       int         // an inline table's braces
}

// table is a [table] header.
type table struct {
	key        []string
	begin, end int // of the header
	isArray    bool
}

// scanner walks over a valid TOML text.
type scanner struct {
	data       []byte
	at         int
	current    []string // the table that keys belong to
	statements []statement
	tables     []table
}

// scan finds all statements and table headers of a valid text.
func scan(data []byte) *scanner {
	s := &scanner{data: data}
	s.at = len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	for s.skipToStatement(); s.at < len(data); s.skipToStatement() {
		begin := s.at
		if data[s.at] == '[' {
			s.header()
		} else {
			s.statements = append(s.statements, s.statement(s.current))
		}
		if s.at == begin { // not valid after all; do not run in circles
			break
		}
	}
	return s
}

// skipToStatement passes white space, line ends and comments.
func (s *scanner) skipToStatement() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '#':
			s.skipLine()
		default:
			return
		}
	}
}

func (s *scanner) skipLine() {
	if i := bytes.IndexByte(s.data[s.at:], '\n'); i >= 0 {
		s.at += i
	} else {
		s.at = len(s.data)
	}
}

func (s *scanner) skipBlanks() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\t') {
		s.at++
	}
}

// header reads a [table] or [[table]].
func (s *scanner) header() {
	t := table{begin: s.at, isArray: bytes.HasPrefix(s.data[s.at:], []byte("[["))}
	for s.at < len(s.data) && s.data[s.at] == '[' {
		s.at++
	}
	t.key = s.key()
	for s.at < len(s.data) && s.data[s.at] == ']' {
		s.at++
	}
	t.end = s.at
	s.current = t.key
	s.tables = append(s.tables, t)
}

// key reads a dotted key.
func (s *scanner) key() (parts []string) {
	for {
		s.skipBlanks()
		begin := s.at
		if s.at < len(s.data) && (s.data[s.at] == '"' || s.data[s.at] == '\'') {
			s.quoted()
			text := string(s.data[begin:s.at])
			plain := strings.Trim(text, "'")
			if text[0] == '"' {
				plain, _ = strconv.Unquote(text)
			}
			parts = append(parts, plain)
		} else {
			for s.at < len(s.data) && bytes.IndexByte([]byte(" \t.=]\n\r"), s.data[s.at]) < 0 {
				s.at++
			}
			parts = append(parts, string(s.data[begin:s.at]))
		}
		s.skipBlanks()
		if s.at >= len(s.data) || s.data[s.at] != '.' {
			return parts
		}
		s.at++
	}
}

// statement reads KEY = VALUE.
func (s *scanner) statement(within []string) statement {
	st := statement{begin: s.at}
	st.key = append(slices.Clone(within), s.key()...)
	if s.at < len(s.data) && s.data[s.at] == '=' {
		s.at++
	}
	s.skipBlanks()
	st.value = s.at
	if s.at < len(s.data) && s.data[s.at] == '{' {
		s.inlineTable(&st)
	} else {
		s.skipValue()
	}
	st.end = s.at
	return st
}

// inlineTable reads { KEY = VALUE, ... }.
func (s *scanner) inlineTable(st *statement) {
	st.inline, st.open = true, s.at
	s.at++
	for {
		s.skipToStatement()
		if s.at >= len(s.data) {
			return
		}
		switch s.data[s.at] {
		case '}':
			st.close = s.at
			s.at++
			return
		case ',':
			s.at++
		default:
			begin := s.at
			st.children = append(st.children, s.statement(st.key))
			if s.at == begin {
				s.at = len(s.data)
			}
		}
	}
}

// skipValue passes a value of any other kind.
func (s *scanner) skipValue() {
	depth := 0
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '"', '\'':
			s.quoted()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 { // the end of an array or inline table around it
				s.trimBlanks()
				return
			}
			depth--
			if depth == 0 {
				s.at++
				return
			}
		case '#', '\n', '\r':
			if depth == 0 {
				s.trimBlanks()
				return
			}
			if c == '#' {
				s.skipLine()
				continue
			}
		case ',':
			if depth == 0 {
				s.trimBlanks()
				return
			}
		}
		s.at++
	}
	s.trimBlanks()
}

// trimBlanks goes back over blanks before a comment, a comma or a line end.
func (s *scanner) trimBlanks() {
	for s.at > 0 && (s.data[s.at-1] == ' ' || s.data[s.at-1] == '\t') {
		s.at--
	}
}

// quoted passes a string of any kind.
func (s *scanner) quoted() {
	mark := s.data[s.at : s.at+1]
	if triple := bytes.Repeat(mark, 3); bytes.HasPrefix(s.data[s.at:], triple) {
		mark = triple
	}
	s.at += len(mark)
	for s.at < len(s.data) {
		if s.data[s.at] == '\\' && mark[0] == '"' {
			s.at += 2
			continue
		}
		if bytes.HasPrefix(s.data[s.at:], mark) {
			s.at += len(mark)
			for len(mark) == 3 && s.at < len(s.data) && s.data[s.at] == mark[0] {
				s.at++ // quotes before the closing three belong to the text
			}
			return
		}
		s.at++
	}
	s.at = min(s.at, len(s.data))
}
