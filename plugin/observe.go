package plugin

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
)

// observe asks all subscribers at once and uses none of their answers.
func (d *dispatch) observe(ctx context.Context, subscribers []*Plugin) error {
	replies, err := d.askAll(ctx, subscribers, d.payload)
	for _, r := range replies {
		if tried := meantToChange(r.names()); len(tried) > 0 {
			r.ignore(fmt.Sprintf("%s is only observed, an answer of %s changes nothing", d.info.Name, strings.Join(tried, ", ")))
		}
	}
	if err != nil {
		return err
	}
	return d.stopped(replies)
}

// meantToChange picks the fields that have an effect at some other point: an
// observer that answers them expects one. Others, such as {"ok":true}, harm
// nobody.
func meantToChange(fields []string) []string {
	if len(fields) == 0 {
		return nil
	}
	effective := map[string]bool{}
	for _, info := range hookpoints.All() {
		for _, f := range info.Fields {
			effective[f.Name] = true
		}
	}
	var tried []string
	for _, name := range fields {
		if effective[name] {
			tried = append(tried, fmt.Sprintf("%q", name))
		}
	}
	return tried
}
