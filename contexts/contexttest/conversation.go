package contexttest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// conversationRules are the rules of appending and of windows.
type conversationRules struct{ suite }

func (s conversationRules) rules() []rule {
	return []rule{
		{"opening a home and a context stores nothing", s.openingKeepsNothing},
		{"entries come back as they were stored, in their order", s.entriesComeBack},
		{"the first entry says that the context was created, once", s.createdOnce},
		{"another handle sees what was appended", func(t *testing.T) {
			h := s.open(t, at(start()))
			say(t, in(t, h(), "work"), "one")
			say(t, in(t, h(), "work"), "two")
			equal(t, "window", "one two", window(t, in(t, h(), "work")))
		}},
		{"contexts do not mix", func(t *testing.T) {
			h := s.home(t)
			say(t, in(t, h, "a"), "one")
			say(t, in(t, h, "b"), "two")
			equal(t, "window", "one", window(t, in(t, h, "a")))
		}},
		{"a context's own system prompt is in the transcript when it changes, and in no window", s.systemPromptNoted},
		{"what the demo model said is marked, and its summary as long as it holds", s.demoMarked},
		{"a prompt has no answer if another prompt or nothing follows", s.unanswered},
		{"a prompt survives archiving and compacting", func(t *testing.T) {
			for _, shorten := range []func(*contexts.Context) error{
				(*contexts.Context).Archive, func(c *contexts.Context) error { return c.Compact("a summary", nil) },
			} {
				c := s.work(t)
				must(t, c.Append(Story("P:one a:yes P:two")...))
				must(t, shorten(c))
				left, err := c.Unanswered(t.Context())
				must(t, err)
				equal(t, "unanswered", "two", Contents(left))
			}
		}},
	}
}

func (s conversationRules) demoMarked(t *testing.T) {
	h := s.home(t)
	c := in(t, h, "work")
	marks := func(what, want string) {
		t.Helper()
		entries, err := c.Window(t.Context())
		must(t, err)
		got := ""
		for _, e := range entries {
			got += map[bool]string{true: "D", false: "-"}[contexts.ByDemo(e)]
		}
		equal(t, what, want, got)
	}
	say(t, c, "one")
	h.Demo = true
	say(t, c, "two")
	marks("window", "--D")
	must(t, c.Compact("of the demo", contexts.Messages(Story("P:one"))))
	marks("compacted", "D-")
	must(t, c.Replace(Story("P:two")))
	marks("replaced", "DD")
	h.Demo = false
	must(t, c.Replace(Story("P:three")))
	marks("its summary stays", "D-")
	must(t, c.Supersede(Story("P:four")))
	marks("its summary is gone", "--")
	h.Demo = true
	must(t, c.Archive())
	marks("archived", "-")
}

func (s conversationRules) openingKeepsNothing(t *testing.T) {
	h := s.home(t)
	c := in(t, h, "work")
	equal(t, "window", "", window(t, c))
	equal(t, "history", 0, len(transcript(t, c)))
	equal(t, "mail", "", waiting(t, c))
	names, err := h.Names(t.Context())
	must(t, err)
	if h.Exists(t.Context(), "work") || len(names) > 0 {
		t.Errorf("the context exists; names = %q", names)
	}
	list, err := h.List(t.Context())
	must(t, err)
	equal(t, "list", []contexts.Info{{Name: contexts.DefaultName, Current: true}}, list)
}

func (s conversationRules) entriesComeBack(t *testing.T) {
	c := s.work(t)
	stored := []contexts.Entry{
		contexts.UserMessage("ann", "work", "<b>&\u2028 \"quoted\" \\ line\nline é 😀").Asking("line é 😀", "recipe"),
		contexts.ToolCall("work", "ls", "call_1", `{"dir": "/"}`),
		contexts.ToolResult("work", "ls", "call_1", strings.Repeat("large ",
			1<<18)).RanWith(json.RawMessage(`{"dir":"/tmp"}`)),
		contexts.AssistantMessage("work", "").Interrupted(),
		contexts.UserMessage("ann", "work", "with mail").Delivering([]contexts.Mail{{ID: "m1"}}),
	}
	must(t, c.Append(stored[:2]...))
	must(t, c.Append(stored[2:]...))
	must(t, c.Append())
	entries, err := c.Window(t.Context())
	must(t, err)
	if len(entries) != 1+len(stored) || entries[0].Type != contexts.TypeContextCreated {
		t.Fatalf("the window has %d entries", len(entries))
	}
	equal(t, "window", stored, entries[1:])
	equal(t, "history", entries, history(t, c, contexts.Query{}))
}

