package plugin

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// New returns a plugin inside the program with handlers for one or more points. Two for the
// same point are a mistake, which [Host.Validate] and firing the point return.
func New(name string, handlers ...Handlers) Plugin {
	all := Handlers{}
	for _, some := range handlers {
		for point, handler := range some {
			if _, isThere := all[point]; isThere {
				handler = twice{}
			}
			all[point] = handler
		}
	}
	return Plugin{Name: name, Hooks: all.Hooks(), Handler: all}
}

// twice stands for two handlers of one plugin for the same point.
type twice struct{}

// Handle has no opinion: the point cannot be fired.
func (twice) Handle(context.Context, Event) (Answer, error) { return Answer{}, nil }

// HandlePoint returns a Handler for one point that calls a typed Go function with the
// decoded payload. The zero A means no opinion. An error, or a panic, of the function is a failure
// of the plugin. The function must be safe for concurrent use. [New] combines several.
func HandlePoint[P, A any](point hookpoints.Point[P, A],
	answer func(ctx context.Context, payload P) (A, error)) Handlers {
	if answer == nil {
		return Handlers{point.Name: nil}
	}
	return Handlers{point.Name: reader(func(ctx context.Context, ev Event) (Answer, error) {
		var payload P
		if err := strictjson.Decode(ev.Payload, &payload); err != nil {
			return Answer{}, fmt.Errorf("payload of %s: %w", ev.Point, err)
		}
		a, err := answer(ctx, payload)
		if err != nil || reflect.ValueOf(&a).Elem().IsZero() {
			return Answer{}, err
		}
		body, err := JSON(a)
		return Answer{Body: body}, err
	})}
}

// Handlers is a Handler that has one Handler for each point.
type Handlers map[hookpoints.Name]Handler

// Handle passes the event to its point's Handler; without one it has no opinion.
func (h Handlers) Handle(ctx context.Context, ev Event) (Answer, error) {
	if handler, ok := h[ev.Point]; ok {
		return handler.Handle(ctx, ev)
	}
	return Answer{}, nil
}

// Hooks lists the points that h handles, sorted.
func (h Handlers) Hooks() []hookpoints.Name { return slices.Sorted(maps.Keys(h)) }
