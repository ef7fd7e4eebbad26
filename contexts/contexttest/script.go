package contexttest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// World has the contents of a home, as a person would see them.
type World struct {
	History, Window []string
	Summary         string
	Waiting, Mailed []string // messages in the inbox, and in the conversation
	Unanswered      []string // what retry would send again
	Current         string
	Other           bool // the context "other" exists
}

// Observe reads everything. The conversation is in "work", or in "renamed".
func Observe(t *testing.T, s *contexts.Store) (w World) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	c, err := s.Context(conversationOf(s))
	must(err)
	window, err := c.Window(t.Context())
	must(err)
	for _, e := range contexts.Messages(window) {
		w.Window = append(w.Window, e.Content)
	}
	must(c.History(t.Context(), contexts.Query{Keep: isMessage}, func(e contexts.Entry) bool {
		w.History = append(w.History, e.Content)
		if e.Metadata != nil {
			w.Mailed = append(w.Mailed, e.Metadata.Delivered...)
		}
		return true
	}))
	w.Summary, err = c.Summary(t.Context())
	must(err)
	mail, err := c.Mail(t.Context())
	must(err)
	for _, m := range mail {
		w.Waiting = append(w.Waiting, m.Content)
	}
	open, err := c.Unanswered(t.Context())
	must(err)
	for _, e := range open {
		w.Unanswered = append(w.Unanswered, e.PromptText())
	}
	state, err := s.State(t.Context())
	must(err)
	w.Current, w.Other = state.Current, s.Exists(t.Context(), "other")
	return w
}

// conversationOf returns the name that the conversation has. Whoever looks it up finishes
// what is half done.
func conversationOf(s *contexts.Store) string {
	if s.Exists(context.Background(), "work") || !s.Exists(context.Background(), "renamed") {
		return "work"
	}
	return "renamed"
}

func isMessage(e contexts.Entry) bool { return e.Type == contexts.TypeMessage }

// operation is one step of the script: what it does to a store, and to what a
// person sees.
type operation struct {
	name string
	do   func(s *contexts.Store, c *contexts.Context) error
	then func(w *World)
}

func saying(text string) operation {
	return operation{"append " + text, func(_ *contexts.Store, c *contexts.Context) error {
		return c.Append(contexts.UserMessage("user", "work", text))
	}, func(w *World) {
		w.History, w.Window = append(w.History, text), append(w.Window, text)
	}}
}

// askingWith stores a prompt with the mail that waits.
func askingWith(c *contexts.Context, mail []contexts.Mail, text string) error {
	return c.Append(contexts.UserMessage("user", "work", "mail: "+text).Delivering(mail).Asking(text, ""))
}

// script uses everything that a store can do.
func script() []operation {
	return slices.Concat(talking(), mailing(), shortening(), ending())
}

func talking() []operation {
	return []operation{
		saying("one"), saying("two"), saying("three"), saying("four"),
		{"switch", func(s *contexts.Store, _ *contexts.Context) error { _, err := s.Switch("work"); return err },
			func(w *World) { w.Current = "work" }},
		{"replace", func(_ *contexts.Store, c *contexts.Context) error {
			return c.Replace([]contexts.Entry{contexts.UserMessage("user", "work", "replaced")})
		}, func(w *World) { w.Window = []string{"replaced"} }},
		saying("five"),
	}
}

