package cache

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Search is what [Reader.Grep] searches for.
type Search struct {
	// Pattern is matched against each line.
	Pattern *regexp.Regexp
	// Before and After are the numbers of lines of context.
	Before, After int
	// MaxBytes bounds the result.
	MaxBytes int
}

// Found is the result of a search.
type Found struct {
	// Text is the lines with their numbers: ">N:text" for matches, " N:text"
	// for context, "--" between groups.
	Text string
	// Matches counts the lines that match in Text.
	Matches int
	// StoppedAt is the line at which the bound was reached or the search was
	// cancelled; 0: the whole text was searched.
	StoppedAt int
}

// maxGrepLine bounds, in bytes, the part of a line that is matched and shown.
const maxGrepLine = 64 << 10

// Grep searches line by line in bounded memory. When ctx ends, the matches so far
// are returned.
func (t *Reader) Grep(ctx context.Context, s Search) (Found, error) {
	g := grep{search: s}
	r := newLineReader(t.Content(), maxGrepLine)
	for n := 1; ; n++ {
		line, cut, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return g.found, err
		}
		if n%1024 == 0 && ctx.Err() != nil || !g.line(n, line, cut) {
			g.found.StoppedAt = n
			break
		}
	}
	g.found.Text = strings.TrimSuffix(g.out.String(), "\n")
	return g.found, nil
}

// grep collects the lines to show. pending are the preceding lines that may become
// context; shown is the last line that was shown.
type grep struct {
	search  Search
	found   Found
	out     strings.Builder
	pending []string
	shown   int
	after   int // lines of context that are still to be shown
}

// line processes one line; false: the bound was reached.
func (g *grep) line(n int, data []byte, cut bool) bool {
	isMatch := g.search.Pattern.Match(data)
	if !isMatch && g.after == 0 && g.search.Before == 0 {
		return true // most lines
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if cut {
		text += " [cut]"
	}
	switch {
	case isMatch:
		return g.match(n, text)
	case g.after > 0:
		g.after--
		return g.put(n, " ", text)
	}
	g.pending = append(g.pending, text)
	if len(g.pending) > g.search.Before {
		g.pending = g.pending[1:]
	}
	return true
}

func (g *grep) match(n int, text string) bool {
	first := n - len(g.pending)
	if g.shown > 0 && first > g.shown+1 {
		g.out.WriteString("--\n")
	}
	for i, before := range g.pending {
		if !g.put(first+i, " ", before) {
			return false
		}
	}
	g.pending, g.after = nil, g.search.After
	if !g.put(n, ">", text) {
		return false
	}
	g.found.Matches++
	return true
}

func (g *grep) put(n int, mark, text string) bool {
	row := fmt.Sprintf("%s%d:%s\n", mark, n, text)
	if g.out.Len() > 0 && g.out.Len()+len(row) > g.search.MaxBytes {
		return false
	}
	g.out.WriteString(row)
	g.shown = n
	return true
}
