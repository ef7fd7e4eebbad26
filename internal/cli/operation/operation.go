// Package operation has the operations that flags ask for: each is a row that
// describes its flag, and a function that carries it out. Commands call the same
// functions. A file holds a family of operations, its rows first.
package operation

import (
	"context"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
)

// Row describes a flag, and the operation that it asks for, if any: all that chibi
// knows of either. Flags, --help, --json-config with its schema and completion are
// made of these rows.
type Row struct {
	*cmdline.Flag
	Operation
}

// Operation is what a run does because a flag asks for it, besides asking the model.
type Operation struct {
	Role  Role
	Phase Phase
	Needs Need
	// Asked reports whether the operation is asked for; nil: if its flag is given.
	Asked func() bool
	Run   Func
}

// Func carries an operation out with the words that its flag took.
type Func func(ctx context.Context, run Run, given cmdline.Given) error

// Run is what an operation works with.
type Run struct {
	Session *app.Session
	Env     *command.Env
}

// Role is what a flag means for the prompt of its run.
type Role int

const (
	// Says is for a flag that says how the run is done; without a prompt there is
	// nothing to do.
	Says Role = iota
	// Settles something; the prompt is read from standard input if no words give it,
	// and may be missing.
	Settles
	// Joins a prompt, if words give one.
	Joins
	// Shows something or is about another context: a prompt is asked only with -X.
	Shows
	// Removes the context in which a prompt would be asked.
	Removes
)

// Phase is when an operation is carried out, whatever the order of the flags is.
type Phase int

// The phases in their order.
const (
	PhaseSettings Phase = iota
	PhaseDestroy
	PhaseArchive
	PhaseCompact
	PhaseRename
	PhaseSystemPrompt
	PhaseShow
	PhaseCache
	PhaseCall
	PhaseMail
	PhaseLast
)

// Need is what an operation needs for its work.
type Need int

const (
	// NeedsNothing is for what works with the home alone.
	NeedsNothing Need = iota
	// NeedsGuards is for what calls a tool, or the model of another context.
	NeedsGuards
	// NeedsModel is for what asks the model, but not a prompt.
	NeedsModel
	// NeedsAnswer is for what asks the model a prompt.
	NeedsAnswer
)

// Asked are the operations that a run asks for, in the order of the table.
type Asked []Row

// AskedOf lists the operations that the given flags ask for.
func AskedOf(rows []Row) Asked {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		if r.Asked != nil {
			return !r.Asked()
		}
		return r.Role == Says || r.Given().Times == 0
	})
}

// AtLeast is the first operation that has this role or one beyond it; nil for none.
func (a Asked) AtLeast(least Role) *Row {
	i := slices.IndexFunc(a, func(r Row) bool { return r.Role >= least })
	if i < 0 {
		return nil
	}
	return &a[i]
}

// Need is what the operation needs that needs most.
func (a Asked) Need() Need {
	most := NeedsNothing
	for _, r := range a {
		most = max(most, r.Needs)
	}
	return most
}

// Run carries the operations out, phase by phase.
func (a Asked) Run(ctx context.Context, run Run) error {
	rows := slices.Clone(a)
	slices.SortStableFunc(rows, func(a, b Row) int { return int(a.Phase - b.Phase) })
	for _, r := range rows {
		if r.Run == nil {
			continue
		}
		if err := r.Run(ctx, run, r.Given()); err != nil {
			return err
		}
	}
	return nil
}

// Nothing is the operation that does nothing: a run that is described as JSON may
// only switch to a context.
func Nothing() []Row {
	return []Row{{&cmdline.Flag{Command: &cmdline.Command{Names: []string{"no_op"}, Data: "`context`"}},
		Operation{Role: Shows, Phase: PhaseLast, Run: func(_ context.Context, run Run, _ cmdline.Given) error {
			return run.Env.Out.Done("no_op", command.Fields{"context": run.Session.Name()}, "Nothing was done")
		}}}}
}

// onContext is what an operation does with the context of that name, and with the
// last of its flag's words.
type onContext func(ctx context.Context, run Run, name, word string) error

// noWord is for an operation that needs no word but the name of the context.
func noWord(do func(ctx context.Context, run Run, name string) error) onContext {
	return func(ctx context.Context, run Run, name, _ string) error { return do(ctx, run, name) }
}

// onCurrent does it with the context that is current when the operation's phase
// comes: one before it may have renamed it.
func onCurrent(do onContext) Func {
	return func(ctx context.Context, run Run, given cmdline.Given) error {
		return do(ctx, run, run.Session.Name(), lastWord(given))
	}
}

// onNamed does it with the context that the first of the flag's words names. It
// must exist.
func onNamed(do onContext) Func {
	return func(ctx context.Context, run Run, given cmdline.Given) error {
		name, err := app.Existing(ctx, run.Session, given.Values[0])
		if err != nil {
			return err
		}
		return do(ctx, run, name, lastWord(given))
	}
}

// lastWord is the last word that a flag took; "" for none.
func lastWord(given cmdline.Given) string {
	if len(given.Values) == 0 {
		return ""
	}
	return given.Values[len(given.Values)-1]
}
