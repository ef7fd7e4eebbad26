package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
)

// output is a tool's output on its way to the model: a text, or a file with the
// beginning of it as text.
type output struct {
	text string
	file *tools.OutputFile
	// status says what became of the call, blockedBy which plugin blocked it.
	status    hookpoints.CallStatus
	blockedBy string
	// exit and took are the tool's exit status, 0 if it succeeded, and time.
	exit int
	took time.Duration
	// ranWith are the arguments that plugins made of those that the model wrote.
	ranWith json.RawMessage
	// converted are the places of the model's arguments that were converted.
	converted []string
	// failure says how a process failed. preface is what the text begins with
	// that is not the tool's own; "" if a plugin replaced the text.
	failure, preface string
	// isPiece says that it was read from the cache and is not cached again.
	isPiece bool
}

// newOutput is what a tool that ran has left.
func newOutput(result tools.Result, kind tools.Kind) output {
	status, exit := hookpoints.StatusRan, result.Exit
	if result.Failed {
		status = hookpoints.StatusFailed
		exit = max(1, exit)
	}
	return output{
		text: result.Told(), file: result.File, status: status, exit: exit,
		failure: result.Failure, preface: result.Preface(), isPiece: kind == tools.File,
	}
}

// denied is what the model is told of a call that is not run.
func denied(err error) output {
	return output{text: "Error: " + err.Error(), preface: "Error: ", status: hookpoints.StatusDenied, exit: 1}
}

// blocked is what the model is told of a call that a plugin blocks: the plugin's
// reason, and which one it is unless the reason names it.
func blocked(v hookpoints.PreToolAnswer) output {
	o := output{text: v.Message, status: hookpoints.StatusBlocked, blockedBy: v.BlockedBy, exit: 1}
	if !strings.Contains(v.Message, fmt.Sprintf("plugin %q", v.BlockedBy)) {
		o.text += hookpoints.BlockedNote(v.BlockedBy)
	}
	return o
}

// reason says in a line why the call did not run or failed; "" if it ran and did
// not.
func (o *output) reason() string {
	if o.status == hookpoints.StatusRan {
		return ""
	}
	why, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(o.failure, o.text)), "\n")
	why = strings.TrimPrefix(why, "Error: ")
	if by := fmt.Sprintf("plugin %q", o.blockedBy); o.blockedBy != "" && !strings.Contains(why, by) {
		why = "blocked by " + by + ": " + why
	}
	return cmp.Or(why, string(o.status))
}

// of is the output of a call whose arguments were converted.
func (o output) of(converted []string) output {
	o.converted = converted
	return o
}

// event is the call as an event of the turn.
func (o *output) event(inv hookpoints.PreToolPayload) *CallEvent {
	s := &CallEvent{ID: inv.ToolCallID, Tool: inv.ToolName, Arguments: inv.Arguments, Ran: o.status.DidRun(),
		BlockedBy: o.blockedBy, DurationMS: o.took.Milliseconds(), Exit: o.exit, Converted: o.converted}
	switch {
	case !s.Ran:
		s.Why = strings.TrimSuffix(o.text, hookpoints.BlockedNote(o.blockedBy))
	case o.status == hookpoints.StatusFailed && o.failure != "":
		s.Failure = o.failure
	case o.status == hookpoints.StatusFailed:
		s.Failure = o.text
	}
	return s
}

// discard removes the file of an output that nobody needs any more.
func (o *output) discard() {
	o.file.Close()
	o.file = nil
}

// replace puts a text in the place of the whole output.
func (o *output) replace(text string) {
	o.discard()
	o.text, o.preface = text, ""
}

// own is the text that the tool wrote itself.
func (o *output) own() string { return strings.TrimPrefix(o.text, o.preface) }

// shape takes a tool's output through pre_tool_output.
func (r *round) shape(ctx context.Context, inv hookpoints.PreToolPayload, o *output) error {
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Output: o.text, Truncated: o.file != nil, OutputPath: o.file.Path(),
		Status: o.status, BlockedBy: o.blockedBy, Preface: o.preface, ToolCallID: inv.ToolCallID,
		ExitCode: o.exit, DurationMS: o.took.Milliseconds(), Recipe: inv.Recipe, Nested: inv.Nested,
	})
	switch {
	case err != nil:
		return err
	case answer.Block:
		o.replace(answer.Message)
	case answer.Output != nil:
		if o.file != nil {
			r.notice("hooks saw only the first 1 MiB of the output of %s; what they replaced it with is the whole output now",
				inv.ToolName)
		}
		o.replace(*answer.Output)
	}
	return nil
}

// shown is what the model sees of an output: all of it, or a stub if it was
// cached.
type shown struct {
	text   string
	cached bool
	path   string // of the cached output
}

// show caches an output that is too large. If that fails, the model sees what
// there is in memory.
func (r *round) show(ctx context.Context, inv hookpoints.PreToolPayload, o *output) (shown, error) {
	defer o.discard()
	isLarge := o.file != nil || utf8.RuneCountInString(o.text) > bound(r.Settings.CacheThreshold, DefaultCacheThreshold)
	if r.Cache == nil || !isLarge || o.isPiece || strings.TrimSpace(o.own()) == "" {
		return shown{text: o.whole()}, nil
	}
	entry, err := r.put(inv, o)
	if err != nil {
		r.notice("%v; the model sees the beginning of it", err)
		return shown{text: o.whole()}, nil
	}
	r.detail("cached %d characters from %s as %s", entry.Chars, inv.ToolName, entry.ID)
	return r.announce(ctx, inv, o, entry)
}

// whole is the text of an output that is not cached; of a file, its begin and a
// note.
func (o *output) whole() string {
	if o.file == nil {
		return o.text
	}
	return fmt.Sprintf("%s\n[the first of %s; the rest was not kept]", o.text, humanize.Bytes(uint64(o.file.Size())))
}

// put saves an output in the cache.
func (r *round) put(inv hookpoints.PreToolPayload, o *output) (cache.Entry, error) {
	if o.file != nil {
		return r.Cache.PutFile(inv.ToolName, inv.Arguments, o.file.Path())
	}
	return r.Cache.PutText(inv.ToolName, inv.Arguments, o.own())
}

// announce fires the hooks of a cached output and makes the stub.
func (r *round) announce(ctx context.Context, inv hookpoints.PreToolPayload, o *output, e cache.Entry) (shown, error) {
	content := o.own()
	isBegin := int64(len(content)) < e.Bytes
	candidate := hookpoints.PreCacheOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Content: content, Truncated: isBegin, ContentPath: e.Path,
		CharCount: e.Chars, LineCount: e.Lines,
	}
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PreCacheOutput, candidate)
	if err != nil {
		return shown{}, err
	}
	text, err := r.stub(e, o, answer.Summary)
	if err != nil {
		return shown{}, err
	}
	_, err = plugin.Fire(ctx, r.Host, hookpoints.PostCacheOutput, hookpoints.PostCacheOutputPayload{
		ToolName: inv.ToolName, CacheID: e.ID, CharCount: e.Chars, TokenEstimate: e.Tokens, LineCount: e.Lines,
	})
	return shown{text: text, cached: true, path: e.Path}, err
}
