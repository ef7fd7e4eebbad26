// Package serve makes a program in Go a plugin of chibi: it answers --schema, hooks and
// tool calls, each started for itself or all of them in one process that stays (a resident
// plugin). docs/PROTOCOL.md describes the protocol.
//
//	func main() {
//		p := serve.Plugin{Schema: schema, Hook: hook, Tool: tool}
//		if err := p.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// While [Plugin.Run] runs, nothing else may write to standard output; write messages for a person to standard error.
package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// MaxRequest bounds a request, in bytes.
const MaxRequest = 64 << 20

// Plugin describes a plugin and what it does.
type Plugin struct {
	// Schema is printed as JSON for --schema: a value that can be encoded, such as a map or
	// a json.RawMessage. With "resident": true in it, chibi starts the plugin once per
	// session.
	Schema any
	// Hook answers an event with a value that is encoded as JSON; nil means no opinion. An
	// error means that the plugin failed. Nil: no opinion at any hook.
	Hook func(Event) (any, error)
	// Tool runs a tool and returns its output. An error means that the call failed; the
	// model reads its text. Nil: every call fails.
	Tool func(Call) (string, error)
	// Concurrent answers each request of a resident plugin in a goroutine of its own; Hook
	// and Tool must then be safe for concurrent use, and the schema must have
	// "concurrent": true. The variables of the process are then the variables of its start; otherwise
	// they come with the request.
	Concurrent bool
}

// Meta is the environment of a single event or call.
type Meta struct {
	// Home is chibi's home directory, Context the name of the context.
	Home    string `json:"CHIBI_HOME"`
	Context string `json:"CHIBI_CONTEXT"`
	// Verbose is "1" with -v, else "".
	Verbose string `json:"CHIBI_VERBOSE"`
	// Session is the id of the conversation, Prompt the id of the prompt that the model answers; "" for none.
	Session string `json:"CHIBI_SESSION_ID,omitempty"`
	Prompt  string `json:"CHIBI_PROMPT_ID,omitempty"`
	// Transcript is the path of the view of the conversation, if the schema asks for it.
	Transcript string `json:"CHIBI_TRANSCRIPT_PATH,omitempty"`
	// Within is the mark of a call of a tool of the category shell, for a chibi that it starts.
	Within string `json:"CHIBI_WITHIN,omitempty"`
}

// Event is an event of a conversation.
type Event struct {
	// Point is the hook, such as "pre_tool".
	Point string
	// Payload is a JSON object with the fields of the hook.
	Payload json.RawMessage
	// Meta is its environment.
	Meta Meta
}

// Call is a call of a tool.
type Call struct {
	// Name is the tool's name.
	Name string
	// Arguments is a JSON object.
	Arguments json.RawMessage
	// Meta is its environment.
	Meta Meta
}

// Run does what the arguments of the program, without its name, ask for: --schema,
// --resident, or one event or call, which is found in the environment of the process. It
// returns when that is done; with --resident when in ends. An error is the failure of the
// event or call, or of reading in or writing to out.
func (p Plugin) Run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) > 0 && args[0] == "--schema":
		return writeLine(out, p.Schema)
	case len(args) > 0 && args[0] == "--resident":
		return p.stay(in, out)
	}
	return p.once(in, out)
}

// once answers one event or call.
func (p Plugin) once(in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(io.LimitReader(in, MaxRequest+1))
	switch {
	case err != nil:
		return err
	case len(data) > MaxRequest:
		return errTooLarge
	}
	meta := Meta{os.Getenv("CHIBI_HOME"), os.Getenv("CHIBI_CONTEXT"), os.Getenv("CHIBI_VERBOSE"),
		os.Getenv("CHIBI_SESSION_ID"), os.Getenv("CHIBI_PROMPT_ID"), os.Getenv("CHIBI_TRANSCRIPT_PATH"),
		os.Getenv("CHIBI_WITHIN")}
	if point := os.Getenv("CHIBI_HOOK"); point != "" {
		answer, err := p.hook(Event{point, data, meta})
		if err != nil || answer == nil {
			return err
		}
		return writeLine(out, answer)
	}
	output, err := p.tool(Call{os.Getenv("CHIBI_TOOL_NAME"), data, meta})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, output)
	return err
}

var errTooLarge = errors.New("the request is larger than 64 MiB")

func (p Plugin) hook(ev Event) (any, error) {
	if p.Hook == nil {
		return nil, nil
	}
	return p.Hook(ev)
}

func (p Plugin) tool(call Call) (string, error) {
	if p.Tool == nil {
		return "", fmt.Errorf("there is no tool %q", call.Name)
	}
	return p.Tool(call)
}

// request is a request of JSON-RPC.
type request struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params struct {
		Meta      Meta            `json:"meta"`
		Point     string          `json:"point"`
		Payload   json.RawMessage `json:"payload"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// surround gives the process the variables that it has if it is started for the request alone.
func (r request) surround() {
	meta := r.Params.Meta
	for name, value := range map[string]string{"CHIBI_CONTEXT": meta.Context, "CHIBI_VERBOSE": meta.Verbose,
		"CHIBI_SESSION_ID": meta.Session, "CHIBI_PROMPT_ID": meta.Prompt, "CHIBI_TRANSCRIPT_PATH": meta.Transcript,
		"CHIBI_WITHIN": meta.Within,
		"CHIBI_HOOK":   r.Params.Point, "CHIBI_TOOL_NAME": r.Params.Name} {
		if value == "" {
			os.Unsetenv(name)
		} else {
			os.Setenv(name, value)
		}
	}
}

// response is a response of JSON-RPC: a result, or an error.
type response struct {
	Version string   `json:"jsonrpc"`
	ID      int64    `json:"id"`
	Result  any      `json:"result,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// stay answers requests until in ends.
func (p Plugin) stay(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, MaxRequest)
	var writing sync.Mutex
	var answers sync.WaitGroup
	defer answers.Wait()
	for lines.Scan() {
		var r request
		if err := strictjson.Decode(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("a request cannot be read: %w", err)
		}
		answer := func() error {
			line := p.answer(r)
			writing.Lock()
			defer writing.Unlock()
			_, err := out.Write(line)
			return err
		}
		if p.Concurrent {
			answers.Go(func() { answer() }) // where writing fails, chibi has ended
			continue
		}
		r.surround()
		if err := answer(); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errTooLarge
	}
	return lines.Err()
}

func (p Plugin) answer(r request) []byte {
	var result any
	var err error
	switch r.Method {
	case "hook":
		if result, err = p.hook(Event{r.Params.Point, r.Params.Payload, r.Params.Meta}); result == nil {
			result = struct{}{}
		}
	case "tool":
		var output string
		output, err = p.tool(Call{r.Params.Name, r.Params.Arguments, r.Params.Meta})
		result = map[string]string{"output": output}
	default:
		err = fmt.Errorf("there is no method %q", r.Method)
	}
	var line []byte
	if err == nil {
		line, err = strictjson.Encode(response{Version: "2.0", ID: r.ID, Result: result})
	}
	if err != nil {
		line, _ = strictjson.Encode(response{Version: "2.0", ID: r.ID, Error: &failure{1, err.Error()}})
	}
	return append(line, '\n')
}

// writeLine writes a value as a line of JSON.
func writeLine(out io.Writer, v any) error {
	line, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
