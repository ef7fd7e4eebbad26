package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
)

// explained is what trace explain says, as JSON.
type explained struct {
	Run     string         `json:"run"`
	Turn    int            `json:"turn"`
	Context string         `json:"context"`
	About   string         `json:"about,omitempty"`
	Answers []trace.Answer `json:"answers"`
}

// traceExplain says in sentences what happened in a turn, or what happened to one
// thing in it.
func (p *program) traceExplain(args []string, f traceFlags) error {
	_, turns, err := p.traceTurns(nil)
	if err != nil {
		return err
	}
	turn, err := turnOf(turns, f.turn)
	if err != nil {
		return err
	}
	about := strings.TrimSpace(strings.Join(args, " "))
	if about == "" && f.plugin != "" {
		about = "plugin " + f.plugin
	}
	answers, err := p.explain(turns, &turn, about)
	if err != nil {
		return err
	}
	if f.json {
		return p.printJSON(explained{turn.Run, turn.Number, turn.Context, about, answers})
	}
	if len(answers) > 1 {
		kinds := make([]string, len(answers))
		for i, a := range answers {
			kinds[i] = a.String()
		}
		fmt.Fprintln(p.screen.Stdout(), term.Line(fmt.Sprintf("%q can be %s.", about, strings.Join(kinds, ", or "))))
	}
	said := map[string]bool{}
	for _, a := range answers {
		for _, sentence := range a.Sentences {
			if !said[sentence] {
				fmt.Fprintln(p.screen.Stdout(), term.Line(sentence))
			}
			said[sentence] = true
		}
	}
	return nil
}

// explain answers what a person asks about a turn, "" for all of it. The number of
// another turn changes the turn.
func (p *program) explain(turns []trace.Turn, turn *trace.Turn, about string) ([]trace.Answer, error) {
	whole := func() []trace.Answer {
		return []trace.Answer{{Subject: trace.Subject{Kind: trace.KindTurn}, Sentences: turn.Explain()}}
	}
	if about == "" {
		return whole(), nil
	}
	answers, near := turn.ExplainAbout(about)
	if len(answers) > 0 {
		return answers, nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(about, "turn ")); err == nil {
		if *turn, err = turnOf(turns, n); err != nil {
			return nil, err
		}
		return whole(), nil
	}
	if p.isTraced(about) {
		return nil, fmt.Errorf("this turn was in context %q; what happened in %q is in its own trace: chibi -C %s "+
			"trace explain", turn.Context, about, about)
	}
	if len(near) == 0 {
		return nil, fmt.Errorf("nothing in this turn is called %q; it can be a plugin, a tool, a hook, a place in the "+
			"request such as temperature, prompt, system prompt, a context or the number of a turn", about)
	}
	for i := range near {
		near[i] = strconv.Quote(near[i])
	}
	return nil, fmt.Errorf("nothing in this turn is called %q; did you mean %s?", about, strings.Join(near, " or "))
}

// isTraced reports whether a context of this name has a trace.
func (p *program) isTraced(name string) bool {
	s, err := p.openWithoutPlugins()
	if err != nil {
		return false
	}
	defer s.Close()
	if _, err := s.Store.Context(name); err != nil {
		return false
	}
	_, err = os.Stat(s.Store.Layout().Trace(name))
	return err == nil
}