// mailing delivers messages, once with a prompt that gets no answer.
func mailing() []operation {
	var ids []string
	return slices.Concat([]operation{
		{"send", func(_ *contexts.Store, c *contexts.Context) error { return c.Send("work", "other", "hi") },
			func(w *World) { w.Waiting = []string{"hi"} }},
		{"deliver", func(_ *contexts.Store, c *contexts.Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			ids = []string{mail[0].ID}
			return c.Append(contexts.UserMessage("user", "work", "with mail").Delivering(mail))
		}, func(w *World) {
			w.History, w.Window = append(w.History, "with mail"), append(w.Window, "with mail")
			w.Waiting, w.Mailed = nil, ids
		}},
		{"empty the inbox", func(_ *contexts.Store, c *contexts.Context) error { return c.RemoveMail() }, func(*World) {}},
		{"send again", func(_ *contexts.Store, c *contexts.Context) error { return c.Send("work", "other", "ho") },
			func(w *World) { w.Waiting = []string{"ho"} }},
		{"ask with mail", func(_ *contexts.Store, c *contexts.Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			ids = append(ids, mail[0].ID)
			return askingWith(c, mail, "asked")
		}, func(w *World) {
			w.History, w.Window = append(w.History, "mail: asked"), append(w.Window, "mail: asked")
			w.Mailed, w.Unanswered = slices.Clone(ids), []string{"asked"}
		}},
	}, []operation{
		{"empty the inbox before there is an answer",
			func(_ *contexts.Store, c *contexts.Context) error {
				return c.RemoveMail()
			}, func(*World) {}},
		{"ask again", func(_ *contexts.Store, c *contexts.Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 || mail[0].ID != ids[1] {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			return askingWith(c, mail, "retried")
		}, func(w *World) {
			w.History, w.Window = append(w.History, "mail: retried"), append(w.Window, "mail: retried")
			w.Mailed, w.Unanswered = append(slices.Clone(ids), ids[len(ids)-1]), []string{"retried"}
		}},
		{"answer", func(_ *contexts.Store, c *contexts.Context) error {
			return c.Append(contexts.AssistantMessage("work", "answer"))
		}, func(w *World) {
			w.History, w.Window, w.Waiting, w.Unanswered = append(w.History, "answer"), append(w.Window, "answer"), nil, nil
		}},
		{"empty the inbox after the answer", func(_ *contexts.Store, c *contexts.Context) error { return c.RemoveMail() },
			func(*World) {}},
	})
}

// shortening begins windows anew.
func shortening() []operation {
	return []operation{
		saying("five and a half"),
		{"compact", func(_ *contexts.Store, c *contexts.Context) error {
			window, err := c.Window(context.Background())
			if err != nil {
				return err
			}
			return c.Compact("a summary", window[len(window)-1:])
		}, func(w *World) { w.Window, w.Summary = []string{"five and a half"}, "a summary" }},
		{"supersede", func(_ *contexts.Store, c *contexts.Context) error {
			return c.Supersede([]contexts.Entry{contexts.UserMessage("user", "work", "a newer summary")})
		}, func(w *World) { w.Window, w.Summary = []string{"a newer summary"}, "" }},
		saying("six"), saying("seven"), saying("eight"),
		{"new system prompt", func(_ *contexts.Store, c *contexts.Context) error {
			if err := c.SetSystemPrompt("Be brief."); err != nil {
				return err
			}
			return c.NoteSystemPrompt("Be brief.")
		}, func(*World) {}},
		{"archive", func(_ *contexts.Store, c *contexts.Context) error { return c.Archive() },
			func(w *World) { w.Window, w.Summary = nil, "" }},
		saying("nine"),
	}
}

// ending has another context, and renames this one.
func ending() []operation {
	return []operation{
		{"make another", func(s *contexts.Store, _ *contexts.Context) error {
			other, err := s.Context("other")
			if err != nil {
				return err
			}
			return other.Append(contexts.UserMessage("user", "other", "hello"))
		}, func(w *World) { w.Other = true }},
		{"delete the other", func(s *contexts.Store, _ *contexts.Context) error {
			other, err := s.Context("other")
			if err != nil {
				return err
			}
			_, err = other.Delete()
			return err
		}, func(w *World) { w.Other = false }},
		{"rename", func(_ *contexts.Store, c *contexts.Context) error { return c.Rename("renamed") },
			func(w *World) { w.Current = "renamed" }},
		saying("ten"), saying("eleven"), saying("twelve"),
	}
}

// clone copies a world so that the next step does not change it.
func (w World) clone() World {
	for _, list := range []*[]string{&w.History, &w.Window, &w.Waiting, &w.Mailed, &w.Unanswered} {
		*list = slices.Clone(*list)
	}
	return w
}

// Outcome is how far the script of [Play] came.
type Outcome struct {
	// Acknowledged is the world that was acknowledged, Next the one that the last step would
	// have made.
	Acknowledged, Next World
	// Step is the name of the last step.
	Step string
}

// Play runs a script that uses everything a store can do, until something fails.
func Play(s *contexts.Store) (Outcome, error) {
	c, err := s.Context("work")
	if err != nil {
		return Outcome{Step: "opening"}, err
	}
	return playWith(s, c)
}

func playWith(s *contexts.Store, c *contexts.Context) (o Outcome, err error) {
	o.Acknowledged = World{Current: contexts.DefaultName}
	for _, op := range script() {
		if err != nil {
			break
		}
		err = op.do(s, c)
		o.Next, o.Step = o.Acknowledged.clone(), op.name
		op.then(&o.Next)
		if err == nil {
			o.Acknowledged = o.Next.clone()
		}
	}
	return o, err
}

// Survived compares the contents with the possible contents, and goes on with the
// conversation.
func Survived(t *testing.T, when string, s *contexts.Store, o Outcome) {
	t.Helper()
	got := Observe(t, s)
	possible := []World{o.Acknowledged, o.Next}
	if o.Step == "rename" && s.Exists(t.Context(), "renamed") { // what is current may not be written yet
		got.Current = "renamed"
	}
	if !slices.ContainsFunc(possible, got.is) {
		t.Errorf("%s:\nagainst what was acknowledged (-want +got):\n%s\nagainst the next step (-want +got):\n%s",
			when, o.Acknowledged.Diff(got), o.Next.Diff(got))
		return
	}
	err := goOn(s)
	again := Observe(t, s)
	again.Current = got.Current
	if !s.IsShared() || got.is(o.Next) {
		possible = []World{got} // elsewhere the machine may have kept the failed step, and stored it now
	}
	if !slices.ContainsFunc(possible, func(w World) bool { return again.is(w.afterwards()) }) || err != nil {
		t.Errorf("%s: going on: %v (-want +got):\n%s", when, err, got.afterwards().Diff(again))
	}
}

func (w World) is(other World) bool { return w.Diff(other) == "" }

// Diff says how another world differs from this one, "" if it does not.
func (w World) Diff(got World) string { return cmp.Diff(w, got, sameEmpty()) }

// afterwards returns the world after goOn.
func (w World) afterwards() World {
	w = w.clone()
	w.History, w.Window = append(w.History, "afterwards"), append(w.Window, "afterwards")
	if len(w.Unanswered) > 0 { // it belongs to the prompt before it
		w.Unanswered = append(w.Unanswered, "afterwards")
	}
	return w
}

// goOn takes the lock and says something, as the next run does.
func goOn(s *contexts.Store) error {
	name := conversationOf(s)
	c, err := s.Context(name)
	if err != nil {
		return err
	}
	_, unlock, err := c.WaitLock(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	return c.Append(contexts.UserMessage("user", name, "afterwards"))
}

// sameEmpty makes nil and empty lists equal.
func sameEmpty() cmp.Option {
	return cmp.FilterValues(func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
}
