package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Fire takes a moment to the host's subscribers and returns their combined
// answer, the zero A if nobody had an opinion. Fields that rewrite the payload
// hold the final value, and are empty where nothing changed. What plugins rewrite
// goes through refine.
//
// A plugin's failure is not an error, see the package documentation. Errors
// are the end of ctx, a point that is not valid ([hookpoints.Validate]), with or
// without subscribers, a payload that cannot be written as JSON, and at on_start
// a *[StartError].
func Fire[P, A any](ctx context.Context, h *Host, point hookpoints.Point[P, A], payload P,
	refine ...Refine) (A, error) {
	var verdict A
	if err := validate(h, point); err != nil {
		return verdict, err
	}
	subscribers := h.subscribers(point.Name)
	if len(subscribers) == 0 {
		return verdict, nil
	}
	body, err := JSON(payload)
	if err != nil {
		return verdict, fmt.Errorf("payload of %s: %w", point.Name, err)
	}
	d := newDispatch(h, point.Info(), body)
	d.refine = refine
	result, err := d.run(ctx, subscribers)
	if err != nil || result.Answer == nil {
		return verdict, err
	}
	if err := strictjson.Decode(result.Answer, &verdict); err != nil {
		return verdict, fmt.Errorf("combined answer of %s: %w", point.Name, err)
	}
	if v, ok := any(&verdict).(interface{ SetBlockedBy(string) }); ok {
		v.SetBlockedBy(result.BlockedBy)
	}
	if v, ok := any(&verdict).(interface{ SetAppendedBy([]string) }); ok {
		v.SetAppendedBy(result.AppendedBy)
	}
	return verdict, nil
}

// pointType is what makes a point valid or not.
type pointType struct {
	name            hookpoints.Name
	mode            hookpoints.Mode
	payload, answer reflect.Type
}

// validate says what is wrong with a point. The host remembers the answer.
func validate[P, A any](h *Host, point hookpoints.Point[P, A]) error {
	if h == nil {
		return hookpoints.Validate(point.Info())
	}
	key := pointType{point.Name, point.Mode, reflect.TypeFor[P](), reflect.TypeFor[A]()}
	known, found := h.valid.Load(key)
	if !found {
		known, _ = h.valid.LoadOrStore(key, checked{hookpoints.Validate(point.Info())})
	}
	return known.(checked).err
}

// checked is what a check has found.
type checked struct{ err error }

// FireJSON is Fire for a point that is known only when the program runs: the
// payload is a JSON object of the point's fields, which subscribers receive in one
// line and one spelling, and so is the answer; nil if nobody had an opinion. A
// payload of other types is an error.
func FireJSON(ctx context.Context, h *Host, info hookpoints.Info, payload json.RawMessage) (json.RawMessage, error) {
	if err := hookpoints.Validate(info); err != nil {
		return nil, err
	}
	subscribers := h.subscribers(info.Name)
	if len(subscribers) == 0 {
		return nil, nil
	}
	body, err := payloadOf(info, payload)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", info.Name, err)
	}
	result, err := newDispatch(h, info, body).run(ctx, subscribers)
	return result.Answer, err
}

// payloadOf is a payload as subscribers receive it: of names that come twice they
// would not all read the same, and some read one line.
func payloadOf(info hookpoints.Info, payload []byte) ([]byte, error) {
	body, err := strictjson.Normalize(payload)
	if err != nil {
		return nil, err
	}
	if body[0] != '{' {
		return nil, &strictjson.TypeError{Want: "an object", Value: strictjson.TypeOf(body)}
	}
	return body, strictjson.Decode(body, reflect.New(info.Payload).Interface())
}
