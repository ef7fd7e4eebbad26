package openai

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/llm"
	"github.com/dustin/go-humanize"
	"github.com/tidwall/gjson"
)

// maxCalls bounds the calls in an answer, maxName the bytes of an id or a name.
const (
	maxCalls = 1000
	maxName  = 1 << 10
)

// errOver means that an answer is longer than the bound. The part before is kept.
var errOver = errors.New("the answer is over the bound")

type reader struct {
	host   string
	onText func(string)
	// most bounds the kept bytes, kept counts them.
	most, kept int
	// progress is called when new content has arrived.
	progress func()

	id, model, finish string
	text              strings.Builder
	calls             map[int]*call
	usage             llm.Usage
	chunks            int
	done              bool
}

// call is a tool call, which arrives in pieces.
type call struct {
	id, name  string
	arguments strings.Builder
}

// maxEvent bounds the bytes of one event, which may hold a whole answer with escapes.
func (r *reader) maxEvent() int { return 2*r.most + 64<<10 }

func (r *reader) readStream(body io.Reader) error {
	events := events{in: bufio.NewReaderSize(body, 16<<10), most: r.maxEvent()}
	var err error
	for err == nil && !r.done {
		var data []byte
		if data, err = events.next(); err == nil {
			err = r.event(data)
		}
	}
	var said *Error
	switch {
	case err == nil, errors.As(err, &said):
		return err
	case errors.Is(err, errOver), errors.Is(err, errLongEvent), errors.Is(err, errFlood):
		return r.overBound(err)
	case r.finish != "":
		return nil // the answer is complete
	case r.chunks == 0 && err == io.EOF:
		return r.errorf("the answer is not a stream of chat completions; check base_url")
	case err == io.EOF:
		return r.errorf("the answer was cut off before its end")
	}
	return fmt.Errorf("model server %s: the answer was cut off: %w", r.host, err)
}

func (r *reader) event(data []byte) error {
	text := strings.TrimSpace(string(data))
	if text == "" {
		return nil
	}
	if text == "[DONE]" {
		r.done = true
		return nil
	}
	if err := strictjson.Check([]byte(text)); err != nil {
		return r.notJSON(text, err)
	}
	return r.chunk(gjson.Parse(text), "delta")
}

// readWhole reads an answer that is one JSON object, from servers that do not stream.
func (r *reader) readWhole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, int64(r.maxEvent())+1))
	switch {
	case err != nil:
		return fmt.Errorf("model server %s: the answer was cut off: %w", r.host, err)
	case len(data) > r.maxEvent():
		return r.overBound(errLongEvent)
	}
	if err := strictjson.Check(data); err != nil {
		return r.notJSON(string(data), err)
	}
	answer := gjson.ParseBytes(data)
	if err := r.chunk(answer, "message"); err != nil {
		if errors.Is(err, errOver) {
			err = r.overBound(err)
		}
		return err
	}
	if !answer.Get("choices.0").Exists() {
		return r.errorf("sent an answer without choices: %s", shorten(string(data)))
	}
	return nil
}

// chunk processes one piece of an answer; its text is in the member part.
func (r *reader) chunk(chunk gjson.Result, part string) error {
	r.chunks++
	if e := chunk.Get("error"); e.Exists() && e.Type != gjson.Null {
		return &Error{Host: r.host, Message: oneLine(errorText(e))}
	}
	keep(&r.id, chunk.Get("id"))
	keep(&r.model, chunk.Get("model"))
	if usage := chunk.Get("usage"); usage.IsObject() {
		r.usage = llm.Usage{
			InputTokens:  int(usage.Get("prompt_tokens").Int()),
			OutputTokens: int(usage.Get("completion_tokens").Int()),
		}
	}
	choice := chunk.Get("choices.0")
	piece, finish := choice.Get(part), choice.Get("finish_reason")
	if hasContent(piece) || r.finish == "" && finish.String() != "" {
		r.progress()
	}
	keep(&r.finish, finish)
	if text := piece.Get("content"); text.Type == gjson.String {
		if err := r.addText(text.Str); err != nil {
			return err
		}
	}
	return r.toolCalls(piece.Get("tool_calls"))
}

