package agent

import (
	"fmt"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
)

// inner is what an agent knows that works inside a turn of another one: as a sub-agent, or
// for a recipe that a hook asked for. An agent that works in the conversation itself has
// none: nil.
type inner struct {
	// around is the turn inside which it works.
	around *turn
	// nesting is what hooks learn about it.
	nesting hookpoints.Nesting
	// sub is set for a sub-agent; nil: it is for a recipe.
	sub *subagent
}

// newInside returns an agent that works inside a turn, with the same plugins, tools and
// permissions. Its conversation is its own, ends with it, and is not shown.
func newInside(t *turn) (*Agent, error) {
	a := t.agent
	conversation, err := contexts.NewMemory().Context(a.Context.Name())
	if err != nil {
		return nil, err
	}
	nesting := a.inner.told()
	nesting.Nested = true
	shown := a.Output
	shown.Text, shown.TextEnd, shown.Entry = nil, nil, nil
	return &Agent{
		Host: a.Host, Model: a.Model, Context: conversation, Tools: a.Tools, Cache: a.Cache, Gate: a.Gate,
		Recipes: a.Recipes, Subagents: a.Subagents, Settings: a.Settings, Output: shown,
		inner: &inner{around: t, nesting: nesting},
	}, nil
}

// told returns what hooks learn about the place where an agent works.
func (in *inner) told() hookpoints.Nesting {
	if in == nil {
		return hookpoints.Nesting{}
	}
	return in.nesting
}

// toldIn returns what hooks learn when a recipe runs, or none.
func (in *inner) toldIn(r *Recipe) hookpoints.InRecipe {
	return hookpoints.InRecipe{Recipe: r.name(), Nesting: in.told()}
}

// isForHook reports whether an agent runs a recipe because a hook asked for it.
func (in *inner) isForHook() bool { return in != nil && in.sub == nil }

// parent returns what the agent knows in whose turn this one works.
func (in *inner) parent() *inner { return in.around.agent.inner }

// subagents returns the sub-agents in which an agent works, from the innermost on.
func (in *inner) subagents() (list []*inner) {
	for ; in != nil; in = in.parent() {
		if in.sub != nil {
			list = append(list, in)
		}
	}
	return list
}

// enclosing returns the sub-agent in which an agent works, nil if it works in none.
func (in *inner) enclosing() *subagent {
	for ; in != nil; in = in.parent() {
		if in.sub != nil {
			return in.sub
		}
	}
	return nil
}

// outermost returns the agent of the conversation.
func outermost(a *Agent) *Agent {
	for a.inner != nil {
		a = a.inner.around.agent
	}
	return a
}

// recipesAround lists the recipes that say which commands a turn may run: its own, and the recipes
// of the turns that started the sub-agents in which it runs.
func recipesAround(t *turn) []*Recipe {
	list := []*Recipe{t.recipe}
	for _, in := range t.agent.inner.subagents() {
		list = append(list, in.around.recipe)
	}
	return list
}

// newAgentID returns the id of the next sub-agent that an agent starts.
func newAgentID(a *Agent) string {
	for a.inner != nil && a.inner.sub == nil {
		a = a.inner.around.agent
	}
	n := a.spawned.Add(1)
	if a.inner == nil {
		return fmt.Sprintf("agent-%d", n)
	}
	return fmt.Sprintf("%s.%d", a.inner.nesting.AgentID, n)
}
