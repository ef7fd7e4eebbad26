//go:build unix

package faults

import (
	"io"
	"strings"
	"testing"
)

// say makes entries of a transcript: "? text" is a prompt, "! text" an answer, "@ text" a call.
func say(lines ...string) (list []entry) {
	for _, line := range lines {
		e := entry{Type: "message", Content: line[2:]}
		switch line[0] {
		case '?':
			e.Metadata.Role = "user"
		case '!':
			e.Metadata.Role = "assistant"
		default:
			e.Type = "tool_call"
		}
		list = append(list, e)
	}
	return list
}

func newRun(t *testing.T) *run { return &run{T: t, journal: newJournal(t, io.Discard)} }

// TestWhatIsWrongWithPromptsIsFound: 1 and 2 are acknowledged, 3 is not.
func TestWhatIsWrongWithPromptsIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		there []entry
		want  tally
	}{
		"nothing":                 {say("? 1.", "@ 1.", "! 1.", "? 2.", "! 2."), tally{}},
		"the last one is there":   {say("? 1.", "! 1.", "? 2.", "! 2.", "? 3.", "@ 3."), tally{}},
		"a prompt is lost":        {say("? 1.", "! 1."), tally{lost: 1}},
		"an answer is lost":       {say("? 1.", "? 2.", "! 2."), tally{lost: 1}},
		"a prompt is doubled":     {say("? 1.", "! 1.", "? 2.", "? 2.", "! 2."), tally{doubled: 1}},
		"an answer is doubled":    {say("? 1.", "! 1.", "! 1.", "? 2.", "! 2."), tally{doubled: 1}},
		"the last one is doubled": {say("? 1.", "! 1.", "? 2.", "! 2.", "? 3.", "? 3."), tally{doubled: 1}},
		"two are reordered":       {say("? 2.", "! 2.", "? 1.", "! 1."), tally{reordered: 1}},
		"a call is in another":    {say("? 1.", "@ 3.", "! 1.", "? 2.", "! 2."), tally{reordered: 1}},
		"a turn is in another":    {say("? 1.", "? 2.", "! 2.", "! 1."), tally{reordered: 2}},
	} {
		r := newRun(t)
		r.prompts.note("alone0-a", "1.", true)
		r.prompts.note("alone0-a", "2.", true)
		r.prompts.note("alone0-a", "3.", false)
		got := r.checkPrompts(func(context string) []entry {
			if context == "alone0" {
				return c.there
			}
			return nil
		})
		if got != c.want || (r.findings > 0) != (c.want != tally{}) {
			t.Errorf("%s: %+v, want %+v; %d findings", name, got, c.want, r.findings)
		}
	}
}

// TestWhatIsWrongWithMailIsFound: 1 is acknowledged. worker0 gives nothing again, worker1 does.
func TestWhatIsWrongWithMailIsFound(t *testing.T) {
	first, again := "? [From: boss] mail 1.", "? [From: boss, attempt 2] mail 1."
	for name, c := range map[string]struct {
		worker string
		there  []entry
		failed string
		want   tally
	}{
		"it is answered":                    {"worker1", say(first, "@ nap", "! done"), "", tally{}},
		"it is answered the second time":    {"worker1", say(first, "@ nap", again, "! done"), "", tally{}},
		"nothing was done the first time":   {"worker1", say(first, first, "! done"), "", tally{}},
		"it has failed":                     {"worker0", say(first, "@ nap"), "1.", tally{}},
		"it is lost":                        {"worker0", nil, "", tally{lost: 1}},
		"it is lost in the middle":          {"worker0", say(first, "@ nap"), "", tally{lost: 1}},
		"it is answered twice":              {"worker1", say(first, "! done", first, "! done"), "", tally{doubled: 1}},
		"it is begun twice":                 {"worker1", say(first, "@ nap", first, "! done"), "", tally{doubled: 1}},
		"it is given again after an answer": {"worker1", say(first, "! done", again, "! done"), "", tally{doubled: 1}},
		"it has failed after an answer":     {"worker0", say(first, "! done"), "1.", tally{doubled: 1}},
		"it is given again and must not be": {"worker0", say(first, "@ nap", again, "! done"), "", tally{doubled: 1}},
	} {
		r := newRun(t)
		r.mails.note("1.", true)
		of := func(worker string) []entry {
			if worker == c.worker {
				return c.there
			}
			return nil
		}
		failed := func(worker string) []string {
			if worker == c.worker {
				return strings.Fields(c.failed)
			}
			return nil
		}
		if got := r.checkMail(of, failed); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestWhatIsWrongWithLocksIsFound: one machine has said 1, 2 and 3.
func TestWhatIsWrongWithLocksIsFound(t *testing.T) {
	for there, want := range map[string]tally{
		"0 1 2 3 4":   {},
		"0 1 3 4":     {lost: 1},
		"0 1 2 3 3 4": {doubled: 1},
		"1 0 2 3":     {reordered: 1},
		"2 1 3":       {reordered: 1},
	} {
		if got := newRun(t).checkTenure(strings.Fields(there), []string{"1", "2", "3"}); got != want {
			t.Errorf("%s: %+v, want %+v", there, got, want)
		}
	}
}