// hasContent reports whether a piece of an answer holds more than a role and empty texts,
// in any member: some servers send the model's reasoning in a member of their own.
func hasContent(piece gjson.Result) (yes bool) {
	piece.ForEach(func(name, value gjson.Result) bool {
		yes = name.Str != "role" && value.Type != gjson.Null && value.Raw != `""` && value.Raw != "[]"
		return !yes
	})
	return yes
}

// addText appends and shows a piece of the text, as far as it fits the bound.
func (r *reader) addText(text string) error {
	fits := text[:r.room(text)]
	r.text.WriteString(fits)
	if r.onText != nil && fits != "" {
		r.onText(fits)
	}
	if len(fits) < len(text) {
		return errOver
	}
	return nil
}

// room reserves space for a text and returns how many of its bytes fit, in whole
// characters.
func (r *reader) room(text string) int {
	fit := min(len(text), r.most-r.kept)
	if fit < len(text) {
		fit = clip.Whole(text[:fit])
	}
	r.kept += fit
	return fit
}

func (r *reader) toolCalls(fragments gjson.Result) (err error) {
	if !fragments.IsArray() {
		return nil
	}
	position := 0
	fragments.ForEach(func(_, fragment gjson.Result) bool {
		err = r.toolCall(fragment, position)
		position++
		return err == nil
	})
	return err
}

// toolCall adds a fragment to the call with its index.
func (r *reader) toolCall(fragment gjson.Result, position int) error {
	index := position
	if given := fragment.Get("index"); given.Exists() {
		index = int(given.Int())
	}
	if r.calls == nil {
		r.calls = map[int]*call{}
	}
	c := r.calls[index]
	if c == nil {
		if len(r.calls) >= maxCalls {
			return r.errorf("the answer has more than %d tool calls; the part before is kept, and no tool runs", maxCalls)
		}
		c = &call{}
		r.calls[index] = c
	}
	keep(&c.id, fragment.Get("id"))
	keep(&c.name, fragment.Get("function.name"))
	arguments := fragment.Get("function.arguments")
	text := arguments.String()
	if arguments.IsObject() { // some servers send the object itself
		text = arguments.Raw
	}
	if r.room(text) < len(text) {
		return errOver
	}
	c.arguments.WriteString(text)
	return nil
}

// overBound returns the error of an answer that was cut.
func (r *reader) overBound(why error) error {
	if errors.Is(why, errFlood) {
		return r.errorf("sends without end; the answer is cut, and the part before is kept (limits.answer_bytes is %d)",
			r.most)
	}
	return r.errorf("the answer is longer than %s (limits.answer_bytes); it is cut there, and no "+
		"tool runs", humanize.IBytes(uint64(r.most)))
}

func (r *reader) notJSON(text string, err error) error {
	if errors.Is(err, strictjson.ErrDepth) {
		return r.errorf("sent %q, which cannot be read: %v", shorten(text), err)
	}
	return r.errorf("sent %q, which is not JSON", shorten(text))
}

func (r *reader) errorf(format string, args ...any) error {
	return &Error{Host: r.host, Message: fmt.Sprintf(format, args...)}
}

// keep stores a string unless it is empty or too long for a name. It copies the string,
// which would otherwise keep the whole event in memory.
func keep(into *string, value gjson.Result) {
	if value.Type == gjson.String && value.Str != "" && len(value.Str) <= maxName {
		*into = strings.Clone(value.Str)
	}
}

// shorten shortens a server's text for an error message.
func shorten(s string) string {
	return clip.Text(strings.ToValidUTF8(s[:min(len(s), 4*maxShown)], "\uFFFD"), maxShown)
}

// maxShown is how many characters of an invalid text are shown.
const maxShown = 80
