package contexts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// maxTurn and maxList are how many round trips a turn with one tool call takes at most, and
// a list of the contexts.
const (
	maxTurn = 11
	maxList = 8
)

// turnSteps are what a turn with one tool call does with its context, in its order.
func turnSteps(h *contexts.Store) error {
	ctx := context.Background()
	if _, err := h.State(ctx); err != nil {
		return err
	}
	c, err := h.Context("context-7")
	if err == nil {
		_, err = c.LocalConfig(ctx)
	}
	if err != nil {
		return err
	}
	c.ReadAhead(contexts.Ahead{Mail: true, Reflection: true})
	_, unlock, err := c.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := c.Summary(ctx); err != nil {
		return err
	}
	if _, err := c.Session(ctx); err != nil {
		return err
	}
	if _, err := c.Mail(ctx); err != nil {
		return err
	}
	say := func(e contexts.Entry) {
		if err == nil {
			err = c.Append(e)
		}
	}
	say(contexts.UserMessage("user", "context-7", "hi").Asking("hi", ""))
	if err == nil {
		_, err = c.Window(ctx)
	}
	texts := []func(context.Context) (string, error){c.SystemPrompt, c.Summary, c.Todos, c.Goals, c.Reflection}
	for _, read := range texts {
		if err == nil {
			_, err = read(ctx)
		}
	}
	if err == nil {
		err = c.NoteSystemPrompt("the same as before")
	}
	say(contexts.ToolCall("context-7", "ls", "1", "{}"))
	say(contexts.ToolResult("context-7", "ls", "1", "file"))
	say(contexts.AssistantMessage("context-7", "done"))
	if err == nil {
		err = h.Touch("context-7")
	}
	return err
}

// TestATurnTakesFewRoundTrips counts those of a turn, in homes with few contexts and many.
func TestATurnTakesFewRoundTrips(t *testing.T) {
	for _, many := range []int{10, 300} {
		t.Run(fmt.Sprint(many), func(t *testing.T) {
			memory, home := storetest.NewMemory(), t.TempDir()
			engine, trips := storetest.Counting(memory.Engine(store.Options{}))
			s := contexts.OpenShared(engine, home)
			now := time.Now()
			for i := range many {
				if _, err := s.Switch(fmt.Sprint("context-", i)); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the first one writes what stays the same
				s = contexts.OpenShared(engine, home)
				now = now.Add(time.Hour)
				s.Now = func() time.Time { return now }
				trips()
				if err := turnSteps(s); err != nil {
					t.Fatal(err)
				}
			}
			if got := trips(); len(got) > maxTurn {
				t.Errorf("a turn takes %d round trips, more than %d: %q", len(got), maxTurn, got)
			}
			list, err := s.List(t.Context())
			if err != nil || len(list) != many {
				t.Errorf("a list of %d contexts, %v", len(list), err)
			}
			if got := trips(); len(got) > maxList {
				t.Errorf("a list takes %d round trips, more than %d: %q", len(got), maxList, got)
			}
			few, err := contexts.OpenShared(engine, home).Select(t.Context(), contexts.Selection{Limit: 5})
			if err != nil || len(few) != 5 || few[4] != list[4] {
				t.Errorf("of the list, the first five: %v, %v", few, err)
			}
			// one for the keys, and for each context one for its document, one for its lock and two for its mail
			if got := trips(); len(got) > 1+4*5 {
				t.Errorf("a list of five takes %d round trips: %q", len(got), got)
			}
		})
	}
}

// TestManyMessagesAreNotListedForEach sends many to one context, and counts the round trips of
// the later ones.
func TestManyMessagesAreNotListedForEach(t *testing.T) {
	engine, trips := storetest.Counting(storetest.NewMemory().Engine(store.Options{}))
	s := contexts.OpenShared(engine, t.TempDir())
	c, err := s.Context("sender")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := c.Send("target", "sender", "hello"); err != nil {
			t.Fatal(err)
		}
		if got := trips(); i > 0 && len(got) > 2 {
			t.Fatalf("a message takes %d round trips: %q", len(got), got)
		}
	}
}

// TestAFullInboxHasRoomOnceItIsRead counts what this machine has sent, and looks again before it
// says that the inbox is full.
func TestAFullInboxHasRoomOnceItIsRead(t *testing.T) {
	memory := storetest.NewMemory()
	s := contexts.OpenShared(memory.Engine(store.Options{}), t.TempDir())
	s.Limits.Message = 1 << 20
	sender, err := s.Context("sender")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 500<<10)
	const room = 32 // of them fit into 16 MiB
	for i := range room + 2 {
		err := sender.Send("target", "sender", text)
		isFull := err != nil && strings.Contains(err.Error(), "its inbox is full")
		if isFull != (i >= room) || err != nil && !isFull {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	other, key := memory.Engine(store.Options{}), store.Doc{}
	err = other.Docs.List(t.Context(), "mail.", func(d store.Doc) bool { key = d; return false })
	if err == nil {
		_, err = other.Docs.Put(t.Context(), key.Key, nil, key.Rev) // as whoever reads it does
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send("target", "sender", text); err != nil {
		t.Error(err)
	}
}
