package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
)

type explanation struct {
	Run     string         `json:"run"`
	Turn    int            `json:"turn"`
	Context string         `json:"context"`
	About   string         `json:"about,omitempty"`
	Answers []trace.Answer `json:"answers"`
}

func explain(ctx context.Context, env *command.Env, args []string, f traceFlags) error {
	_, turns, err := read(ctx, env, source{agent: f.agent})
	if err != nil {
		return err
	}
	turn, err := turnAt(turns, f.turn)
	if err != nil {
		return err
	}
	about := strings.TrimSpace(strings.Join(args, " "))
	if about == "" && f.plugin != "" {
		about = "plugin " + f.plugin
	}
	answers, err := answer(turns, &turn, about)
	var unknown *unknownError
	if errors.As(err, &unknown) {
		name := "plugin " + fileName(ctx, env, strings.TrimPrefix(about, "plugin "))
		if found, wrong := answer(turns, &turn, name); wrong == nil {
			answers, err = found, nil
		}
	}
	if errors.As(err, &unknown) && isTraced(ctx, env, about) {
		return unknown.elsewhere()
	}
	if err != nil {
		return err
	}
	if f.json {
		return env.Out.JSON(explanation{turn.Run, turn.Number, turn.Context, about, answers})
	}
	printAnswers(env.Out.Screen.Stdout(), about, answers)
	return nil
}

func printAnswers(out io.Writer, about string, answers []trace.Answer) {
	if len(answers) > 1 {
		kinds := make([]string, len(answers))
		for i, a := range answers {
			kinds[i] = a.String()
		}
		fmt.Fprintln(out, term.Line(fmt.Sprintf("%q can be %s.", about, strings.Join(kinds, ", or "))))
	}
	printed := map[string]bool{}
	for _, a := range answers {
		for _, sentence := range a.Sentences {
			if !printed[sentence] {
				fmt.Fprintln(out, term.Line(sentence))
			}
			printed[sentence] = true
		}
	}
}

// answer answers a question about a turn, "" for all of it. The number of another turn
// selects that turn. The error is an *unknownError if nothing in the turn has that name.
func answer(turns []trace.Turn, turn *trace.Turn, about string) ([]trace.Answer, error) {
	if about == "" {
		return []trace.Answer{wholeTurn(*turn)}, nil
	}
	answers, near := turn.ExplainAbout(about)
	if len(answers) > 0 {
		return answers, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(about, "turn "))
	if err != nil {
		return nil, &unknownError{about, turn.Context, near}
	}
	if *turn, err = turnAt(turns, n); err != nil {
		return nil, err
	}
	return []trace.Answer{wholeTurn(*turn)}, nil
}

func wholeTurn(turn trace.Turn) trace.Answer {
	return trace.Answer{Subject: trace.Subject{Kind: trace.KindTurn}, Sentences: turn.Explain()}
}

// unknownError means that nothing in a turn has the name that a person asks about.
type unknownError struct {
	about   string
	context string   // of the turn
	near    []string // names that are similar
}

func (e *unknownError) Error() string {
	if len(e.near) == 0 {
		return fmt.Sprintf("nothing in this turn is called %q; it can be a plugin, a tool, a hook, a place in the "+
			"request such as temperature, prompt, system_prompt, a context or the number of a turn", e.about)
	}
	quoted := make([]string, len(e.near))
	for i, name := range e.near {
		quoted[i] = strconv.Quote(name)
	}
	return fmt.Sprintf("nothing in this turn is called %q; did you mean %s?", e.about, strings.Join(quoted, " or "))
}

func (e *unknownError) elsewhere() error {
	return fmt.Errorf("this turn was in context %q; %q has its own trace: chibi -C %s trace explain",
		e.context, e.about, e.about)
}

func isTraced(ctx context.Context, env *command.Env, name string) (is bool) {
	err := env.With(ctx, app.ToRead, func(s *app.Session) error {
		is = app.TracesOf(s).Has(name)
		return nil
	})
	return err == nil && is
}
