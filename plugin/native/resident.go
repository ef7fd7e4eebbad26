package native

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools"
)

// staying is the process of a resident plugin, with what to do when it cannot answer.
type staying struct {
	process *resident.Resident
	meta    meta
	// transcript is as in the program.
	transcript bool
}

// of returns the environment of a single call.
func (s *staying) of(id plugin.Identity) meta {
	m := s.meta
	m.Session, m.Prompt = id.Session, id.Prompt
	if s.transcript {
		m.Transcript = id.Transcript
	}
	return m
}

// meta is the environment of a single call. Its members are always in this order.
type meta struct {
	Home    string `json:"CHIBI_HOME"`
	Context string `json:"CHIBI_CONTEXT"`
	Verbose string `json:"CHIBI_VERBOSE,omitempty"`

	Session    string `json:"CHIBI_SESSION_ID,omitempty"`
	Prompt     string `json:"CHIBI_PROMPT_ID,omitempty"`
	Transcript string `json:"CHIBI_TRANSCRIPT_PATH,omitempty"`

	Within string `json:"CHIBI_WITHIN,omitempty"`
}

// hookParams are the parameters of the method "hook", toolParams of "tool". What a
// shell script cuts out comes last.
type hookParams struct {
	Meta    meta            `json:"meta"`
	Point   hookpoints.Name `json:"point"`
	Payload json.RawMessage `json:"payload"`
}

