package contexttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// note is a text that can be set and read.
type note struct {
	name string
	set  func(*contexts.Context, string) error
	get  func(*contexts.Context, context.Context) (string, error)
}

func notes() []note {
	return []note{
		{"todos", (*contexts.Context).SetTodos, (*contexts.Context).Todos},
		{"goals", (*contexts.Context).SetGoals, (*contexts.Context).Goals},
		{"reflection", (*contexts.Context).SetReflection, (*contexts.Context).Reflection},
		{"system prompt", (*contexts.Context).SetSystemPrompt, (*contexts.Context).SystemPrompt},
	}
}

// textRules are the rules of notes and prompts.
type textRules struct{ suite }

func (s textRules) rules() []rule {
	return []rule{
		{"a text is empty, then what it is set to, then empty again", s.textsAreSet},
		{"the reflection belongs to the home, everything else to its context", func(t *testing.T) {
			h := s.home(t)
			for _, n := range notes() {
				must(t, n.set(in(t, h, "a"), n.name))
				want := ""
				if n.name == "reflection" {
					want = n.name
				}
				got, err := n.get(in(t, h, "b"), t.Context())
				must(t, err)
				equal(t, n.name, want, got)
			}
		}},
		{"a note that is too large is rejected and changes nothing", s.largeNotes},
		{"a text that could not be read again is rejected", func(t *testing.T) {
			c := s.work(t)
			must(t, c.SetSystemPrompt("Be kind."))
			if err := c.SetSystemPrompt(strings.Repeat("x", contexts.MaxText+1)); err == nil {
				t.Error("it was kept")
			}
			equal(t, "system prompt", "Be kind.", read(t, c.SystemPrompt))
		}},
		{"a prompt that the home does not have is empty", func(t *testing.T) {
			text, err := s.work(t).Prompt(t.Context(), "continuation")
			must(t, err)
			equal(t, "prompt", "", text)
		}},
		{"the local configuration is changed from what it was", s.localConfig},
		{"a change of the local configuration that fails changes nothing", func(t *testing.T) {
			c := s.work(t)
			must(t, c.ChangeLocalConfig(func(string) (string, error) { return "a = 1", nil }))
			wrong := errors.New("wrong")
			err := c.ChangeLocalConfig(func(string) (string, error) { return "b = 2", wrong })
			if !errors.Is(err, wrong) || !strings.Contains(err.Error(), `local.toml of context "work"`) {
				t.Error(err)
			}
			equal(t, "local configuration", "a = 1", read(t, c.LocalConfig))
		}},
		{"a context that only has notes has no transcript", func(t *testing.T) {
			h := s.home(t)
			c := in(t, h, "work")
			must(t, c.SetTodos("buy milk"))
			equal(t, "transcript", 0, len(transcript(t, c)))
			if !h.Exists(t.Context(), "work") {
				t.Error("the context does not exist")
			}
		}},
	}
}

func (s textRules) textsAreSet(t *testing.T) {
	h := s.open(t, at(start()))
	for _, n := range notes() {
		for _, text := range []string{"", "one\n\n<two> é", "three", ""} {
			must(t, n.set(in(t, h(), "work"), text))
			got, err := n.get(in(t, h(), "work"), t.Context())
			must(t, err)
			equal(t, n.name, text, got)
		}
	}
}

// localConfig has several processes that each add a line.
func (s textRules) localConfig(t *testing.T) {
	h := s.open(t, at(start()))
	equal(t, "local configuration", "", read(t, in(t, h(), "work").LocalConfig))
	atOnce(t, func(n int) error {
		c, err := h().Context("work")
		if err != nil {
			return err
		}
		return c.ChangeLocalConfig(func(old string) (string, error) { return old + fmt.Sprintln(n), nil })
	})
	lines := strings.Fields(read(t, in(t, h(), "work").LocalConfig))
	slices.Sort(lines)
	equal(t, "lines", "0 1 2 3 4 5 6 7", strings.Join(lines, " "))
	equal(t, "of another context", "", read(t, in(t, h(), "other").LocalConfig))
	if !h().Exists(t.Context(), "work") {
		t.Error("the context does not exist")
	}
}

func (s textRules) largeNotes(t *testing.T) {
	o := at(start())
	o.Limits.Note = 10
	c := in(t, s.open(t, o)(), "work")
	for _, n := range notes()[:3] {
		must(t, n.set(c, "0123456789"))
		if err := n.set(c, "0123456789x"); err == nil || !strings.Contains(err.Error(), "at most 10 are kept") {
			t.Errorf("%s: %v", n.name, err)
		}
		got, err := n.get(c, t.Context())
		must(t, err)
		equal(t, n.name, "0123456789", got)
	}
}
