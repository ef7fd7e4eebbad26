package config

import "fmt"

// kode is the [kode] table: hooks in Kode's way.
type kode struct {
	Hooks kodeHooks `toml:"hooks"`
}

// kodeHooks are the [[kode.hooks.EVENT]] entries of each event. As with other
// lists, a later source replaces an event's list.
type kodeHooks struct {
	SessionStart     []kodeHook `toml:"session_start"`
	UserPromptSubmit []kodeHook `toml:"user_prompt_submit"`
	ToolCallPre      []kodeHook `toml:"tool_call_pre"`
	ToolCallPost     []kodeHook `toml:"tool_call_post"`
	SessionEnd       []kodeHook `toml:"session_end"`
}

type kodeHook struct {
	Exec      string   `toml:"exec"`
	Args      []string `toml:"args"`
	TimeoutMS *int     `toml:"timeout_ms"`
}

// KodeHook is one [[kode.hooks.EVENT]] entry.
type KodeHook struct {
	// Event is Kode's name of the event.
	Event string
	// Exec is the program, Args its arguments.
	Exec string
	Args []string
	// TimeoutMS bounds it; 0: not set.
	TimeoutMS int
}

// kodeEvent is an event with its hooks.
type kodeEvent struct {
	name  string
	hooks []kodeHook
}

// events lists the events in the order in which they happen.
func (k kode) events() []kodeEvent {
	h := k.Hooks
	return []kodeEvent{
		{"session_start", h.SessionStart}, {"user_prompt_submit", h.UserPromptSubmit},
		{"tool_call_pre", h.ToolCallPre}, {"tool_call_post", h.ToolCallPost}, {"session_end", h.SessionEnd},
	}
}

func (k kode) resolve() (list []KodeHook) {
	for _, e := range k.events() {
		for _, h := range e.hooks {
			list = append(list, KodeHook{Event: e.name, Exec: h.Exec, Args: h.Args, TimeoutMS: or(h.TimeoutMS, 0)})
		}
	}
	return list
}

// validate refuses entries that cannot be run.
func (k kode) validate() (key string, err error) {
	for _, e := range k.events() {
		for i, h := range e.hooks {
			where := fmt.Sprintf("entry %d of kode.hooks.%s", i+1, e.name)
			if h.Exec == "" {
				return "exec", fmt.Errorf("%s has no exec; write exec = \"PROGRAM\"", where)
			}
			if t := or(h.TimeoutMS, 1); t <= 0 {
				return "timeout_ms", fmt.Errorf("timeout_ms in %s is %d; want a number above 0", where, t)
			}
		}
	}
	return "", nil
}
