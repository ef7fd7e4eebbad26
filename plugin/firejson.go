package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// FireJSON is Fire for a point that is known only when the program runs: the
// payload is a JSON object of the point's fields, which subscribers receive in one
// line and one spelling, and so is the answer; nil if nobody had an opinion. A
// payload of other types is an error.
func FireJSON(ctx context.Context, h *Host, info hookpoints.Info, payload json.RawMessage) (json.RawMessage, error) {
	if err := hookpoints.Validate(info); err != nil {
		return nil, err
	}
	if h == nil {
		return nil, nil
	}
	inTurn, atOnce, err := h.subscribers(info)
	if err != nil || len(inTurn)+len(atOnce) == 0 {
		return nil, err
	}
	body, err := payloadOf(info, payload)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", info.Name, err)
	}
	result, err := newDispatch(h, info, body, nil).run(ctx, inTurn, atOnce)
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
