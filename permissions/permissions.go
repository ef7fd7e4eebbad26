// Package permissions decides whether a tool call may happen: by rules, by what hooks
// answered, by the defaults of the tool's category, and at last by asking the person.
//
// It promises that a denial beats a question and a question beats a permission, whoever
// said them ([Strictest]), and that the defaults decide where nobody else does.
package permissions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// Decision is what a rule, a hook, a default or the person says about a call.
type Decision string

// The decisions.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Ask       Decision = "ask"
	Deny      Decision = "deny"
)

// rank orders decisions by strictness.
func (d Decision) rank() int { return slices.Index([]Decision{Undecided, Allow, Ask, Deny}, d) }

// Judgement is a decision with who made it.
type Judgement struct {
	Decision Decision
	// By names who decided, as part of a sentence: `the rule "shell_exec(git *)" of
	// config.toml`, `plugin "guard"`, `--trust-tools`, `the default for shell`.
	By string
	// Plugin names the plugin that decided, "" if none did.
	Plugin string
	// Reason says why, for the model and the person; "" if there is nothing to add.
	Reason string
	// Protected says that only the person's explicit yes at the terminal allows the
	// call, whatever rules and hooks say.
	Protected bool
	// Doubtful says that a rule which denies may be about the call, so that only the person
	// can say that it is not.
	Doubtful bool
	// Insistent says of a question that neither a rule nor TrustAll answers it: a plugin wants
	// chibi to ask the person about this very call.
	Insistent bool
	// Changed says how the definition of the tool of an MCP server differs from the approved
	// one, so that only the person can allow the call, and then approves the new one.
	Changed *Change
}

// ThePerson is who decided by answering a question.
const ThePerson = "the person"

// Refusal says in a sentence why a call is denied, and by whom.
func (j Judgement) Refusal() string {
	switch {
	case j.By == ThePerson && j.Reason == "":
		return "the person said no"
	case j.By == ThePerson:
		return "the person said no: " + j.Reason
	case j.Reason == "":
		return j.By + " denies it"
	case j.By == "" || strings.Contains(j.Reason, j.By):
		return j.Reason
	}
	return fmt.Sprintf("%s (%s)", j.Reason, j.By)
}

// Strictest returns the strictest judgement: deny, ask, allow, undecided; of several
// equally strict ones the first.
func Strictest(list ...Judgement) Judgement {
	var strictest Judgement
	for _, j := range list {
		if j.Decision.rank() > strictest.Decision.rank() {
			j, strictest = strictest, j
		}
		strictest.Protected = strictest.Protected || j.Protected
		strictest.Doubtful = strictest.Doubtful || j.Doubtful
		strictest.Insistent = strictest.Insistent || j.Insistent
	}
	return strictest
}

// Call is a tool call to decide about.
type Call struct {
	// Tool describes the tool.
	Tool tools.Spec
	// ID is the model's identifier of the call.
	ID string
	// Agent is the id of the sub-agent that makes the call, "" outside of one.
	Agent string
	// Arguments are the final ones, after all hooks.
	Arguments json.RawMessage
	// Access is what the call would do.
	Access tools.Access
}

// Question is a question to the person.
type Question struct {
	Call
	// Why is the judgement that asks.
	Why Judgement
	// Rule is the rule that the person can allow for this run, so that chibi does not ask about
	// such a call again; "" if there is none.
	Rule string
}

// Lasting returns the rule that would allow the call from now on, "" if none can: a rule of the
// configuration does not answer a plugin's question.
func (q Question) Lasting() string {
	if q.Why.Insistent {
		return ""
	}
	return q.Rule
}

// Scope is how long the person's answer holds.
type Scope string

// The scopes.
const (
	Once    Scope = "once"
	ThisRun Scope = "run"
	Always  Scope = "always"
)

// Answer is the person's answer.
type Answer struct {
	// Allow permits the call.
	Allow bool
	// Scope is how long that holds.
	Scope Scope
	// Reason is what the person tells the model about a refusal; often "".
	Reason string
}

// ErrNobody says that there is no terminal at which chibi could ask a person.
var ErrNobody = errors.New("there is no terminal to ask at")

// Nobody is an ErrNobody that says in a few words why chibi can ask nobody although there is
// a terminal, as in "it is asked, and ...".
type Nobody string

// Error returns the words.
func (n Nobody) Error() string { return string(n) }

// Is reports whether target is [ErrNobody].
func (n Nobody) Is(target error) bool { return target == ErrNobody }

// Person asks the person. Implementations are safe for concurrent use and ask one
// question at a time.
type Person interface {
	// Ask waits for an answer without a time limit. Errors are the end of ctx, and
	// [ErrNobody] if nobody can be asked.
	Ask(ctx context.Context, q Question) (Answer, error)
}
