package agent

import (
	"fmt"

	"github.com/chibi-host/chibi/contexts"
)

// Output shows a person what happens. A nil function shows nothing. Notice, Detail, Event
// and Waiting are called concurrently while several sub-agents work.
type Output struct {
	// Text receives the model's text as it arrives; a response ends with a newline.
	Text func(delta string)
	// TextEnd is called when the text of a response has ended.
	TextEnd func()
	// Entry receives every entry of the conversation once it is stored.
	Entry func(contexts.Entry)
	// Notice receives sentences that a person should read.
	Notice func(text string)
	// Detail receives sentences for a person who wants to know more.
	Detail func(text string)
	// Event receives what happens in a turn other than hooks, for traces and for a
	// person during the turn.
	Event func(Event)
	// Waiting is called when a wait begins, with its reason. The function that it returns is
	// called when the wait is over, perhaps several times.
	Waiting func(what string) (done func())
}

// of returns what shows what happens in a sub-agent. Its text and its entries are not shown,
// the rest has its id; where the functions of o can be called concurrently, so can these.
func (o Output) of(id string) Output {
	inside := Output{}
	if o.Notice != nil {
		inside.Notice = func(text string) { o.Notice(id + ": " + text) }
	}
	if o.Detail != nil {
		inside.Detail = func(text string) { o.Detail(id + ": " + text) }
	}
	if o.Waiting != nil {
		inside.Waiting = func(what string) func() { return o.Waiting(id + ": " + what) }
	}
	if o.Event != nil {
		inside.Event = func(e Event) {
			switch e.Kind {
			case EventPrompt, EventAnswer, EventError: // its events of EventAgent say that
				return
			}
			e.Agent = id
			o.Event(e)
		}
	}
	return inside
}

// notice shows a person a sentence that they should read.
func (o Output) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	o.emit(Event{Kind: EventNotice, Text: text})
	if o.Notice != nil {
		o.Notice(text)
	}
}

// detail shows a sentence to a person who wants to know more.
func (o Output) detail(format string, args ...any) {
	if o.Detail != nil {
		o.Detail(fmt.Sprintf(format, args...))
	}
}

// waiting shows what is being waited for, until the returned function is called.
func (o Output) waiting(what string) func() {
	if o.Waiting == nil {
		return func() {}
	}
	return o.Waiting(what)
}

func (o Output) emit(e Event) {
	if o.Event != nil {
		o.Event(e)
	}
}

// emitRewritten reports what plugins changed in the calls of a conversation.
func (o Output) emitRewritten(window []contexts.Entry) {
	written := map[string]string{}
	var list []Rewritten
	for _, e := range window {
		switch {
		case e.Type == contexts.TypeToolCall:
			written[e.CallID()] = e.Content
		case e.Type == contexts.TypeToolResult && e.Metadata != nil && e.Metadata.RanWith != nil:
			list = append(list, Rewritten{written[e.CallID()], string(e.Metadata.RanWith)})
		}
	}
	if len(list) > 0 {
		o.emit(Event{Kind: EventRewritten, Rewritten: list})
	}
}
