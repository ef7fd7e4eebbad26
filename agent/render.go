package agent

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize"
)

// rendered is what the model sees of an output: the whole text, or a stub if it was
// cached.
type rendered struct {
	text   string
	cached bool
	// truncated is true if hooks saw only the beginning of the output.
	truncated bool
	path      string // of the cached output
}

// extent tells hooks where the output is of which they saw only the beginning.
func (r rendered) extent() hookpoints.Extent {
	if !r.truncated {
		return hookpoints.Extent{}
	}
	return hookpoints.Extent{Truncated: true, OutputPath: r.path}
}

// render returns what the model sees of an output, and caches an output that is too
// large. If that fails, the model sees the part that is in memory.
func (c *toolCall) render(ctx context.Context) (rendered, error) {
	defer c.out.discard()
	truncated := c.out.file != nil
	isLarge := truncated || utf8.RuneCountInString(c.out.text) > c.agent.Settings.cacheThreshold()
	if c.agent.Cache == nil || !isLarge || c.out.fromCache || strings.TrimSpace(c.out.toolText()) == "" {
		return rendered{text: c.out.uncached(), truncated: truncated}, nil
	}
	entry, err := c.saveInCache()
	if err != nil {
		c.agent.Output.notice("%v; the model sees the beginning of it", err)
		return rendered{text: c.out.uncached(), truncated: truncated}, nil
	}
	c.agent.Output.detail("cached %d characters from %s as %s", entry.Chars, c.inv.ToolName, entry.ID)
	text, err := c.cacheOutput(ctx, entry)
	return rendered{text: text, cached: true, truncated: truncated, path: entry.Path}, err
}

// uncached returns the text of an output that is not cached; for a file, its
// beginning and a note.
func (o *output) uncached() string {
	if o.file == nil {
		return o.text
	}
	return fmt.Sprintf("%s\n[the first of %s; the rest was not kept]", o.text, humanize.Bytes(uint64(o.file.Size())))
}

// saveInCache saves an output in the cache.
func (c *toolCall) saveInCache() (cache.Entry, error) {
	if c.out.file != nil {
		return c.agent.Cache.PutFile(c.inv.ToolName, c.inv.Arguments, c.out.file.File())
	}
	return c.agent.Cache.PutText(c.inv.ToolName, c.inv.Arguments, c.out.toolText())
}

// cacheOutput fires the hooks of a cached output and makes its stub.
func (c *toolCall) cacheOutput(ctx context.Context, e cache.Entry) (string, error) {
	content := c.out.toolText()
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreCacheOutput, hookpoints.PreCacheOutputPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Content: content, Truncated: int64(len(content)) < e.Bytes,
		ContentPath: e.Path, CharCount: e.Chars, LineCount: e.Lines, Nesting: c.inv.Nesting,
	})
	if err != nil {
		return "", err
	}
	text, err := c.stub(ctx, e, answer.Summary)
	if err != nil {
		return "", err
	}
	_, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PostCacheOutput, hookpoints.PostCacheOutputPayload{
		ToolName: c.inv.ToolName, CacheID: e.ID, CharCount: e.Chars, TokenEstimate: e.Tokens, LineCount: e.Lines,
		Nesting: c.inv.Nesting,
	})
	return text, err
}

// noteRepeat returns what is added to the result of a call for the model if it has been
// repeated, "" otherwise, and tells the person. The last repetition ends the turn.
func (s *step) noteRepeat(c *toolCall, seen rendered) string {
	count := s.turn.repeats.add(madeCall{c.inv.ToolName, string(c.inv.Arguments), seen.text, seen.cached})
	if count < firstToldRepeat {
		return ""
	}
	same := "with the same arguments and the same result"
	if seen.cached {
		same = "with the same arguments"
	}
	ending := ""
	if count >= lastRepeat {
		s.ending, ending = "a call was repeated too often", "; the turn ends"
	}
	s.turn.agent.Output.notice("the model repeated the call of %s %d times %s%s", c.inv.ToolName, count, same, ending)
	return fmt.Sprintf("\n[This call has been repeated %d times %s. Do something else, or answer.]", count, same)
}
