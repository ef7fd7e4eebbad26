package trace

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/pelletier/go-toml/v2"
)

type recorded struct {
	Name   string         `toml:"name"`
	Hook   string         `toml:"hook"`
	Answer map[string]any `toml:"answer,inline"`
	Data   any            `toml:"data"`
}

// Cases returns the payloads and the answers of one plugin in the turn, as the text of
// a file of cases for chibi plugin test. Payloads that the trace does not have are
// left out.
func (t Turn) Cases(plugin string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Payloads and answers of the plugin %s in a turn of %s.\nplugin = %q\n", plugin,
		t.Begin().Format("2006-01-02 15:04:05"), plugin)
	count := 0
	for _, l := range t.Lines {
		if l.Record == nil || l.Plugin != plugin || l.Payload == nil {
			continue
		}
		count++
		if !l.IsWhole() {
			fmt.Fprintf(&b, "\n# %s, number %d, is left out: plugins removed words from what it received, and the trace did "+
				"not keep them.\n"+
				"# With trace.received = true it does.\n", l.Point, count)
			continue
		}
		c := recorded{Name: fmt.Sprintf("%s, number %d", l.Point, count), Hook: string(l.Point), Answer: map[string]any{}}
		if err := strictjson.Decode(l.Payload, &c.Data); err != nil {
			return "", fmt.Errorf("payload of %s: %w", l.Point, err)
		}
		if l.Answer != nil {
			if err := strictjson.Decode(l.Answer, &c.Answer); err != nil {
				return "", fmt.Errorf("answer at %s: %w", l.Point, err)
			}
		}
		text, err := toml.Marshal(struct {
			Case []recorded `toml:"case"`
		}{[]recorded{c}})
		if err != nil {
			return "", fmt.Errorf("writing a case: %w", err)
		}
		b.WriteString("\n" + string(text))
	}
	if count == 0 {
		return "", fmt.Errorf("the trace has no payload of the plugin %q in this turn", plugin)
	}
	return b.String(), nil
}
