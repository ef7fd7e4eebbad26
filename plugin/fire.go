package plugin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// Fire takes a moment to the host's subscribers and returns their combined
// answer, the zero A if nobody had an opinion. Fields that rewrite the payload
// hold the final value, and are empty where nothing changed.
//
// A plugin's failure is not an error, see the package documentation. Errors
// are the end of ctx, and a payload that cannot be written as JSON.
func Fire[P, A any](ctx context.Context, h *Host, point hookpoints.Point[P, A], payload P) (A, error) {
	var verdict A
	subscribers := h.subscribers(point.Name)
	if len(subscribers) == 0 {
		return verdict, nil
	}
	body, err := JSON(payload)
	if err != nil {
		return verdict, fmt.Errorf("payload of %s: %w", point.Name, err)
	}
	d := newDispatch(h, point.Info(), body)
	d.check = func(answer []byte) error { return json.Unmarshal(answer, new(A)) }
	merged, err := d.run(ctx, subscribers)
	if err != nil || merged == nil {
		return verdict, err
	}
	if err := json.Unmarshal(merged, &verdict); err != nil {
		return verdict, fmt.Errorf("combined answer of %s: %w", point.Name, err)
	}
	return verdict, nil
}
