package recipes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// Registry holds the handlers that recipes can name. A program adds its own by
// setting a key before it uses the registry.
type Registry map[string]MakeHandler

// MakeHandler makes a handler for one run. A recipe can name it for
// the points that it handles. hook is the entry of the recipe.
type MakeHandler func(hook Hook) plugin.Handlers

// Handlers are the built-in handlers: "swap_context" makes an answer the whole
// conversation, see [SwapContext]; "compact" starts the recipe compact when the
// context window is so full (0.8 is 80 %), see [CompactAt].
func Handlers(full float64) Registry {
	return Registry{
		"swap_context": SwapContext,
		"compact":      func(hook Hook) plugin.Handlers { return CompactAt(full, hook) },
	}
}

// pointOf returns the hook point of an event in a recipe: by Kodelet's names, and by our
// own for points that have handlers.
func pointOf(event string) (point hookpoints.Name, isEvent bool) {
	if point, isEvent = kodelet.Events()[event]; isEvent {
		return point, true
	}
	point = hookpoints.Name(event)
	return point, point == hookpoints.PostTurn.Name || point == hookpoints.PreStop.Name
}

// make makes the handler of one event.
func (known Registry) make(event string, hook Hook) (plugin.Handlers, error) {
	point, isEvent := pointOf(event)
	if !isEvent {
		return nil, fmt.Errorf("hooks: there is no event %q; handlers exist for turn_end, after_turn and agent_stop", event)
	}
	maker, ok := known[hook.Handler]
	if !ok {
		return nil, fmt.Errorf("hooks: there is no handler %q for %s; there are %s", hook.Handler, event,
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	all := maker(hook)
	handler, ok := all[point]
	if !ok {
		return nil, fmt.Errorf("hooks: the handler %q is not for %s", hook.Handler, event)
	}
	return plugin.Handlers{point: handler}, nil
}

// named returns the name that the recipe uses for the handlers' point.
func named(handlers plugin.Handlers, event string) map[hookpoints.Name]string {
	events := map[hookpoints.Name]string{}
	for point := range handlers {
		if string(point) != event {
			events[point] = event
		}
	}
	return events
}

// SwapContext makes the model's answer to a recipe the whole conversation, as one
// message of the user: a summary that the next prompt goes on from. It acts on
// responses with text that call no tool, as calls would lose their results.
func SwapContext(hook Hook) plugin.Handlers {
	var done atomic.Bool
	return plugin.HandlePoint(hookpoints.PostTurn,
		func(_ context.Context, turn hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
			if turn.Recipe == "" || turn.Nested || len(turn.ToolsUsed) > 0 || strings.TrimSpace(turn.Response) == "" ||
				hook.Once && done.Swap(true) {
				return hookpoints.PostTurnAnswer{}, nil
			}
			messages := []hookpoints.ChatMessage{{Role: "user", Content: turn.Response}}
			// the response was written with the summary in the prompt
			return hookpoints.PostTurnAnswer{Messages: messages, DropSummary: true}, nil
		})
}

// CompactAt starts the recipe compact when the context window is at least so
// full (0.8 is 80 %) and the turn goes on: after a response that calls tools.
// Between prompts the agent makes room by itself, and keeps the latest messages.
func CompactAt(full float64, hook Hook) plugin.Handlers {
	var done atomic.Bool
	return plugin.HandlePoint(hookpoints.PostTurn,
		func(_ context.Context, turn hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
			used := turn.Usage
			if turn.Nested || turn.Recipe == Compact || len(turn.ToolsUsed) == 0 || used.MaxContextWindow <= 0 ||
				float64(used.CurrentContextWindow) < full*float64(used.MaxContextWindow) ||
				hook.Once && done.Swap(true) {
				return hookpoints.PostTurnAnswer{}, nil
			}
			return hookpoints.PostTurnAnswer{Recipe: Compact}, nil
		})
}