func (s conversationRules) createdOnce(t *testing.T) {
	for name, first := range map[string]struct {
		do   func(c *contexts.Context) error
		then []string
	}{
		"a message": {
			func(c *contexts.Context) error { return c.Append(contexts.UserMessage("ann", "work", "hello")) },
			[]string{"message hello"},
		},
		"an archival": {(*contexts.Context).Archive, []string{"archival Context archived/cleared"}},
		"a system prompt": {
			func(c *contexts.Context) error {
				if err := c.SetSystemPrompt("Be kind."); err != nil {
					return err
				}
				return c.NoteSystemPrompt("Be kind.")
			},
			[]string{"system_prompt_changed Be kind."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := s.open(t, at(start()))
			must(t, first.do(in(t, h(), "work")))
			say(t, in(t, h(), "work"), "more")
			say(t, in(t, h(), "work"), "more")
			want := append([]string{"context_created Context created"}, first.then...)
			equal(t, "transcript", append(want, "message more", "message more"), transcript(t, in(t, h(), "work")))
			window, err := in(t, h(), "work").Window(t.Context())
			must(t, err)
			if name != "an archival" {
				equal(t, "first entry of the window", want[0], fmt.Sprint(window[0].Type, " ", window[0].Content))
			}
		})
	}
}

func (s conversationRules) systemPromptNoted(t *testing.T) {
	c := s.work(t)
	for _, own := range []string{"Be brief.", "Be brief.", "", "Be brief.", "Be kind."} {
		must(t, c.SetSystemPrompt(own))
		must(t, c.NoteSystemPrompt("whole: "+own))
	}
	say(t, c, "one")
	equal(t, "transcript", []string{"context_created Context created", "system_prompt_changed Be brief.",
		"system_prompt_changed Be brief.", "system_prompt_changed Be kind.", "message one"}, transcript(t, c))
	entries, err := c.Window(t.Context())
	must(t, err)
	equal(t, "window", "Context created one", Contents(entries))
}

// Story makes entries of the context "work" from words: "P:x" is a prompt, "u:x" a
// message of the user that is not a prompt, "a:x" an answer, "t:x" a call and its result.
func Story(words string) (list []contexts.Entry) {
	for _, word := range strings.Fields(words) {
		kind, text, _ := strings.Cut(word, ":")
		switch kind {
		case "P":
			list = append(list, contexts.UserMessage("user", "work", text).Asking(text, ""))
		case "u":
			list = append(list, contexts.UserMessage("user", "work", text))
		case "a":
			list = append(list, contexts.AssistantMessage("work", text))
		case "t":
			list = append(list, contexts.ToolCall("work", "ls", text, "{}"), contexts.ToolResult("work", "ls", text, text))
		}
	}
	return list
}

func (s conversationRules) unanswered(t *testing.T) {
	for _, test := range []struct{ story, open string }{
		{"", ""},
		{"P:one a:yes P:two a:no", ""},
		{"P:one a:yes P:two", "two"},
		{"P:one P:two P:three", "three"},
		{"P:one P:two a:yes", ""},
		{"P:one t:x P:two", "two"},
		{"P:one a:yes P:more u:still a:ok P:two u:too", "two too"},
		{"u:old u:older P:one", "one"},
		{"u:old u:older", ""},
	} {
		t.Run(test.story, func(t *testing.T) {
			c := s.work(t)
			must(t, c.Append(Story(test.story)...))
			left, err := c.Unanswered(t.Context())
			must(t, err)
			equal(t, "unanswered", test.open, Contents(left))
		})
	}
}
