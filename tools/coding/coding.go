package coding

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// Config has everything that the tools need.
type Config struct {
	// Root is the absolute path of the directory that relative paths start from: the
	// project's root, or the current directory where there is none.
	Root string
	// Home is the person's home directory, which a leading "~" in a path means; "": none.
	Home string
	// Private is chibi's home. Its files with keys, settings and approvals are never read;
	// "": there are none.
	Private string
	// MayRead reports whether permissions allow to read a file or directory, by its path
	// without links. The caller judges calls and the paths that they name; MayRead judges the files
	// that a search finds below those, and old contents in a diff. nil: all. It is called by several
	// goroutines at once.
	MayRead func(real string) bool
	// Reads remembers what the model has read; nil: the tools of one call of Tools remember
	// for each other.
	Reads *Reads
}

// mayRead reports whether permissions allow to read what a search found.
func (c Config) mayRead(real string) bool { return c.MayRead == nil || c.MayRead(real) }

// Tools lists the tools in the order in which they are offered.
func Tools(c Config) []tools.Tool {
	if c.Reads == nil {
		c.Reads = &Reads{}
	}
	return []tools.Tool{readFile(c), writeFile(c), fileEdit(c), globFiles(c), grepFiles(c), dirList(c)}
}

type tool struct {
	spec tools.Spec
	plan func(ctx context.Context, call tools.Call) (tools.Plan, error)
}

func (t tool) Spec() tools.Spec { return t.spec }

// Plan prepares a call. An error means that the arguments are invalid.
func (t tool) Plan(ctx context.Context, call tools.Call) (tools.Plan, error) {
	return t.plan(ctx, call)
}

// Call plans and runs a call that nobody judges.
func (t tool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	p, err := t.plan(ctx, call)
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	defer p.Close()
	return p.Run(ctx)
}

// plan is a prepared call.
type plan struct {
	access  tools.Access
	failure error // why it cannot be carried out
	run     func(ctx context.Context) (string, error)
	close   func()
}

// Access describes what Run will do.
func (p *plan) Access() tools.Access { return p.access }

func (p *plan) Run(ctx context.Context) (tools.Result, error) {
	if err := ctx.Err(); err != nil {
		return tools.Result{}, err
	}
	if p.failure != nil {
		return tools.ErrorResult(p.failure), nil
	}
	text, err := p.run(ctx)
	return tools.TextResult(ctx, text, err)
}

func (p *plan) Close() {
	if p.close != nil {
		p.close()
	}
	p.close = nil
}

// or returns the number of an argument that may be missing. Less than 1 is an error.
func or(argument *int, name string, standard int) (int, error) {
	if argument == nil {
		return standard, nil
	}
	if *argument < 1 {
		return 0, fmt.Errorf("%s is %d; it must be at least 1", name, *argument)
	}
	return *argument, nil
}

// object is the JSON Schema of arguments, from the schemas of its properties.
func object(required []string, properties ...string) json.RawMessage {
	var names []string
	for _, name := range required {
		names = append(names, `"`+name+`"`)
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` +
		strings.Join(names, ",") + `]}`)
}

// property is the schema of one argument; more are further keywords.
func property(name, kind, description string, more ...string) string {
	text := `"` + name + `":{"type":"` + kind + `","description":` + string(strictjson.Quote(description))
	for _, keyword := range more {
		text += "," + keyword
	}
	return text + "}"
}