type toolParams struct {
	Meta      meta            `json:"meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type toolResult struct {
	Output   *string `json:"output"`
	ExitCode int     `json:"exit_code"`
}

// How a plugin was asked, in the words of traces.
const (
	howResident = "resident"
	howStarted  = "resident, started for it"
	howKept     = "resident, kept from an earlier run"
	howAgain    = "asked again by an ordinary start"
	howOrdinary = "ordinary start, as its resident process failed too often"
)

// stay returns the process of a resident plugin, nil if nobody keeps it, or if JSON cannot say what
// the home is.
func (p program) stay(file executable, schemas []schema) *staying {
	spec := resident.Spec{Plugin: file.name, Runner: p.runner, Folder: file.folder, Variables: variables(schemas),
		Command: process.Command{Path: p.path, Args: []string{resident.Argument}, Env: p.env, Spool: p.opts.Spool}}
	spec.Concurrent = slices.ContainsFunc(schemas, func(s schema) bool { return s.Concurrent })
	if p.opts.Residents == nil || !utf8.ValidString(p.opts.Home) {
		return nil
	}
	m := meta{Home: p.opts.Home, Context: p.opts.Context}
	if p.opts.Verbose {
		m.Verbose = "1"
	}
	return &staying{process: p.opts.Residents.Add(spec), meta: m, transcript: p.transcript}
}

// variables returns the names of the variables that a plugin lists, nil if it lists none:
// then it depends on all.
func variables(schemas []schema) (names []string) {
	for _, s := range schemas {
		if s.Env != nil && names == nil {
			names = []string{} // an empty list is one, too
		}
		names = append(names, s.Env...)
	}
	return names
}

// answers sets the handler for the hooks of a plugin, given that for an ordinary one.
func (s *staying) answers(p *plugin.Plugin, ordinary oneshot.Handler) {
	p.Handler = ordinary
	if s != nil {
		p.Handler = residentHooks{s, ordinary, p.Pure}
	}
}

// runs returns a tool of a plugin, given the ordinary one. A tool that reads from the
// terminal is started for each call.
func (s *staying) runs(t tool) tools.Tool {
	if s == nil || t.inherit {
		return t
	}
	return residentTool{s, t}
}

// how returns how a question was asked.
func how(a resident.Answer) string {
	switch {
	case a.Started:
		return howStarted
	case a.Kept:
		return howKept
	}
	return howResident
}

// again reports whether a question that the process did not answer may be asked by an
// ordinary start, and how that is called: only if the process has seen nothing of it.
func again(a resident.Answer, err error) (called string, may bool) {
	switch {
	case errors.Is(err, resident.ErrGivenUp):
		return howOrdinary, true
	case !a.Written:
		return howAgain, true
	}
	return how(a), false
}

// residentHooks is the [plugin.Handler] that asks the process of a resident plugin, and an
// ordinary one where that is safe and the other one failed.
type residentHooks struct {
	*staying
	ordinary oneshot.Handler
	// pure is set if asking the plugin twice has no effect. A delivery has one, whatever
	// the plugin says.
	pure bool
}

// Handle asks the process.
func (h residentHooks) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	a, err := h.process.Ask(ctx, resident.Question{Method: "hook", Pure: h.pure,
		Timeout: h.ordinary.Limit(ev.Point), Params: hookParams{h.of(ev.Identity()), ev.Point, ev.Payload}})
	if err != nil {
		return h.unanswered(ctx, ev, a, err)
	}
	answer := plugin.Answer{Body: a.Result, Explain: explain, How: how(a), Unread: a.Unread}
	switch {
	case a.Refusal != nil:
		return answer, refused(*a.Refusal)
	case string(a.Result) == "null":
		answer.Body = nil
	case !utf8.Valid(a.Result):
		answer.Body, answer.Unreadable = nil, notUTF8
	}
	return newer(ev, answer), nil
}

// unanswered asks by an ordinary start, if that may be.
func (h residentHooks) unanswered(ctx context.Context, ev plugin.Event, a resident.Answer,
	err error) (plugin.Answer, error) {
	called, may := again(a, err)
	if h.pure && ev.Point != hookpoints.PreSendMessage.Name && !may {
		called, may = howAgain, true
	}
	if ctx.Err() != nil || !may {
		return plugin.Answer{How: how(a), Unread: a.Unread, Asked: errors.Is(err, process.ErrNoTerminal)}, err
	}
	answer, failed := h.ordinary.Handle(ctx, ev)
	answer.How = called
	if called == howAgain {
		answer.Notes = append(answer.Notes, err.Error()+"; "+howAgain)
	}
	return answer, failed
}

type residentTool struct {
	*staying
	tool
}

// Call asks the process to run the tool.
func (t residentTool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	env := t.of(plugin.IdentityOf(ctx))
	env.Within = t.within()
	a, err := t.process.Ask(ctx, resident.Question{Method: "tool", Timeout: t.timeout,
		Long:   cmp.Or(t.opts.maxToolOutput(), resident.MaxAnswer),
		Params: toolParams{env, t.spec.Name, call.Arguments}})
	if err != nil {
		return t.unanswered(ctx, call, a, err)
	}
	result := tools.Result{How: how(a)}
	if result.Text, result.Exit, err = readTool(a); err != nil {
		result.Failed, result.Failure = true, fmt.Sprintf("Error: %v", err)
	}
	return withLong(result, a.Long), nil
}

// withLong puts an output that is too large for memory into a result. Where another text is
// that large, the call fails.
func withLong(result tools.Result, long *resident.Long) tools.Result {
	switch {
	case long == nil:
	case result.Text == resident.LongText:
		result.Text, result.File = long.Text, long.File
	default:
		long.File.Close()
		result.Failed, result.Failure = true, "Error: its resident process answered with a large text that is not the output"
	}
	return result
}

// readTool returns the output of a tool and its exit status, and how it failed.
func readTool(a resident.Answer) (output string, exit int, err error) {
	if a.Refusal != nil {
		return "", 0, refused(*a.Refusal)
	}
	var ran toolResult
	if err = strictjson.DecodeKnown(a.Result, &ran); err == nil && ran.Output == nil {
		err = errors.New(`it has no "output"`)
	}
	switch {
	case err != nil:
		return "", 0, fmt.Errorf("the result of its resident process cannot be read: %s", clip.Text(err.Error(), 200))
	case ran.ExitCode != 0:
		err = fmt.Errorf("exit status %d", ran.ExitCode)
	}
	return text([]byte(*ran.Output)), max(0, ran.ExitCode), err
}

// unanswered runs the tool by an ordinary start, if that may be.
func (t residentTool) unanswered(ctx context.Context, call tools.Call, a resident.Answer,
	err error) (tools.Result, error) {
	called, may := again(a, err)
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case may:
		result, failed := t.tool.Call(ctx, call)
		result.How = called
		return result, failed
	}
	result := tools.Result{Failed: true, Failure: fmt.Sprintf("Error: %v", err), How: called}
	if a.Long != nil { // the output was cut
		result.Text, result.File = a.Long.Text, a.Long.File
	}
	return result, nil
}

// maxRefusal bounds the message of a JSON-RPC error, in characters.
const maxRefusal = 4 << 10

// refused is the error of a JSON-RPC error.
func refused(message string) error {
	return fmt.Errorf("it answered with an error: %s", clip.Text(cmp.Or(message, "without a message"), maxRefusal))
}
