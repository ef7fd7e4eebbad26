// Package operation has the operations that flags ask for: each is a row that
// describes its flag, and a function that carries it out. Commands call the same
// functions. A file holds a family of operations, its rows first.
package operation

import (
	"context"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
)

// Row describes a flag and the operation that it asks for, if any. Flags, --help,
// --json-config with its schema, and completion are made from these rows.
type Row struct {
	*cmdline.Flag
	Operation
}

// Operation is something that a run does for a flag, besides asking the model.
type Operation struct {
	Role  Role
	Phase Phase
	Needs Need
	// Asked reports whether somebody asks for the operation; nil means: if its flag is given.
	Asked func() bool
	Run   Func
}

// Func carries an operation out with the words that its flag took.
type Func func(ctx context.Context, run Run, given cmdline.Given) error

// Run is what an operation works with.
type Run struct {
	Session *app.Session
	// Out prints, Confirm asks a person on the terminal.
	Out     *output.Printer
	Confirm func(ctx context.Context, question string) (bool, error)
	// Within says that a command of the model asks for it.
	Within bool
}

// Role is the effect of a flag on the prompt of its run.
type Role int

const (
	// Says is for a flag that modifies the run; without a prompt, there is nothing to do.
	Says Role = iota
	// Settles is for an operation whose run reads the prompt from standard input if no
	// words are given; the prompt may be empty.
	Settles
	// Joins is for an operation that runs before the prompt, if words are given.
	Joins
	// Shows is for an operation that shows something or is about another context: the
	// prompt is asked only with -X.
	Shows
	// Removes is for an operation that deletes the context of the prompt.
	Removes
)

// Phase is when an operation is carried out, independent of the order of the flags.
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
	// NeedsNothing is for operations that need only the home.
	NeedsNothing Need = iota
	// NeedsGuards is for operations that call a tool, or the model of another context.
	NeedsGuards
	// NeedsModel is for operations that call the model without a prompt.
	NeedsModel
	// NeedsAnswer is for operations that send a prompt to the model.
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

// AtLeast returns the first operation with this role or a later one; nil for none.
func (a Asked) AtLeast(least Role) *Row {
	return a.first(func(r Row) bool { return r.Role >= least })
}

// Keeps returns the first operation that is pointless in a run that keeps nothing; nil for none.
// Before a prompt, a context can be emptied or compacted for that prompt.
func (a Asked) Keeps() *Row {
	return a.first(func(r Row) bool {
		switch r.Phase {
		case PhaseShow, PhaseCall, PhaseLast:
			return false
		case PhaseArchive, PhaseCompact:
			return r.Role != Joins
		}
		return r.Run != nil
	})
}

// Empties returns the first operation that empties or compacts a context; nil for none.
func (a Asked) Empties() *Row {
	return a.first(func(r Row) bool { return r.Phase == PhaseArchive || r.Phase == PhaseCompact })
}

func (a Asked) first(is func(Row) bool) *Row {
	i := slices.IndexFunc(a, is)
	if i < 0 {
		return nil
	}
	return &a[i]
}

// Need returns the greatest need of the operations.
func (a Asked) Need() Need {
	most := NeedsNothing
	for _, r := range a {
		most = max(most, r.Needs)
	}
	return most
}

// Names lists the flags of the operations, as a person writes them. Flags that only choose
// the context are left out.
func (a Asked) Names() (list []string) {
	for _, r := range a {
		if r.Run != nil {
			list = append(list, r.Written())
		}
	}
	return list
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

// Nothing is the operation that does nothing, for a run described as JSON that only
// switches to a context.
func Nothing() []Row {
	return []Row{{&cmdline.Flag{Command: &cmdline.Command{Names: []string{"no_op"}, Data: "`context`"}},
		Operation{Role: Shows, Phase: PhaseLast, Run: func(_ context.Context, run Run, _ cmdline.Given) error {
			return run.Out.Done("no_op", output.Fields{"context": run.Session.Name()}, "Nothing was done")
		}}}}
}

type onContext func(ctx context.Context, run Run, name, word string) error

// noWord is for an operation that needs no word except the name of the context.
func noWord(do func(ctx context.Context, run Run, name string) error) onContext {
	return func(ctx context.Context, run Run, name, _ string) error { return do(ctx, run, name) }
}

// onCurrent carries it out on the context that is current when the operation's phase
// begins, because an earlier operation may have renamed it.
func onCurrent(do onContext) Func {
	return func(ctx context.Context, run Run, given cmdline.Given) error {
		return do(ctx, run, run.Session.Name(), lastWord(given))
	}
}

// onNamed carries it out on the context that the first of the flag's words names, which
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

func lastWord(given cmdline.Given) string {
	if len(given.Values) == 0 {
		return ""
	}
	return given.Values[len(given.Values)-1]
}
