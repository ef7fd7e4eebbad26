package chat

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize"
	"github.com/tidwall/gjson"
)

// How many rows of an output are shown: of a call that succeeded, of one that failed, and of
// any with -v.
const (
	shownRows        = 5
	shownRowsFailed  = 15
	shownRowsVerbose = 200
)

// maxRow bounds the part of a row, in bytes, that is looked at.
const maxRow = 4 << 10

// callText describes a call that begins: by its arguments, or by the file that it changes.
func callText(c agent.CallEvent, arguments func(json.RawMessage) string) string {
	path := gjson.GetBytes(c.Arguments, "path").Str
	if c.Change == nil || path == "" {
		return arguments(c.Arguments)
	}
	text := term.Name(filepath.ToSlash(path))
	if c.Change.Added > 0 {
		text += fmt.Sprintf(" +%d", c.Change.Added)
	}
	if c.Change.Removed > 0 {
		text += fmt.Sprintf(" -%d", c.Change.Removed)
	}
	return text
}

// showOutput shows the beginning of what a tool wrote, and its result. Of a sub-agent's calls,
// those that failed are shown, as a line.
func showOutput(out *output.Printer, event agent.Event) {
	c := *event.Call
	result := resultOf(c)
	if event.Agent != "" {
		if c.Failure != "" {
			showRows(out, []string{event.Agent + ": tool " + term.Name(c.Tool) + ": " + result})
		}
		return
	}
	most := shownRows
	switch {
	case out.Verbose:
		most = shownRowsVerbose
	case c.Failure != "":
		most = shownRowsFailed
	}
	showRows(out, append(rowsOf(c, most), "  "+result))
}

func showRows(out *output.Printer, rows []string) {
	switch {
	case !out.Verbose && !out.Messages:
		out.Screen.Rows(rows)
	case out.Verbose:
		for _, row := range rows {
			out.Line(row)
		}
	}
}

// rowsOf returns at most so many rows of an output, and how many more there are.
func rowsOf(c agent.CallEvent, most int) (rows []string) {
	text := strings.TrimRight(c.Output, " \r\n")
	if text == "" || strings.TrimPrefix(text, "Error: ") == c.Failure {
		return nil
	}
	lines := strings.Split(text, "\n")
	for _, line := range lines[:min(most, len(lines))] {
		rows = append(rows, "  "+term.Row(line[:min(len(line), maxRow)]))
	}
	switch more := len(lines) - most; {
	case c.Bytes > int64(len(c.Output)):
		rows = append(rows, "  … more rows")
	case more > 0:
		rows = append(rows, fmt.Sprintf("  … %s more rows", humanize.Comma(int64(more))))
	}
	return rows
}

// resultOf says how a call ended, as "ok 0.8 s, 105 bytes" and "exit 1, 0.8 s, 105 bytes".
func resultOf(c agent.CallEvent) string {
	how := "ok "
	if status, isExit := strings.CutPrefix(c.Failure, "exit status "); isExit {
		how = "exit " + term.Clip(status, maxReason) + ", "
	} else if c.Failure != "" {
		how = "failed: " + term.Clip(c.Failure, maxReason) + "; "
	}
	size := humanize.Comma(c.Bytes) + " bytes"
	if c.Bytes >= 1<<10 {
		size = humanize.IBytes(uint64(c.Bytes))
	}
	return fmt.Sprintf("%s%.1f s, %s", how, float64(c.DurationMS)/1000, size)
}
