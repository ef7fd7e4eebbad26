package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/dustin/go-humanize"
)

// lastLines is how many of the last lines of a failed call's output are shown.
const lastLines = 10

// stub returns what the model sees of a cached output.
func (c *toolCall) stub(ctx context.Context, e cache.Entry, summary string) (string, error) {
	t, err := c.agent.Cache.Open(ctx, e.ID)
	if err != nil {
		return "", err
	}
	defer t.Close()
	title, part := "Summary", strings.TrimSpace(summary)
	if part == "" {
		title = "Preview"
		if part, err = t.Preview(c.agent.Settings.cachePreview()); err != nil {
			return "", err
		}
	}
	if c.out.status == hookpoints.StatusFailed {
		last, err := t.Tail(lastLines, c.agent.Settings.cachePreview())
		if err != nil {
			return "", err
		}
		part += "\n---\nLast lines:\n---\n" + strings.TrimRight(last.Text, "\n")
	}
	return fmt.Sprintf("[Output cached: %s]\nTool: %s | Size: %s (%s chars), ~%s tokens | Lines: %s%s\n%s:\n"+
		"---\n%s\n---\n"+
		"Use file_head, file_tail, file_lines, file_grep with cache_id=\"%s\" to examine.",
		e.ID, e.Tool, humanize.Bytes(uint64(e.Bytes)), humanize.Comma(int64(e.Chars)), humanize.Comma(int64(e.Tokens)),
		humanize.Comma(int64(e.Lines)), stubNotes(e, &c.out), title, part, e.ID), nil
}

// stubNotes returns further lines of a stub: how a failed call ended, and what the
// output is.
func stubNotes(e cache.Entry, o *output) (lines string) {
	switch {
	case o.failure != "" && o.preface != "":
		lines += "\n" + o.failure
	case o.status == hookpoints.StatusFailed:
		lines += fmt.Sprintf("\nThe call failed, exit status %d.", o.exit)
	case o.status == hookpoints.StatusBlocked:
		lines += fmt.Sprintf("\nBlocked by plugin %q: the call did not run.", o.blockedBy)
	case o.status == hookpoints.StatusDenied:
		lines += "\nThe call did not run."
	}
	if e.Binary {
		lines += "\nIt is not plain text: bytes that are not UTF-8 are shown as \uFFFD."
	}
	return lines
}
