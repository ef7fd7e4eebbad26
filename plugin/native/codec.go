package native

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// program is an executable with what all its processes have in common.
type program struct {
	opts   Options
	path   string
	env    []string // what every process of this protocol gets
	runner process.Runner
	// transcript is true if the plugin gets the path of the view of the conversation.
	transcript bool
}

// told returns the variables of the process for an event or a call.
func (p program) told(id plugin.Identity) []string {
	env := slices.Clip(p.env)
	if id.Session != "" {
		env = append(env, "CHIBI_SESSION_ID="+id.Session)
	}
	if id.Prompt != "" {
		env = append(env, "CHIBI_PROMPT_ID="+id.Prompt)
	}
	if id.Transcript != "" && p.transcript {
		env = append(env, "CHIBI_TRANSCRIPT_PATH="+id.Transcript)
	}
	return env
}

// codec implements the hook half of the protocol.
type codec struct {
	program
	inherit bool // standard input is the terminal instead of the payload
}

// Encode passes the payload on standard input and, if it fits, in the environment,
// so that both generations of chibi plugins find it.
func (c codec) Encode(ev plugin.Event) (process.Command, error) {
	return process.Command{
		Path: c.path, Env: append(c.told(ev.Identity()), "CHIBI_HOOK="+string(ev.Point)), InheritStdin: c.inherit,
		Stdin: append(slices.Clip(ev.Payload), '\n'),
		Data:  &process.Data{Var: "CHIBI_HOOK_DATA", Value: ev.Payload},
	}, nil
}

// Decode takes the answer: one JSON object. Any other output counts as no answer;
// unless it is empty, the record says what is wrong with it.
func (c codec) Decode(ev plugin.Event, out process.Outcome) (plugin.Answer, error) {
	if err := out.Err(); err != nil {
		return plugin.Answer{}, meantToBlock(ev.Point, out, err)
	}
	if !utf8.Valid(out.Stdout) {
		return plugin.Answer{Unreadable: notUTF8}, nil
	}
	answer := plugin.Answer{Body: bytes.TrimSpace(out.Stdout), Explain: explain}
	if bytes.Contains(answer.Body, []byte(`"approved"`)) {
		answer = newer(ev, answer)
	}
	return answer, nil
}

// meantToBlock adds to the error of a hook with exit status 2 how a plugin blocks at the point,
// if it can: in other agents that status does it.
func meantToBlock(at hookpoints.Name, out process.Outcome, err error) error {
	info, _ := hookpoints.Find(at)
	if out.Exit != 2 || !info.CanBlock() {
		return err
	}
	return fmt.Errorf("%w; to block, a plugin answers %s with exit status 0", err, plugin.HowToBlock(info))
}

const notUTF8 = "its answer is not UTF-8"

// explain says what an answer is that is not an object.
func explain(body []byte) string {
	err := strictjson.Check(body)
	switch {
	case errors.Is(err, strictjson.ErrDepth):
		return "its answer cannot be read: " + err.Error()
	case err != nil:
		return "its answer is not JSON" + beginning(body) + logged(body)
	}
	return fmt.Sprintf("its answer is %s, not an object", strictjson.TypeOf(body))
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
