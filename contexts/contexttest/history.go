package contexttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// historyRules are the rules of selecting from the whole transcript.
type historyRules struct{ suite }

func (s historyRules) rules() []rule {
	return []rule{
		{"a query selects by position, time, text and function", s.queries},
		{"reading stops when the function returns false", func(t *testing.T) {
			c := s.work(t)
			say(t, c, "one", "two", "three")
			for _, q := range []contexts.Query{{}, {Last: 4}} {
				count := 0
				must(t, c.History(t.Context(), q, func(contexts.Entry) bool { count++; return count < 2 }))
				equal(t, "entries", 2, count)
			}
		}},
		{"reading stops when its context ends", func(t *testing.T) {
			c := s.work(t)
			say(t, c, "one", "two", "three")
			ctx, cancel := context.WithCancel(t.Context())
			count := 0
			err := c.History(ctx, contexts.Query{}, func(contexts.Entry) bool { count++; cancel(); return true })
			if !errors.Is(err, context.Canceled) || count != 1 {
				t.Errorf("%d entries, %v", count, err)
			}
		}},
		{"what is appended during a read may be left out, and no entry comes twice", func(t *testing.T) {
			h := s.open(t, at(start()))
			c := in(t, h(), "work")
			say(t, c, "one", "two", "three")
			var got []contexts.Entry
			must(t, c.History(t.Context(), contexts.Query{}, func(e contexts.Entry) bool {
				say(t, in(t, h(), "work"), "more")
				got = append(got, e)
				return len(got) < 4
			}))
			equal(t, "messages", "one two three", Contents(contexts.Messages(got)))
		}},
		{"copies that the original made of messages come once", func(t *testing.T) {
			c := s.work(t)
			e := contexts.Entry{ID: "1", Timestamp: 1, From: "ann", To: "work", Content: "one", Type: contexts.TypeMessage}
			must(t, c.Append(e, contexts.UserMessage("ann", "work", "two"), e))
			equal(t, "history", "Context created one two", Contents(history(t, c, contexts.Query{})))
		}},
	}
}

func (s historyRules) queries(t *testing.T) {
	c := s.work(t)
	now := time.Now().Unix()
	must(t, c.Append(message("one", now+100), message("Two", now+200), message(`a "quoted" <two> é`, now+300),
		message("four", now+400)))
	must(t, c.Archive())
	must(t, c.Append(message("five", now+500)))
	isMessage := func(e contexts.Entry) bool { return e.Type == contexts.TypeMessage }
	for _, test := range []struct {
		name string
		q    contexts.Query
		want string
	}{
		{"all", contexts.Query{}, `one Two a "quoted" <two> é four five`},
		{"first", contexts.Query{First: 2}, "one Two"},
		{"last", contexts.Query{Last: 2}, "four five"},
		{"more than there are", contexts.Query{Last: 50}, `one Two a "quoted" <two> é four five`},
		{"since", contexts.Query{Since: time.Unix(now+400, 500)}, "four five"},
		{"until", contexts.Query{Until: time.Unix(now+200, 0)}, "one Two"},
		{"between", contexts.Query{Since: time.Unix(now+200, 0), Until: time.Unix(now+300, 0)}, `Two a "quoted" <two> é`},
		{"text in another case", contexts.Query{Text: "tWo"}, `Two a "quoted" <two> é`},
		{"text with characters that JSON escapes", contexts.Query{Text: `"QUOTED" <`}, `a "quoted" <two> é`},
		{"text that is not ASCII", contexts.Query{Text: "É"}, `a "quoted" <two> é`},
		{"text that is in no content", contexts.Query{Text: "timestamp"}, ""},
		{"the last with a text", contexts.Query{Last: 1, Text: "two"}, `a "quoted" <two> é`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.q.Keep = isMessage
			equal(t, "history", test.want, Contents(history(t, c, test.q)))
		})
	}
}
