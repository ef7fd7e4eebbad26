package hooks

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
)

// maxEnvFile bounds a file with variables, in bytes.
const maxEnvFile = 64 << 10

// envFile makes the file in which a hook leaves variables, at events at which the agent gives hooks one. It returns
// a function that reads the file afterwards.
func envFile(h *hook, m engine.Moment) (read func() (notes []string), err error) {
	isTold := slices.ContainsFunc(h.dialect.Environment, func(v engine.Variable) bool {
		return v.Value == engine.EnvFile && slices.Contains(v.Events, h.event.Name)
	})
	leave := h.opts.Leaves
	if !isTold || leave.Dir == nil {
		return func() []string { return nil }, nil
	}
	dir, err := leave.Dir()
	if err != nil {
		return nil, fmt.Errorf("making a file for variables: %w", err)
	}
	path := filepath.Join(dir, strings.ReplaceAll(h.opts.Name, ":", "-")+".sh")
	if err := disk.WriteFile(path, nil, 0o600); err != nil {
		return nil, fmt.Errorf("making a file for variables: %w", err)
	}
	m.Set(engine.EnvFile, path)
	return func() []string {
		text, err := readEnvFile(path)
		variables, notes := exported(text, h.getenv)
		if err != nil {
			notes = append(notes, fmt.Sprintf("chibi does not use its variables: %v", err))
		}
		leave.Add(variables)
		return append(notes, h.opts.Memory.leave(variables)...)
	}, nil
}

// getenv looks up a variable that commands have.
func (h *hook) getenv(name string) string {
	if value, isLeft := h.opts.Memory.read().Left[name]; isLeft {
		return value
	}
	return h.opts.Leaves.Getenv(name)
}

// readEnvFile reads a file with variables.
func readEnvFile(path string) (string, error) {
	file, err := disk.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEnvFile+1))
	if err == nil && len(text) > maxEnvFile {
		return "", fmt.Errorf("%s has more than %d bytes", path, maxEnvFile)
	}
	return string(text), err
}

// exported returns the variables of lines "export NAME=VALUE", as a shell reads them. notes name the other lines.
func exported(text string, getenv func(string) string) (variables map[string]string, notes []string) {
	variables = map[string]string{}
	look := func(name string) string {
		if value, set := variables[name]; set {
			return value
		}
		return getenv(name)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest, isExport := strings.CutPrefix(line, "export ")
		words, err := envWords(rest, look)
		if !isExport || err != nil || !areAssignments(words) {
			notes = append(notes, fmt.Sprintf("%.80q in its file for variables has no effect: only export NAME=VALUE has", line))
			continue
		}
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			variables[name] = value
		}
	}
	return variables, notes
}

func areAssignments(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		name, _, assigns := strings.Cut(word, "=")
		return !assigns || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) })
	})
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// envWords splits a line into words as a shell does, with variables replaced.
func envWords(line string, look func(string) string) (words []string, err error) {
	r := wordReader{look: look}
	for line != "" && err == nil {
		line, err = r.next(line)
	}
	if err == nil && r.quote != 0 {
		err = errors.New("a quote is not closed")
	}
	return r.end(), err
}

// wordReader reads the words of a line.
type wordReader struct {
	look   func(string) string
	words  []string
	word   strings.Builder
	inWord bool
	quote  byte
}

// next reads the next character, or the variable after a "$", and returns the rest.
func (r *wordReader) next(line string) (rest string, err error) {
	c, rest := line[0], line[1:]
	switch {
	case r.quote != 0 && c == r.quote:
		r.quote = 0
	case r.quote == '\'':
		r.word.WriteByte(c)
	case c == '\\' && rest != "":
		r.word.WriteByte(rest[0])
		rest, r.inWord = rest[1:], true
	case c == '$':
		r.inWord = true
		return r.variable(rest)
	case c == '`' || r.quote == 0 && strings.IndexByte(";&|<>()", c) >= 0:
		return "", fmt.Errorf("%q is not read", c)
	case r.quote != 0:
		r.word.WriteByte(c)
	case c == '"' || c == '\'':
		r.quote, r.inWord = c, true
	case c == ' ' || c == '\t':
		r.end()
	default:
		r.word.WriteByte(c)
		r.inWord = true
	}
	return rest, nil
}

// variable replaces a variable behind "$".
func (r *wordReader) variable(text string) (rest string, err error) {
	text, braced := strings.CutPrefix(text, "{")
	end := strings.IndexFunc(text, func(c rune) bool { return !isNameRune(c) })
	if end < 0 {
		end = len(text)
	}
	name, rest := text[:end], text[end:]
	if braced {
		var closed bool
		if rest, closed = strings.CutPrefix(rest, "}"); !closed {
			return "", errors.New("only a name can be in ${}")
		}
	}
	if name == "" {
		return "", errors.New("there is no name behind $")
	}
	r.word.WriteString(r.look(name))
	return rest, nil
}

// end ends a word and returns all.
func (r *wordReader) end() []string {
	if r.inWord {
		r.words = append(r.words, r.word.String())
	}
	r.word.Reset()
	r.inWord = false
	return r.words
}
