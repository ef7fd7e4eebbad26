// Package unsent has the commands about entries that a store that machines share did not take in
// time, and that this machine keeps since then.
package unsent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// Commands lists the command unsent.
func Commands(env *command.Env) []*cli.Command {
	k := kept{env}
	list := k.listCommand()
	group := env.Group("unsent", "entries that a shared store did not take in time", []*cli.Command{list, k.showCommand(),
		k.addCommand(), k.removeCommand()})
	group.Action, group.Flags = list.Action, list.Flags
	return []*cli.Command{group}
}

// kept is what is kept on this machine.
type kept struct{ *command.Env }

// host is the part of the home that is on this machine: the store may not answer.
func (k kept) host() (contexts.Host, error) {
	opts, err := k.Request(app.ToRead)
	if err != nil {
		return contexts.Host{}, err
	}
	home, err := app.Home(opts.Home)
	return contexts.HostOf(home), err
}

// found is what a person names by its id, or by the beginning of that.
func (k kept) found(id string) (contexts.Host, contexts.Unsent, error) {
	h, err := k.host()
	if err != nil {
		return h, contexts.Unsent{}, err
	}
	u, err := h.FindUnsent(id)
	return h, u, err
}

// item is what could not be stored, as JSON.
type item struct {
	ID      string           `json:"id"`
	Context string           `json:"context"`
	At      time.Time        `json:"at"`
	Path    string           `json:"path"`
	Entries []contexts.Entry `json:"entries"`
	Damage  string           `json:"damage,omitempty"`
}

func describe(u contexts.Unsent) item {
	i := item{u.Name, u.Context, u.At, u.Path, append([]contexts.Entry{}, u.Entries...), ""}
	if u.Err != nil {
		i.Damage = u.Err.Error()
	}
	return i
}

func (k kept) listCommand() *cli.Command {
	var asJSON bool
	return k.Command(command.Spec{
		Name: "list", About: "list the entries that chibi could not store, with the id of each",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		More: "chibi keeps an answer that the store does not take in store_timeout_ms in unsent/ of the home. The next " +
			"run in its context on this machine stores it, if nothing else has happened there.",
		Run: func(context.Context, []string) error { return k.list(asJSON) },
	})
}

func (k kept) list(asJSON bool) error {
	h, err := k.host()
	if err != nil {
		return err
	}
	items, rows := []item{}, [][]string{{"ID", "WHEN", "CONTEXT", "WHAT"}}
	for _, u := range h.Unsent() {
		i := describe(u)
		items = append(items, i)
		id := u.Name[:min(len(u.Name), 8)]
		if u.Err != nil {
			rows = append(rows, []string{id, "?", "?", "its file is damaged: " + u.Path})
			continue
		}
		what := ""
		if n := len(u.Entries); n > 0 {
			what = strings.Join(strings.Fields(u.Entries[n-1].Content), " ")
		}
		rows = append(rows, []string{id, humanize.Time(u.At), u.Context, clip.Text(what, 60)})
	}
	switch {
	case asJSON:
		return k.Out.JSON(items)
	case len(items) == 0:
		k.Out.Notice("everything is stored")
		return nil
	}
	return k.Out.Columns(rows)
}

func (k kept) showCommand() *cli.Command {
	var asJSON bool
	return k.Command(command.Spec{
		Name: "show", Args: "ID", About: "show the entries that chibi could not store",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(_ context.Context, args []string) error {
			_, u, err := k.found(args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return k.Out.JSON(describe(u))
			case u.Err != nil:
				k.Out.Notice(u.Err.Error())
			}
			for _, e := range u.Entries {
				if _, err := fmt.Fprint(k.Out.Screen.Stdout(), operation.EntryText(e)); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

func (k kept) addCommand() *cli.Command {
	var to string
	return k.Command(command.Spec{
		Name: "add", Args: "ID", About: "add the entries to their context as a note, and remove them here",
		Flags: []cli.Flag{&cmdline.Flag{Name: "to", Takes: cmdline.Word("NAME", cmdline.Context), Into: cmdline.Last(&to),
			About: "add it to the context NAME"}},
		More:     "The note is the last message of the context, and the model reads it with the next prompt.",
		Examples: []string{"chibi unsent add 4f1c", "chibi unsent add 4f1c --to work"},
		Manages:  func(ctx context.Context, s *app.Session, args []string) error { return k.add(ctx, s, args[0], to) },
	})
}

func (k kept) add(ctx context.Context, s *app.Session, id, to string) error {
	h, u, err := k.found(id)
	if err != nil {
		return err
	}
	if u.Err != nil {
		return fmt.Errorf("%s cannot be added: %w", u.Path, u.Err)
	}
	name, err := app.Existing(ctx, s, cmp.Or(to, u.Context))
	if err == nil && to == "" {
		err = isSame(ctx, s, u)
	}
	if err != nil {
		return errors.Join(err, errors.New("chibi unsent add "+id+" --to NAME adds it to another context"))
	}
	return s.WithLock(ctx, name, func(_ context.Context, t *app.Session) error {
		if _, err := h.FindUnsent(u.Name); err != nil { // taking the lock has stored it
			return k.Out.Say("Stored in context '%s', which had not gone on", name)
		}
		if err := t.Context.Append(contexts.UserMessage(t.Config.Username, name, note(u))); err != nil {
			return err
		}
		if err := h.RemoveUnsent(u); err != nil {
			return err
		}
		return k.Out.Say("Added to context '%s' as a note", name)
	})
}

// isSame returns an error if the context has got its name since.
func isSame(ctx context.Context, s *app.Session, u contexts.Unsent) error {
	id, err := s.Store.ID(ctx, u.Context)
	if err == nil && id != u.ID {
		err = fmt.Errorf("the context %q is not the one that it belongs to", u.Context)
	}
	return err
}

// note is the text with which a conversation gets what it lacks.
func note(u contexts.Unsent) string {
	text := fmt.Sprintf("[Note: the store did not take the following at %s, and the conversation has gone on without it.]",
		u.At.Local().Format(time.DateTime))
	for _, e := range u.Entries {
		text += "\n\n" + strings.TrimSpace(operation.EntryText(e))
	}
	return text
}

func (k kept) removeCommand() *cli.Command {
	return k.Command(command.Spec{
		Name: "remove", Args: "ID", About: "remove the entries that chibi could not store",
		Flags: []cli.Flag{k.YesFlag("do not ask for confirmation")},
		Run: func(ctx context.Context, args []string) error {
			h, u, err := k.found(args[0])
			if err != nil {
				return err
			}
			question := fmt.Sprintf("Remove the entries that chibi could not store in context '%s'? They are nowhere else. "+
				"[y/N] ", u.Context)
			if yes, err := k.Confirm(ctx, question); err != nil || !yes {
				return errors.Join(err, k.Out.Say("Aborted"))
			}
			if err := h.RemoveUnsent(u); err != nil {
				return err
			}
			return k.Out.Say("Removed")
		},
	})
}
