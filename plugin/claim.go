package plugin

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// claim asks one subscriber after another until one claims the event.
func (d *dispatch) claim(ctx context.Context, subscribers []*Plugin) ([]byte, error) {
	for i, p := range subscribers {
		r, err := d.askOne(ctx, p, d.payload)
		if err != nil {
			return nil, err
		}
		for _, f := range d.info.Fields {
			if f.Rule == hookpoints.RuleClaim && r.isTrue(f.Name) {
				r.record.Result = Claimed
				d.skip(subscribers[i+1:], fmt.Sprintf("plugin %q claimed it", p.Name))
				return d.withCompanions(r, f.Name, p.Name), nil
			}
		}
	}
	return nil, nil
}
