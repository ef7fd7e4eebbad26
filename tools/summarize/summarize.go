// Package summarize holds the tool summarize_content: a model that has not seen the
// conversation reads a file, a URL or a cached output and answers the caller's question about
// it, so that only the answer comes into the conversation.
//
// It promises that the same rules decide as if read_file or fetch_url read the content, that the
// content reaches the model as data between two lines which it cannot contain, and that it says
// what it left out.
package summarize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// Name is the tool's name.
const Name = "summarize_content"

// Config has everything that the tool needs.
type Config struct {
	// Files says what read_file may read.
	Files coding.Config
	// Fetch says how to fetch URLs.
	Fetch fetch.Config
	// Cache has the outputs of the conversation.
	Cache cache.Browser
	// Window returns how many tokens the context window of a model has; "" is the model of
	// the conversation.
	Window func(model string) int
	// Ask lets a model answer that has no tools, in the context of the call. A failure is a failed
	// result; an error is the end of the context. It is called by several goroutines
	// at once.
	Ask func(ctx context.Context, r Request) (tools.Result, error)
}

// Request is a request to a model that knows nothing else.
type Request struct {
	// SystemPrompt says what it does, Input has the instructions and the content.
	SystemPrompt, Input string
	// Model is the model that answers; "": the model of the conversation.
	Model string
	// Temperature and MaxTokens are the values of the request; nil: the values of the configuration.
	Temperature *float64
	MaxTokens   *int
}

// New returns the tool.
func New(c Config) tools.Tool {
	c.Fetch.Tool = Name
	return summarizer{c}
}

type summarizer struct{ Config }

var (
	_ tools.Planner = summarizer{}
	_ tools.Varied  = summarizer{}
)

func (summarizer) Spec() tools.Spec {
	return tools.Spec{
		Name: Name,
		Description: "Have a model that does not know this conversation read a file, a URL or a cached output, and " +
			"answer by your instructions. Use it for what is too long to read yourself.",
		Parameters: json.RawMessage(parameters),
		Kind:       tools.Builtin, Category: tools.CategoryAgent, Parallel: true,
	}
}

const parameters = `{"type": "object", "properties": {
"source": {"type": "string", "minLength": 1, "description": "The path of a file (a relative one starts at the ` +
	`project root), a URL that begins with https:// or http://, or the id of a cached output"},
"instructions": {"type": "string", "minLength": 1, "description": "What to answer about the content"},
"model": {"type": "string", "description": "The model that reads it; without it, the one of this conversation"},
"temperature": {"type": "number", "minimum": 0, "maximum": 2},
"max_tokens": {"type": "integer", "minimum": 1, "description": "How long the answer can be"}
}, "required": ["source", "instructions"], "additionalProperties": false}`

type arguments struct {
	Source       string   `json:"source"`
	Instructions string   `json:"instructions"`
	Model        string   `json:"model"`
	Temperature  *float64 `json:"temperature"`
	MaxTokens    *int     `json:"max_tokens"`
}

func read(call tools.Call) (a arguments, err error) {
	if err := call.Decode(&a); err != nil {
		return a, err
	}
	switch {
	case strings.TrimSpace(a.Source) == "":
		return a, errors.New("source is empty; name a file, a URL or a cached output")
	case strings.TrimSpace(a.Instructions) == "":
		return a, errors.New("instructions are empty; say what the answer should be about")
	case a.MaxTokens != nil && *a.MaxTokens < 1:
		return a, fmt.Errorf("max_tokens is %d; it must be at least 1", *a.MaxTokens)
	case a.Temperature != nil && (*a.Temperature < 0 || *a.Temperature > 2):
		return a, fmt.Errorf("temperature is %v; want a number from 0 to 2", *a.Temperature)
	}
	return a, nil
}

// SpecFor says what a call with these arguments reads.
func (s summarizer) SpecFor(raw json.RawMessage) tools.Spec {
	spec := s.Spec()
	var a arguments
	if (tools.Call{Arguments: raw}).Decode(&a) != nil {
		return spec
	}
	switch kindOf(a.Source) {
	case ofFile:
		spec.Category, spec.Subject = tools.CategoryRead, "source"
	case ofURL:
		spec.Category, spec.Subject = tools.CategoryFetch, "source"
	}
	return spec
}

// Plan opens a file, and prepares a fetch.
func (s summarizer) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	args, err := read(call)
	if err != nil {
		return nil, err
	}
	from, err := s.source(args.Source)
	if err != nil {
		return nil, err
	}
	return &plan{summarizer: s, args: args, source: from}, nil
}

// Call plans and runs a call that nobody judges. A person can name any URL in a call of their
// own.
func (s summarizer) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	p, err := s.Plan(ctx, call)
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	defer p.Close()
	if from, isWeb := p.(*plan).source.(web); isWeb && call.ID == "" {
		from.page.MeantByPerson()
	}
	return p.Run(ctx)
}

type plan struct {
	summarizer
	args   arguments
	source source
}

func (p *plan) Access() tools.Access { return p.source.access() }

func (p *plan) Close() { p.source.close() }

// Run reads the source and asks the model about it.
func (p *plan) Run(ctx context.Context) (tools.Result, error) {
	content, err := p.source.read(ctx, bytesFor(p.Window(p.args.Model)))
	if err == nil && strings.TrimSpace(content.text) == "" {
		err = fmt.Errorf("%s is empty; there is nothing to summarize", content.name)
	}
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case err != nil:
		return tools.ErrorResult(err), nil
	}
	result, err := p.Ask(ctx, Request{SystemPrompt: systemPrompt, Input: input(p.args.Instructions, content),
		Model: p.args.Model, Temperature: p.args.Temperature, MaxTokens: p.args.MaxTokens})
	if err == nil && !result.Failed {
		result.Text = withNotes(strings.TrimSpace(result.Text), content.notes)
	}
	return result, err
}

// withNotes puts remarks behind a text, a line each.
func withNotes(text string, notes []string) string {
	for _, note := range notes {
		text += "\n[" + note + "]"
	}
	return text + "\n"
}

func size(n int64) string { return humanize.Comma(n) + " bytes" }
