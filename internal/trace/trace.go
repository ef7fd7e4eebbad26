// Package trace keeps what plugins and the agent did in files of JSON lines, and
// reads, explains and shows them.
//
// It promises that a file stays within its bound, that secrets given to the writer
// never reach a file, and that lines that cannot be read are counted and are not an
// error.
package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Turn is one prompt with everything that happened because of it.
type Turn struct {
	Run     string `json:"run"`
	Number  int    `json:"turn"`
	Context string `json:"context"`
	Lines   []Line `json:"lines"`
	// Bridged says that it is a turn of another agent, whose name is the name of the context: readers
	// of the trace know that.
	Bridged bool `json:"-"`
}

// Prompt returns the turn's prompt, "" if there was none.
func (t Turn) Prompt() string {
	for _, l := range t.Lines {
		if l.Step != nil && l.Step.Kind == agent.EventPrompt {
			return l.Step.Text
		}
	}
	return ""
}

// Begin returns when the turn began.
func (t Turn) Begin() time.Time {
	if len(t.Lines) == 0 {
		return time.Time{}
	}
	if l := t.Lines[0]; l.Record != nil {
		return l.Time
	}
	return t.Lines[0].At
}

// Previous returns the path to which a full file is moved.
func Previous(path string) string { return path + ".1" }

// ReadFile reads the turns of a file and of the previous one. bad counts the lines
// that are not of a trace. A missing file is an error.
func ReadFile(path string) (turns []Turn, bad int, err error) {
	var files []io.Reader
	for _, name := range []string{Previous(path), path} {
		f, err := disk.OpenRegular(name)
		if errors.Is(err, fs.ErrNotExist) && name != path {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		defer f.Close()
		files = append(files, f)
	}
	return Read(io.MultiReader(files...))
}

const maxLine = 4 << 20

// Read reads turns.
func Read(r io.Reader) (turns []Turn, bad int, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	for scanner.Scan() {
		var l Line
		if strictjson.Decode(scanner.Bytes(), &l) != nil || l.Run == "" || l.Step == nil && l.Record == nil {
			bad++
			continue
		}
		turns = add(turns, l)
	}
	if err := scanner.Err(); err != nil {
		return turns, bad, fmt.Errorf("reading the trace: %w", err)
	}
	return turns, bad, nil
}

// lookBack is how many turns of other runs may be between the lines of one turn: a
// run may end after the next one in the same context has begun.
const lookBack = 8

// add adds a line to its turn. What a run did before its first prompt belongs to
// the turn of that prompt.
func add(turns []Turn, l Line) []Turn {
	for i := len(turns) - 1; i >= max(0, len(turns)-lookBack); i-- {
		t := &turns[i]
		if t.Run == l.Run && (t.Number == l.Turn || t.Number == 0) {
			t.Number, t.Context = l.Turn, l.Context
			t.Lines = append(t.Lines, t.withPayload(l))
			return turns
		}
	}
	return append(turns, Turn{Run: l.Run, Number: l.Turn, Context: l.Context, Lines: []Line{Turn{}.withPayload(l)}})
}

// Dispatches groups the turn's records by their dispatch, in order.
func (t Turn) Dispatches() (list [][]Line) {
	place := map[int64]int{} // sub-agents that work at the same time mix their lines
	for _, l := range t.Lines {
		if l.Record == nil {
			continue
		}
		at, begun := place[l.Dispatch]
		if !begun {
			at = len(list)
			place[l.Dispatch], list = at, append(list, nil)
		}
		list[at] = append(list[at], l)
	}
	return list
}

// Over reports whether the turn has ended. A run without a prompt ends with what was loaded.
func (t Turn) Over() bool {
	prompted := false
	for _, l := range t.Lines {
		if l.Step == nil {
			continue
		}
		switch l.Step.Kind {
		case agent.EventPrompt:
			prompted = true
		case agent.EventAnswer, agent.EventError:
			return true
		case agent.EventLoaded:
			if !prompted {
				return true
			}
		}
	}
	return false
}

// Has reports whether the turn has a step of a kind.
func (t Turn) Has(kind agent.EventKind) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Step != nil && l.Step.Kind == kind })
}
