// Package within says whether this process belongs to a command of a model: to one that
// the tool shell_exec runs, to a plugin's tool of the category shell, or to an MCP
// server. A chibi that such a command starts must not loosen the limits of the run around it.
//
// The mark is an environment variable. It holds only a command that leaves its environment alone: [Commands], [Flags]
// and [Keys] list what chibi refuses there. It is not CHIBI_DEPTH, which hooks and other tools of plugins have too.
package within

import (
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Variable is the environment variable that holds the mark.
const Variable = "CHIBI_WITHIN"

// Mark is what a command of a model learns about the run around it.
type Mark struct {
	// Tool is the tool that runs the command, such as shell_exec.
	Tool string `json:"tool"`
	// Home and Context are the home and the context of the run.
	Home string `json:"home"`
	// Scratch says that the home is one in which something is tried out: its contents are not the
	// person's.
	Scratch bool   `json:"scratch,omitempty"`
	Context string `json:"context,omitempty"`
	// Root is the directory that the tools of the run may work in; "": none.
	Root string `json:"root,omitempty"`
	// Settings are TOML texts: what the context and the flags of the run say about
	// permissions, plugins and tools.
	Settings []string `json:"settings,omitempty"`
	// IsTooLarge says that the settings are left out, as a variable cannot hold them.
	IsTooLarge bool `json:"too_large,omitempty"`
	// Flags are the flags of the run that are refused where it does not have them itself.
	Flags []string `json:"flags,omitempty"`
	// OnTerminal says that a person may read the refusals: it is not part of the value.
	OnTerminal bool `json:"-"`
}

// maxValue bounds the value of the variable, in bytes: Linux starts no program with a variable of 128 KiB.
const maxValue = 96 << 10

// Read returns the mark of this process; nil: it belongs to no command of a model. A mark without
// the settings that belong to it is an error.
func Read(getenv func(string) string) (*Mark, error) {
	text := getenv(Variable)
	if text == "" {
		return nil, nil
	}
	m := &Mark{}
	err := strictjson.DecodeKnown([]byte(text), m)
	if err == nil && (m.Tool == "" || m.Home == "") {
		err = errors.New(`it has no "tool" or no "home"`)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, by which chibi marks commands of a model, cannot be read: %w", Variable, err)
	}
	if m.IsTooLarge {
		return nil, m.Refusal("chibi", Row{Why: fmt.Sprintf("what the local.toml of context %q and the flags of the run "+
			"around it say about the model is larger than %d KiB, so that it cannot hold here", m.Context, maxValue>>10),
			Instead: "have rules for all contexts in config.toml"})
	}
	return m, nil
}

// Value returns the value of the variable.
func (m Mark) Value() string {
	text, _ := strictjson.Encode(m) // these types always encode
	if len(text) > maxValue && len(m.Settings) > 0 {
		m.Settings, m.IsTooLarge = nil, true
		return m.Value()
	}
	return string(text)
}

// Pair returns the variable as KEY=VALUE.
func (m Mark) Pair() string { return Variable + "=" + m.Value() }

// Has reports whether the run around the command has a flag, by its long name.
func (m Mark) Has(flag string) bool { return slices.Contains(m.Flags, flag) }

// Refusal returns the error for what is refused, such as "--trust-tools".
func (m Mark) Refusal(what string, row Row) error {
	return fmt.Errorf("%s is refused in a command of the model (%s): %s; %s%s", what, m.Tool, row.Why, row.Instead,
		m.Ended())
}

// Ended says how a person ends what the mark does in a terminal of their own, which is one that a
// command of the model started, such as the server of tmux; "": who reads it is the model.
func (m Mark) Ended() string {
	if !m.OnTerminal {
		return ""
	}
	return ". If this is such a terminal, a command of the model started what runs in it: unset " + Variable
}
