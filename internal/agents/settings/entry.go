package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// maxTimeLimit bounds a handler's time limit.
const maxTimeLimit = 24 * time.Hour

// entry is a handler in a settings file. Agents add members all the time, so a member that is not here is not a
// mistake.
type entry struct {
	Type            string            `json:"type"`
	Matcher         string            `json:"matcher"`
	If              string            `json:"if"`
	Name            string            `json:"name"`
	StatusMessage   string            `json:"statusMessage"`
	Command         string            `json:"command"`
	Bash            string            `json:"bash"`
	PowerShell      string            `json:"powershell"`
	Exec            string            `json:"exec"`
	Args            *[]string         `json:"args"`
	Shell           string            `json:"shell"`
	Dir             string            `json:"cwd"`
	Env             map[string]string `json:"env"`
	URL             string            `json:"url"`
	Headers         map[string]string `json:"headers"`
	AllowedEnv      []string          `json:"allowedEnvVars"`
	Prompt          string            `json:"prompt"`
	Model           string            `json:"model"`
	Server          string            `json:"server"`
	Tool            string            `json:"tool"`
	Input           json.RawMessage   `json:"input"`
	Async           bool              `json:"async"`
	AsyncRewake     bool              `json:"asyncRewake"`
	Once            bool              `json:"once"`
	Sequential      bool              `json:"sequential"`
	FailClosed      bool              `json:"failClosed"`
	LoopLimit       *int              `json:"loop_limit"`
	ContinueOnBlock bool              `json:"continueOnBlock"`
}

// readEntry reads a handler into h, which has the members of its group.
func readEntry(s engine.Shape, object gjson.Result, h *Handler) error {
	switch {
	case !object.IsObject():
		return fmt.Errorf("it is %s; want an object", strictjson.TypeOf([]byte(object.Raw)))
	case !s.Groups && member(object, "hooks").IsArray():
		return errors.New(`it has a list "hooks", as groups of other agents have; want the handler itself here`)
	}
	var e entry
	if err := strictjson.Decode([]byte(object.Raw), &e); err != nil {
		return err
	}
	e.into(h)
	if !s.Groups {
		h.Matcher, h.Sequential = e.Matcher, e.Sequential
	}
	kind := engine.HandlerKind(e.Type)
	switch {
	case e.Type == "" && len(s.Kinds) > 0:
		kind = s.Kinds[0]
	case !slices.Contains(s.Kinds, kind):
		h.Kind, h.Type = "", e.Type
		return nil
	}
	h.Kind = kind
	if err := e.check(h); err != nil {
		return err
	}
	limit, err := timeLimit(s, object, kind)
	h.Timeout = limit
	return err
}

// into copies an entry into a handler.
func (e *entry) into(h *Handler) {
	h.If, h.Name, h.StatusMessage, h.Command, h.Shell, h.Dir, h.Env = e.If, e.Name, e.StatusMessage, e.Command, e.Shell,
		e.Dir, e.Env
	h.URL, h.Headers, h.AllowedEnv, h.Prompt, h.Model = e.URL, e.Headers, e.AllowedEnv, e.Prompt, e.Model
	h.Server, h.Tool, h.Input, h.Async, h.AsyncRewake, h.Once = e.Server, e.Tool, e.Input, e.Async, e.AsyncRewake, e.Once
	h.FailClosed, h.LoopLimit, h.ContinueOnBlock = e.FailClosed, e.LoopLimit, e.ContinueOnBlock
	if e.Args != nil {
		h.Exec, h.Args = true, *e.Args
	}
	switch {
	case e.Exec != "":
		h.Command, h.Exec = e.Exec, true
	case e.Bash != "":
		h.Command, h.Shell = e.Bash, "bash"
	case h.Command == "" && e.PowerShell != "":
		h.Command, h.Shell = e.PowerShell, "powershell"
	}
}

// check returns an error for a member that a handler of the kind needs and lacks.
func (e *entry) check(h *Handler) error {
	missing := ""
	switch h.Kind {
	case engine.CommandHandler:
		if strings.TrimSpace(h.Command) == "" {
			missing = "command"
		}
	case engine.HTTPHandler:
		if h.URL == "" {
			missing = "url"
		}
	case engine.PromptHandler, engine.AgentHandler:
		if h.Prompt == "" {
			missing = "prompt"
		}
	case engine.MCPToolHandler:
		if h.Server == "" || h.Tool == "" {
			missing = "server or tool"
		}
	}
	if missing != "" {
		return fmt.Errorf("a handler of type %q needs %s", h.Kind, missing)
	}
	for _, text := range append([]string{h.Command, h.Dir}, h.Args...) {
		if strings.ContainsRune(text, 0) {
			return errors.New("its command has a NUL byte in it")
		}
	}
	for name, value := range h.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return fmt.Errorf("env: %q is not a variable", name)
		}
	}
	return nil
}

// timeLimit reads the time limit of a handler.
func timeLimit(s engine.Shape, object gjson.Result, kind engine.HandlerKind) (time.Duration, error) {
	for _, name := range []string{s.Timeout, s.TimeoutAlias} {
		value := member(object, name)
		if name == "" || !value.Exists() || value.Type == gjson.Null {
			continue
		}
		if value.Type != gjson.Number || value.Num < 0 {
			return 0, fmt.Errorf("%s: must be a number of %s, is %.40s", name, unitName(unitOf(s, kind)), value.Raw)
		}
		return time.Duration(math.Min(value.Num*float64(unitOf(s, kind)), float64(maxTimeLimit))), nil
	}
	return 0, nil
}

// unitOf returns the unit of the time limits of handlers of a kind.
func unitOf(s engine.Shape, kind engine.HandlerKind) time.Duration {
	if s.Unit == 0 || slices.Contains(s.Seconds, kind) {
		return time.Second
	}
	return s.Unit
}

func unitName(unit time.Duration) string {
	if unit == time.Millisecond {
		return "milliseconds"
	}
	return "seconds"
}
