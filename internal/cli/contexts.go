package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// contextCommands are the operations on contexts as commands.
func (p *program) contextCommands(ctx context.Context) []*cli.Command {
	var asJSON bool
	return []*cli.Command{
		leaf(ctx, "list", "", "list the contexts", func(ctx context.Context, _ []string) error {
			return p.within(ctx, func(s *session) error { return s.listContexts(ctx, asJSON) })
		}, jsonFlag(&asJSON)),
		leaf(ctx, "show", "[NAME]", "show a context",
			inSession(p.within, func(ctx context.Context, s *session, name string) error {
				return s.showContext(ctx, name, asJSON)
			}), jsonFlag(&asJSON)),
		leaf(ctx, "switch", "NAME", "use a context from now on, as -c does", func(ctx context.Context, args []string) error {
			p.opts.switchTo = args
			return p.within(ctx, func(s *session) error { return s.say("Switched to context '%s'", s.Name()) })
		}),
		leaf(ctx, "rename", "OLD NEW", "rename a context", func(ctx context.Context, args []string) error {
			return inSession(p.within, func(ctx context.Context, s *session, name string) error {
				return rename(ctx, s, name, args[1])
			})(ctx, args)
		}),
		leaf(ctx, "archive", "[NAME]", "empty a context; its transcript keeps everything",
			inSession(p.within, archive)),
		leaf(ctx, "compact", "[NAME]", "replace the conversation of a context by a summary",
			inSession(p.working, compactNamed)),
		leaf(ctx, "delete", "[NAME]", "delete a context with all it holds", inSession(p.within, destroy),
			p.yesFlag("do not ask")),
	}
}

// inSession runs an operation in an opened session, on the context that the first
// word names, or on the current one.
func inSession(open func(context.Context, func(*session) error) error,
	do func(ctx context.Context, s *session, name string) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		return open(ctx, func(s *session) error {
			name := s.Name()
			if len(args) > 0 {
				var err error
				if name, err = app.Existing(ctx, s.Session, args[0]); err != nil {
					return err
				}
			}
			return do(ctx, s, name)
		})
	}
}

// contextInfo is what a list of contexts says of one, as JSON.
type contextInfo struct {
	Name         string     `json:"name"`
	Current      bool       `json:"current"`
	Active       bool       `json:"active"`
	Mail         bool       `json:"mail"`
	Created      *time.Time `json:"created_at,omitempty"`
	LastActivity *time.Time `json:"last_activity_at,omitempty"`
}

func describeContext(info contexts.Info) contextInfo {
	c := contextInfo{Name: info.Name, Current: info.Current, Active: info.Locked, Mail: info.Mail}
	if !info.Created.IsZero() {
		c.Created = &info.Created
	}
	if !info.LastActivity.IsZero() {
		c.LastActivity = &info.LastActivity
	}
	return c
}

// listContexts prints every context, a star at the current one.
func (s *session) listContexts(ctx context.Context, asJSON bool) error {
	infos, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	var lines []string
	list := []contextInfo{}
	for _, info := range infos {
		mark, state := " ", ""
		if info.Current {
			mark = "*"
		}
		if info.Locked {
			state += " [active]"
		}
		if info.Mail {
			state += " [mail]"
		}
		lines = append(lines, mark+" "+info.Name+state)
		list = append(list, describeContext(info))
	}
	if asJSON {
		return s.printJSON(list)
	}
	return s.answer("list_contexts", list, strings.Join(lines, "\n"))
}

// contextDetails is what is known of one context, as JSON.
type contextDetails struct {
	contextInfo
	Messages int    `json:"messages"`
	Summary  string `json:"summary"`
	Todos    string `json:"todos"`
	Goals    string `json:"goals"`
}

// showContext prints what is known of a context.
func (s *session) showContext(ctx context.Context, name string, asJSON bool) error {
	d, err := s.details(ctx, name)
	if err != nil {
		return err
	}
	if asJSON {
		return s.printJSON(d)
	}
	state := ""
	if d.Active {
		state = " [active]"
	}
	text := fmt.Sprintf("Context: %s%s\nMessages: %d", name, state, d.Messages)
	for _, part := range []struct{ title, text string }{{"Summary", d.Summary}, {"Todos", d.Todos}, {"Goals", d.Goals}} {
		if line, _, _ := strings.Cut(strings.TrimSpace(part.text), "\n"); line != "" {
			text += fmt.Sprintf("\n%s: %s", part.title, line)
		}
	}
	if d.Mail {
		text += "\nMail: waiting; the next prompt takes it along"
	}
	if d.LastActivity != nil {
		text += "\nLast used: " + humanize.Time(*d.LastActivity)
	}
	return s.answer("list_current_context", d, text)
}

func (s *session) details(ctx context.Context, name string) (d contextDetails, err error) {
	info, err := s.Store.Info(ctx, name)
	if err != nil {
		return d, err
	}
	d.contextInfo = describeContext(info)
	c, err := s.Store.Context(name)
	if err != nil {
		return d, err
	}
	window, err := c.Window(ctx)
	if err != nil {
		return d, err
	}
	d.Messages = len(contexts.Messages(window))
	for _, text := range []struct {
		into *string
		read func(context.Context) (string, error)
	}{{&d.Summary, c.Summary}, {&d.Todos, c.Todos}, {&d.Goals, c.Goals}} {
		if *text.into, err = text.read(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}
