package cli

import (
	"fmt"
	"strings"
)

// listContexts prints every context, a star at the current one.
func (p *program) listContexts(s *session) error {
	infos, err := s.store.List()
	if err != nil {
		return err
	}
	for _, info := range infos {
		mark, state := " ", ""
		if info.Current {
			mark = "*"
		}
		if info.Locked {
			state = " [active]"
		}
		if _, err := fmt.Fprintf(p.screen.Stdout(), "%s %s%s\n", mark, info.Name, state); err != nil {
			return err
		}
	}
	return nil
}

// showContext prints what is known of the context of this run.
func (p *program) showContext(s *session) error {
	c := s.agent.Context
	count, err := c.MessageCount()
	if err != nil {
		return err
	}
	summary, err := c.Summary()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.screen.Stdout(), "Context: %s\nMessages: %d\n", c.Name(), count)
	if line, _, _ := strings.Cut(strings.TrimSpace(summary), "\n"); line != "" {
		fmt.Fprintf(p.screen.Stdout(), "Summary: %s\n", line)
	}
	return nil
}
