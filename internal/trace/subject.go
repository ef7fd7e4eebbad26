package trace

import (
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Kind is a kind of thing that a person can ask about.
type Kind string

// The kinds.
const (
	KindPlugin       Kind = "plugin"
	KindTool         Kind = "tool"
	KindPoint        Kind = "hook"
	KindRequest      Kind = "request"
	KindPrompt       Kind = "prompt"
	KindSystemPrompt Kind = "system prompt"
	KindContext      Kind = "context"
	KindTurn         Kind = "turn"
)

// Subject is something that a person can ask about.
type Subject struct {
	Kind Kind `json:"kind"`
	// Name is its name, "" for a prompt; for a place in the request it is the JSON
	// Pointer into the body.
	Name string `json:"name,omitempty"`
}

// String returns the subject in words.
func (s Subject) String() string {
	switch s.Kind {
	case KindPrompt, KindSystemPrompt:
		return "the " + string(s.Kind)
	case KindRequest:
		return dotted(s.Name) + " of the request"
	}
	return "the " + string(s.Kind) + " " + s.Name
}

func pointOf(name hookpoints.Name) Subject { return Subject{KindPoint, string(name)} }

// covers reports whether a sentence about s is also about another subject: a
// subject without a name stands for all of its kind.
func (s Subject) covers(other Subject) bool {
	if s.Kind != other.Kind {
		return false
	}
	return s.Name == "" || s.Name == other.Name || s.Kind == KindRequest && overlap(s.Name, other.Name)
}

// overlap reports whether one of two JSON Pointers leads through the other.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// dotted returns a JSON Pointer as people write places in a request.
func dotted(pointer string) string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range parts {
		parts[i] = strictjson.UnescapeToken(parts[i])
	}
	return strings.Join(parts, ".")
}

// pointers returns the places in a request that a name can mean, written as in the
// configuration (api.temperature), as in a payload (request_body.temperature) or as
// a JSON Pointer.
func pointers(name string) []string {
	if strings.HasPrefix(name, "/") {
		return []string{strings.TrimPrefix(name, "/request_body")}
	}
	for _, prefix := range []string{"api.", "request_body.", "request_body/", "request."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name = rest
			break
		}
	}
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '.' || c == '/' })
	list := []string{"/" + strings.Join(parts, "/")}
	if whole := "/" + strictjson.EscapeToken(name); whole != list[0] {
		list = append(list, whole)
	}
	return list
}

// topicOf is what a firing is about, besides plugins.
func topicOf(f *firing) []Subject {
	topic := []Subject{{KindPoint, string(f.point)}}
	switch f.point {
	case hookpoints.PreMessage.Name:
		return with(topic, Subject{Kind: KindPrompt})
	case hookpoints.PreSystemPrompt.Name, hookpoints.PostSystemPrompt.Name:
		return with(topic, Subject{Kind: KindSystemPrompt})
	case hookpoints.PreAPITools.Name:
		return with(topic, Subject{Kind: KindTool})
	case hookpoints.PreAPIRequest.Name:
		return with(topic, Subject{Kind: KindRequest})
	case hookpoints.PreSendMessage.Name, hookpoints.PostSendMessage.Name:
		topic = with(topic, Subject{KindTool, "send_message"})
	}
	if tool := f.field("tool_name"); tool != "" {
		topic = with(topic, Subject{KindTool, tool})
	}
	for _, field := range contextFields(f.point) {
		if name := f.field(field); name != "" {
			topic = with(topic, Subject{KindContext, name})
		}
	}
	return topic
}

// contextFields returns the fields that name the contexts to which something
// happens at a point.
func contextFields(point hookpoints.Name) []string {
	info, _ := hookpoints.Find(point)
	switch {
	case point == hookpoints.OnContextSwitch.Name:
		return []string{"from_context", "to_context"}
	case info.Group == hookpoints.GroupDelivery:
		return []string{"to"}
	case info.Group == hookpoints.GroupContext || info.Group == hookpoints.GroupTurn:
		return []string{"context_name"}
	}
	return nil
}
