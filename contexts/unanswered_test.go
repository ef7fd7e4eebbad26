package contexts_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// story makes entries of words: "P:x" is a prompt, "u:x" a message of the user
// that is none, "a:x" an answer, "t:x" a call and its result.
func story(words string) (list []contexts.Entry) {
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

func contents(entries []contexts.Entry) string {
	var list []string
	for _, e := range entries {
		if e.Type != contexts.TypeToolCall {
			list = append(list, e.Content)
		}
	}
	return strings.Join(list, " ")
}

func TestAPromptWithoutAnAnswerIsOneThatAnotherOrNothingFollows(t *testing.T) {
	for _, test := range []struct{ name, story, answered, open string }{
		{"nothing", "", "", ""},
		{"all is answered", "P:one a:yes P:two a:no", "one yes two no", ""},
		{"the last one failed", "P:one a:yes P:two", "one yes", "two"},
		{"three failed", "P:one P:two P:three", "", "three"},
		{"one in the middle failed", "P:one P:two a:yes", "two yes", ""},
		{"a call is an answer", "P:one t:x P:two", "one x", "two"},
		{"follow-up messages belong together", "P:one a:yes P:more u:still a:ok P:two u:too",
			"one yes more still ok", "two too"},
		{"messages that hooks or older versions stored", "u:old u:older P:one", "old older", "one"},
		{"older versions alone", "u:old u:older", "old older", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			entries := story(test.story)
			if got := contents(contexts.Answered(entries, "")); got != test.answered {
				t.Errorf("answered: %q, want %q", got, test.answered)
			}
			store, _, _ := open(t, nil)
			c, err := store.Context("work")
			if err == nil {
				err = c.Append(entries...)
			}
			if err != nil {
				t.Fatal(err)
			}
			left, err := c.Unanswered(t.Context())
			if got := contents(left); got != test.open || err != nil {
				t.Errorf("unanswered: %q, %v, want %q", got, err, test.open)
			}
			if len(left) > 0 && contents(contexts.Answered(entries,
				left[0].ID)) != strings.TrimSpace(test.answered+" "+test.open) {
				t.Errorf("while it is asked the conversation is %q", contents(contexts.Answered(entries, left[0].ID)))
			}
		})
	}
}

// TestAPromptOutlivesWhatMakesItsContextShorter, so that it can be sent again
// once there is room for it.
func TestAPromptOutlivesWhatMakesItsContextShorter(t *testing.T) {
	for name, shorten := range map[string]func(contexts.Context) error{
		"compaction": func(c contexts.Context) error { return c.Compact("a summary", nil) },
		"archiving":  func(c contexts.Context) error { return c.Archive() },
	} {
		store, _, _ := open(t, nil)
		c, err := store.Context("work")
		if err == nil {
			err = c.Append(story("P:one a:yes P:two")...)
		}
		if err == nil {
			err = shorten(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err := c.Unanswered(t.Context())
		if diff := cmp.Diff("two", contents(left)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
