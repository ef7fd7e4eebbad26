package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/config"
	"github.com/chibi-host/chibi/contexts"
)

// inspectable lists what -n and -N show: texts, then configuration keys.
func inspectable() []string {
	return append([]string{"system_prompt", "reflection", "todos", "goals", "home", "list"}, config.Keys()...)
}

// inspect prints one thing about a context: a text, or what its configuration
// says for a key.
func (s *session) inspect(name, thing string) error {
	if thing == "prompt" {
		thing = "system_prompt"
	}
	c, err := s.store.Context(name)
	if err != nil {
		return usageError{err}
	}
	switch thing {
	case "system_prompt":
		return s.sayText(c.SystemPrompt, "(no system prompt set)")
	case "reflection":
		return s.sayText(c.Reflection, "(no reflection set)")
	case "todos":
		return s.sayText(c.Todos, "(no todos)")
	case "goals":
		return s.sayText(c.Goals, "(no goals)")
	case "home":
		return s.say("%s", s.home)
	case "list":
		return s.say("Inspectable items:\n  %s", strings.Join(inspectable(), "\n  "))
	}
	return s.inspectKey(c, thing)
}

func (s *session) inspectKey(c *contexts.Context, key string) error {
	if !slices.Contains(config.Keys(), key) {
		return usage("there is nothing called %q to inspect; chibi -n list names what there is", key)
	}
	t, err := s.at(c.Name())
	if err != nil {
		return err
	}
	value, _ := t.config.Value(key)
	if value == "" {
		value = "(not set)"
	}
	return s.say("%s", value)
}

// sayText prints a text of a context, or what stands for none.
func (s *session) sayText(read func() (string, error), none string) error {
	text, err := read()
	if err != nil {
		return err
	}
	if text == "" {
		text = none
	}
	return s.say("%s", fmt.Sprint(strings.TrimSuffix(text, "\n")))
}
