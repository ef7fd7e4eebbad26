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

// outputPath returns the file for hooks with an output of which they saw only the
// beginning, "" for others.
func (r rendered) outputPath() string {
	if !r.truncated {
		return ""
	}
	return r.path
}

// render returns what the model sees of an output, and caches an output that is too
// large. If that fails, the model sees the part that is in memory.
func (t *turn) render(ctx context.Context, inv hookpoints.PreToolPayload, o *output) (rendered, error) {
	defer o.discard()
	truncated := o.file != nil
	isLarge := truncated || utf8.RuneCountInString(o.text) > t.agent.Settings.cacheThreshold()
	if t.agent.Cache == nil || !isLarge || o.fromCache || strings.TrimSpace(o.toolText()) == "" {
		return rendered{text: o.uncached(), truncated: truncated}, nil
	}
	entry, err := t.saveInCache(inv, o)
	if err != nil {
		t.agent.notice("%v; the model sees the beginning of it", err)
		return rendered{text: o.uncached(), truncated: truncated}, nil
	}
	t.agent.detail("cached %d characters from %s as %s", entry.Chars, inv.ToolName, entry.ID)
	text, err := t.cacheOutput(ctx, inv, o, entry)
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
func (t *turn) saveInCache(inv hookpoints.PreToolPayload, o *output) (cache.Entry, error) {
	if o.file != nil {
		return t.agent.Cache.PutFile(inv.ToolName, inv.Arguments, o.file.Path())
	}
	return t.agent.Cache.PutText(inv.ToolName, inv.Arguments, o.toolText())
}

// cacheOutput fires the hooks of a cached output and makes its stub.
func (t *turn) cacheOutput(ctx context.Context, inv hookpoints.PreToolPayload, o *output,
	e cache.Entry) (string, error) {
	content := o.toolText()
	answer, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreCacheOutput, hookpoints.PreCacheOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Content: content, Truncated: int64(len(content)) < e.Bytes,
		ContentPath: e.Path, CharCount: e.Chars, LineCount: e.Lines,
	})
	if err != nil {
		return "", err
	}
	text, err := t.agent.stub(e, o, answer.Summary)
	if err != nil {
		return "", err
	}
	_, err = plugin.Fire(ctx, t.agent.Host, hookpoints.PostCacheOutput, hookpoints.PostCacheOutputPayload{
		ToolName: inv.ToolName, CacheID: e.ID, CharCount: e.Chars, TokenEstimate: e.Tokens, LineCount: e.Lines,
	})
	return text, err
}
