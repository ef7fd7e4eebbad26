package native

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/tidwall/gjson"
)

// runner knows how an executable is started.
type runner struct {
	opts Options
	path string
}

// codec implements the hook half of the protocol.
type codec struct {
	runner
	inherit bool // standard input is the terminal instead of the payload
}

// Encode passes the payload on standard input and, if it fits, in the environment,
// so that both generations of chibi plugins find it.
func (c codec) Encode(ev plugin.Event) (process.Command, error) {
	return process.Command{
		Path:  c.path,
		Env:   append(environment(c.opts), "CHIBI_HOOK="+string(ev.Point)),
		Stdin: line(ev.Payload),
		Data:  &process.Data{Var: "CHIBI_HOOK_DATA", Value: ev.Payload},

		InheritStdin: c.inherit,
	}, nil
}

// Decode reads the answer: one JSON object. Any other output counts as no answer;
// unless it is empty, Unreadable says what is wrong with it.
func (c codec) Decode(_ plugin.Event, out process.Outcome) (plugin.Answer, error) {
	if err := out.Err(); err != nil {
		return plugin.Answer{}, err
	}
	body := bytes.TrimSpace(out.Stdout)
	err := strictjson.Check(body)
	switch {
	case len(body) == 0:
		return plugin.Answer{}, nil
	case !utf8.Valid(body):
		return plugin.Answer{Unreadable: "its answer is not UTF-8"}, nil
	case errors.Is(err, strictjson.ErrDepth):
		return plugin.Answer{Unreadable: "its answer cannot be read: " + err.Error()}, nil
	case err != nil:
		return plugin.Answer{Unreadable: "its answer is not JSON" + beginning(body) + logged(body)}, nil
	case body[0] != '{':
		return plugin.Answer{Unreadable: fmt.Sprintf("its answer is %s, not an object", kind(body))}, nil
	}
	return plugin.Answer{Body: body}, nil
}

// logged returns what to do about text that is printed before the answer. It tries
// only a few places where the answer could begin, because each try may read all
// that follows.
func logged(body []byte) string {
	rest := body
	for range 8 {
		begin := bytes.Index(rest, []byte("\n{"))
		if begin < 0 {
			return ""
		}
		if rest = rest[begin+1:]; strictjson.Valid(rest) {
			return "; an answer follows that text: print what is not the answer to standard error"
		}
	}
	return ""
}

// kind names the type of a JSON value.
func kind(body []byte) string {
	switch v := gjson.ParseBytes(body); {
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return "a boolean"
}

// line returns the payload followed by a newline.
func line(payload []byte) []byte {
	return append(bytes.Clone(payload), '\n')
}
