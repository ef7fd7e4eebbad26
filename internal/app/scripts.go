package app

import "context"

// serveScripts does for plugins that know the files of a home what they need where a store
// that many machines share keeps the context: it sends what they have put into its
// inbox.jsonl, and keeps copies of its files. The function that it returns sends what came
// meanwhile. That a file could not be written or sent fails no turn.
func serveScripts(ctx context.Context, s *Session) (after func()) {
	if !s.Store.IsShared() || s.opts.Purpose != ToWork {
		return func() {}
	}
	notice := func(err error) {
		if err != nil && ctx.Err() == nil {
			s.person.notice(err.Error())
		}
	}
	notice(s.Context.SendDropped(ctx))
	notice(s.Context.KeepCopies(ctx))
	return func() { notice(s.Context.SendDropped(ctx)) }
}
