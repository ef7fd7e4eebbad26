package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
)

// operation is something that flags ask for besides a prompt.
type operation struct {
	wanted bool
	do     func(context.Context) error
}

// operate carries out the operations that the flags name.
func (s *session) operate(ctx context.Context) error {
	for _, op := range s.operations() {
		if op.wanted {
			if err := op.do(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// operations lists them in the order in which they are carried out, whatever that
// of the flags is.
func (s *session) operations() []operation {
	o := &s.opts
	return []operation{
		{o.username != nil, s.saveUsername},
		{o.save, s.saveSettings},
		{o.destroySettings() != nil, s.setDestroyRule},
		{o.destroy, s.onCurrent(s.destroy)},
		{o.destroyOther != nil, s.onNamed(o.destroyOther, s.destroy)},
		{o.archive, s.onCurrent(s.archive)},
		{o.archiveOther != nil, s.onNamed(o.archiveOther, s.archive)},
		{o.compact, s.compactCurrent},
		{o.compactOther != nil, s.onNamed(o.compactOther, s.compactNamed)},
		{o.rename != nil, s.onCurrent(withValue(o.rename, s.rename))},
		{o.renameOther != nil, s.onNamed(o.renameOther, withValue(o.renameOther, s.rename))},
		{o.systemPrompt != nil, s.onCurrent(withValue(o.systemPrompt, s.setSystemPrompt))},
		{o.systemPromptOther != nil, s.setOtherSystemPrompt},
		{o.current, func(ctx context.Context) error { return s.showContext(ctx, s.Name(), false) }},
		{o.list, func(ctx context.Context) error { return s.listContexts(ctx, false) }},
		{o.log != nil, s.onCurrent(withValue(o.log, s.showLog))},
		{o.logOther != nil, s.onNamed(o.logOther, withValue(o.logOther, s.showLog))},
		{o.inspect != nil, s.onCurrent(withValue(o.inspect, s.inspect))},
		{o.inspectOther != nil, s.onNamed(o.inspectOther, withValue(o.inspectOther, s.inspect))},
		{o.clearCache, s.onCurrent(s.clearCache)},
		{o.clearCacheFor != nil, s.onNamed(o.clearCacheFor, s.clearCache)},
		{o.cleanupCache, s.cleanupCache},
		{o.plugin != nil || o.tool != nil, s.direct},
		{o.mail, s.processAllMail},
		{o.mailOther != nil, s.onNamed(o.mailOther, s.processOneMail)},
		{o.nothing, s.doNothing},
	}
}

// doNothing is for runs that are described as JSON: they may only switch to a
// context.
func (s *session) doNothing(context.Context) error {
	return s.done("no_op", fields{"context": s.Name()}, "Nothing was done")
}

// onContext is what an operation does with the context of that name.
type onContext func(ctx context.Context, name string) error

// onCurrent does it with the context that is current when the operation's turn
// comes: one before it may have renamed it.
func (s *session) onCurrent(do onContext) func(context.Context) error {
	return func(ctx context.Context) error { return do(ctx, s.Name()) }
}

// onNamed does it with the context that the first of a flag's words names. It
// must exist.
func (s *session) onNamed(words []string, do onContext) func(context.Context) error {
	return func(ctx context.Context) error {
		name, err := app.Existing(ctx, s.Session, words[0])
		if err != nil {
			return err
		}
		return do(ctx, name)
	}
}

// withValue passes the last of a flag's words too.
func withValue(words []string, do func(ctx context.Context, name, value string) error) onContext {
	return func(ctx context.Context, name string) error { return do(ctx, name, words[len(words)-1]) }
}

// archive empties a context.
func (s *session) archive(ctx context.Context, name string) error {
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		if err := t.Agent.Clear(ctx); err != nil {
			return err
		}
		return s.answer("archive_history", fields{"context": name},
			fmt.Sprintf("Context '%s' archived (history saved to transcript)", name))
	})
}

func (s *session) compactCurrent(ctx context.Context) error {
	name := s.Name()
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		return s.answer("compact_context", compacted(name, done), string(done))
	})
}

func (s *session) compactNamed(ctx context.Context, name string) error {
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		if err := t.Connect(); err != nil {
			return err
		}
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		return s.answer("compact_context", compacted(name, done), fmt.Sprintf("Context '%s' compacted", name))
	})
}

func compacted(name string, done agent.Compacted) fields {
	return fields{"context": name, "compacted": done == agent.CompactDone}
}

// rename gives a context another name. Plugins of this run are told the new one
// from then on.
func (s *session) rename(ctx context.Context, from, to string) error {
	if !s.Store.Exists(ctx, from) {
		return fmt.Errorf("context %q does not exist", from)
	}
	return s.owning(ctx, from, func(ctx context.Context, t *session) error {
		if err := t.Agent.Context.Rename(to); err != nil {
			return err
		}
		if err := s.answer("rename_context", fields{"from": from, "to": to},
			fmt.Sprintf("Renamed context '%s' to '%s'", from, to)); err != nil || t.Session != s.Session {
			return err
		}
		return s.Load(ctx)
	})
}

// destroy removes a context, if the person agrees.
func (s *session) destroy(ctx context.Context, name string) error {
	if !s.Store.Exists(ctx, name) {
		return fmt.Errorf("context %q not found", name)
	}
	if ok, err := s.confirm(ctx, fmt.Sprintf("Destroy context '%s'? [y/N] ", name)); err != nil || !ok {
		return errors.Join(err, s.answer("destroy_context", fields{"context": name, "destroyed": false}, "Aborted"))
	}
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		state, err := s.Store.State(ctx)
		if err != nil {
			return err
		}
		now, err := t.Agent.Context.Delete()
		destroyed := fields{"context": name, "destroyed": true}
		switch {
		case err != nil:
			return err
		case state.Current == name:
			return s.answer("destroy_context", destroyed, fmt.Sprintf("Destroyed context '%s', switched to '%s'", name, now))
		}
		return s.answer("destroy_context", destroyed, "Destroyed context: "+name)
	})
}

// confirm asks a person on the terminal; --yes answers for them.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	if p.opts.yes {
		return true, nil
	}
	if !isTerminal(p.stdin) {
		return false, errors.New("there is no terminal to ask on; --yes says yes")
	}
	fmt.Fprint(p.screen.Stderr(), term.Plain(question))
	answer, err := readLine(ctx, p.stdin)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// count reads the number of -g and -G.
func count(flag, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, usage("%s takes a number of entries, such as 10, or -10 for the first ten, or 0 for all; it got %q",
			flag, text)
	}
	return n, nil
}
