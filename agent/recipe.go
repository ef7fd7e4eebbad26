package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
)

// Recipe is a prepared prompt with what it allows.
type Recipe struct {
	// Name is the recipe's name, as hooks are told.
	Name string
	// Prompt is its text with the arguments filled in.
	Prompt string
	// Tools names the tools that may be offered while it runs; nil: all; an empty
	// list: none.
	Tools []string
	// Commands are patterns for the commands that tools may be asked to run while
	// it runs: "*" stands for any text. Empty: any command.
	Commands []string
}

// CompactRecipe is the recipe whose prompt asks for a summary.
const CompactRecipe = "compact"

func (r *Recipe) name() string {
	if r == nil {
		return ""
	}
	return r.Name
}

// purpose returns what the requests are for that are not of the conversation, "" for its own.
func (t *turn) purpose() string {
	switch in := t.agent.inner; {
	case in == nil:
		return ""
	case in.isForHook():
		return "recipe " + t.recipe.name()
	}
	return "sub-agent " + t.agent.inner.told().AgentID
}

// runRecipe runs a recipe on the conversation, because a hook asked for it. Its
// answer replaces the conversation, except the latest response and its results if
// that called tools: the model has not seen those yet. If the recipe fails, the
// conversation continues as it is.
func (a turnAction) runRecipe(ctx context.Context, latest []contexts.Entry) error {
	if limit := a.turn.agent.Settings.maxFollowUps(); a.turn.recipes >= limit {
		a.turn.agent.Output.notice("hooks have run %d recipes in this turn, as max_follow_ups allows; the recipe %q is not "+
			"run", limit, a.recipe)
		return nil
	}
	a.turn.recipes++
	answer, err := a.runDetached(ctx)
	if err == nil && strings.TrimSpace(answer) == "" {
		err = errors.New("the model answered nothing")
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.turn.agent.Output.notice("the recipe %q failed and the conversation stays as it is: %v", a.recipe, err)
		return nil
	}
	entries := a.entries([]hookpoints.ChatMessage{{Role: "user", Content: answer}})
	return a.replace(ctx, replacement{
		entries: withResults(entries, latest), into: fmt.Sprintf("into the answer of the recipe %q", a.recipe),
		dropSummary: true, // the recipe was given the summary with the conversation
	})
}

// runDetached runs a recipe on the conversation, by an agent that works inside this turn,
// and returns its answer.
func (a turnAction) runDetached(ctx context.Context) (string, error) {
	t := a.turn
	recipe, err := t.agent.findRecipe(ctx, a.recipe, a.args)
	if err != nil {
		return "", err
	}
	window, err := t.agent.Context.Window(ctx)
	if err != nil {
		return "", err
	}
	prompt, err := promptAbout(ctx, t.agent.Context, contexts.Answered(window, t.unanswered), recipe.Prompt)
	if err != nil {
		return "", err
	}
	inside, err := newInside(t)
	if err != nil {
		return "", err
	}
	n := newTurn(inside, t.depth)
	n.recipe, n.system = &recipe, t.system
	n.addPrompt(prompt)
	last, err := n.answer(ctx)
	err = cmp.Or(err, haltedError(n.halted))
	if err == nil && last.incomplete != "" {
		err = fmt.Errorf("its answer is incomplete: %s", last.incomplete)
	}
	return last.reply.Text, err
}
