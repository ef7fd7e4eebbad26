package cli

import (
	"context"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// operation is what a run does because a flag asks for it, besides asking the model.
type operation struct {
	role  role
	phase phase
	needs need
	// asked reports whether the operation is asked for; nil: if its flag is given.
	asked func() bool
	run   runOperation
}

// runOperation does what a flag asks for with the words that it took.
type runOperation func(ctx context.Context, s *session, given cmdline.Given) error

// role is what a flag means for the prompt of its run.
type role int

const (
	// says how the run is done; without a prompt there is nothing to do.
	says role = iota
	// settles something; the prompt is read from standard input if no words give it,
	// and may be missing.
	settles
	// joins a prompt, if words give one.
	joins
	// shows something or is about another context: a prompt is asked only with -X.
	shows
	// removes the context in which a prompt would be asked.
	removes
)

// phase is when an operation is carried out, whatever the order of the flags is.
type phase int

const (
	phaseSettings phase = iota
	phaseDestroy
	phaseArchive
	phaseCompact
	phaseRename
	phaseSystemPrompt
	phaseShow
	phaseCache
	phaseCall
	phaseMail
	phaseLast
)

// need is what an operation needs for its work.
type need int

const (
	needsNothing need = iota
	needsGuards       // it calls a tool, or the model of another context
	needsModel
	needsAnswer // it asks the model a prompt
)

// noteAsked keeps which operations a run asks for.
func (o *options) noteAsked(rows []row) {
	o.asked = slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		if r.asked != nil {
			return !r.asked()
		}
		return r.role == says || r.Given().Times == 0
	})
}

// atLeast is the first operation of the run that has this role or one beyond it;
// nil for none.
func (o *options) atLeast(least role) *row {
	i := slices.IndexFunc(o.asked, func(r row) bool { return r.role >= least })
	if i < 0 {
		return nil
	}
	return &o.asked[i]
}

// need is what the operations need that needs most.
func (o *options) need() need {
	most := needsNothing
	for _, r := range o.asked {
		most = max(most, r.needs)
	}
	return most
}

// runOperations carries out the operations that a run asks for.
func runOperations(ctx context.Context, s *session) error {
	rows := slices.Clone(s.opts.asked)
	slices.SortStableFunc(rows, func(a, b row) int { return int(a.phase - b.phase) })
	for _, r := range rows {
		if r.run == nil {
			continue
		}
		if err := r.run(ctx, s, r.Given()); err != nil {
			return err
		}
	}
	return nil
}

// doNothing is for runs that are described as JSON: they may only switch to a
// context.
func doNothing(_ context.Context, s *session, _ cmdline.Given) error {
	return s.done("no_op", fields{"context": s.Name()}, "Nothing was done")
}

// onContext is what an operation does with the context of that name, and with the
// last of its flag's words.
type onContext func(ctx context.Context, s *session, name, word string) error

// noWord is for an operation that needs no word but the name of the context.
func noWord(do func(ctx context.Context, s *session, name string) error) onContext {
	return func(ctx context.Context, s *session, name, _ string) error { return do(ctx, s, name) }
}

// onCurrent does it with the context that is current when the operation's phase
// comes: one before it may have renamed it.
func onCurrent(do onContext) runOperation {
	return func(ctx context.Context, s *session, given cmdline.Given) error {
		return do(ctx, s, s.Name(), lastWord(given))
	}
}

// onNamed does it with the context that the first of the flag's words names. It
// must exist.
func onNamed(do onContext) runOperation {
	return func(ctx context.Context, s *session, given cmdline.Given) error {
		name, err := app.Existing(ctx, s.Session, given.Values[0])
		if err != nil {
			return err
		}
		return do(ctx, s, name, lastWord(given))
	}
}

// lastWord is the last word that a flag took; "" for none.
func lastWord(given cmdline.Given) string {
	if len(given.Values) == 0 {
		return ""
	}
	return given.Values[len(given.Values)-1]
}
