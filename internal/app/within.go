package app

import (
	"context"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/within"
)

// markFor returns what commands that a tool runs for the model learn about the session.
func markFor(s *Session, tool string) within.Mark {
	m := within.Mark{Tool: tool, Home: toldHome(s), Context: s.Name(), Root: s.Project.ToolRoot(),
		Flags: looseFlags(s.opts)}
	around := s.opts.Within
	m.Scratch = toldHome(s) != s.Home || around != nil && around.Scratch
	if around != nil {
		m.Root = around.Root // what a run within it may write is not what its own project has
	}
	m.Settings, _ = config.Holding(configSources(s, s.opts.Set)) // they were read before
	return m
}

// CheckSet returns an error for the first key of --set that is refused within a command of a model.
func CheckSet(m *within.Mark, set []string) error { return checkKeys(m, set, within.CheckSet) }

// CheckSaved is like CheckSet for what --save stores.
func CheckSaved(m *within.Mark, set []string) error { return checkKeys(m, set, within.CheckSaved) }

func checkKeys(m *within.Mark, set []string, check func(*within.Mark, []string) error) error {
	for _, pair := range set {
		keys, err := config.SetKeys(pair)
		if err != nil {
			return UsageError{Err: err}
		}
		if err := check(m, keys); err != nil {
			return err
		}
	}
	return nil
}

// checkHome returns an error for another home than the home of the run around a command of a model.
// Other agents name the home whose plugins they ask.
func checkHome(s *Session) error {
	if m := s.opts.Within; m != nil && s.opts.Bridge == nil {
		return m.CheckHome(s.Home)
	}
	return nil
}

// checkContext returns an error for a context whose own settings make looser what holds the run
// around a command of a model. Those of the context of that run hold it already.
func checkContext(s *Session) error {
	m := s.opts.Within
	if m == nil || s.opts.Bridge != nil || s.Name() == m.Context || s.local.IsShared {
		return nil
	}
	keys, err := s.local.Keys()
	if err != nil {
		return err
	}
	return m.CheckContext(s.Name(), keys)
}

// mayLeave returns an error if a context that says what the model may do would not be the current one
// any more.
func mayLeave(ctx context.Context, s *Session) error {
	if s.from == s.Name() {
		return nil
	}
	return keep(ctx, s, "leaving", s.from)
}

// MayLose returns an error if a context has settings about what the model may do, which runs within a
// command of a model must not take away.
func MayLose(ctx context.Context, s *Session, name string) error {
	return keep(ctx, s, "taking away", name)
}

// keep returns an error if what is done to a context would take away settings about what the model may
// do.
func keep(ctx context.Context, s *Session, doing, name string) error {
	if s.opts.Within == nil {
		return nil
	}
	c, err := s.Store.Context(name)
	if err != nil {
		return err
	}
	text, err := c.LocalConfig(ctx)
	if err != nil {
		return err
	}
	keys, err := newLocal(s, text).Keys()
	if err != nil {
		return UsageError{Err: err}
	}
	return s.opts.Within.CheckLoss(doing, name, keys)
}
