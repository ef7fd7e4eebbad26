package cli

import "context"

// moveTo makes another context that of this session, with its configuration,
// plugins and model: for good, or for this run if that uses its context with -C.
// If that fails, the session stays where it is.
func (s *session) moveTo(ctx context.Context, name string) error {
	before, flags := *s, s.opts
	s.closers = nil
	if s.opts.transient != nil {
		s.opts.transient = []string{name}
	} else {
		s.opts.switchTo = []string{name}
	}
	if err := s.arrive(ctx, before); err != nil {
		s.close()
		*s, s.opts = before, flags
		s.configure()
		return err
	}
	before.tracer.writer.Close() // its turns are over
	s.closers = append(before.closers, s.closers...)
	return nil
}

// arrive opens the context that the flags name, for a session that comes from
// another one.
func (s *session) arrive(ctx context.Context, before session) error {
	for _, step := range []func(context.Context) error{s.openContext, s.openTrace, s.loadPlugins} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.from = before.agent.Context.Name()
	s.agent.Continue(before.agent)
	s.sayLeftOut()
	if err := s.connect(); err != nil {
		return err
	}
	return s.enter(ctx)
}
