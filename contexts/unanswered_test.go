package contexts_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
)

func TestAPromptWithoutAnAnswerIsOneThatAnotherOrNothingFollows(t *testing.T) {
	for _, test := range []struct{ name, story, answered, open string }{
		{"nothing", "", "", ""},
		{"all is answered", "P:one a:yes P:two a:no", "one yes two no", ""},
		{"the last one failed", "P:one a:yes P:two", "one yes", "two"},
		{"three failed", "P:one P:two P:three", "", "three"},
		{"one in the middle failed", "P:one P:two a:yes", "two yes", ""},
		{"a call is an answer", "P:one t:x P:two", "one {} x", "two"},
		{"follow-up messages belong together", "P:one a:yes P:more u:still a:ok P:two u:too",
			"one yes more still ok", "two too"},
		{"messages that hooks or older versions stored", "u:old u:older P:one", "old older", "one"},
		{"older versions alone", "u:old u:older", "old older", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			entries := contexttest.Story(test.story)
			if got := contexttest.Contents(contexts.Answered(entries, "")); got != test.answered {
				t.Errorf("answered: %q, want %q", got, test.answered)
			}
			for _, e := range entries {
				if first, _, _ := strings.Cut(test.open, " "); e.Content != first {
					continue
				}
				want := strings.TrimSpace(test.answered + " " + test.open)
				if got := contexttest.Contents(contexts.Answered(entries, e.ID)); got != want {
					t.Errorf("while it is asked the conversation is %q, want %q", got, want)
				}
			}
		})
	}
}
