package plugin_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Voyage is the payload of points of another program.
type Voyage struct {
	Target string `json:"target"`
}

// Misspelt is an answer whose rule does not exist.
type Misspelt struct {
	Target string `json:"target,omitzero" merge:"replce"`
}

// TestAPointThatIsNotValidIsAnError whether somebody subscribes or not, at the
// first use and at every other one.
func TestAPointThatIsNotValidIsAnError(t *testing.T) {
	misspelt := hookpoints.Point[Voyage, Misspelt]{Name: "pre_sail", Mode: hookpoints.Chain}
	text := hookpoints.Point[Voyage, string]{Name: "pre_sail", Mode: hookpoints.Chain}
	nobody := &plugin.Host{}
	hosts := map[string]*plugin.Host{"no host": nil, "no subscriber": nobody, "a subscriber": subscribed("pre_sail")}
	for name, host := range hosts {
		for range 2 {
			_, err := plugin.Fire(t.Context(), host, misspelt, Voyage{})
			want := `hook point pre_sail: field Target of the answer: unknown rule in merge:"replce" (did you mean ` +
				`"replace"?)`
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := plugin.Fire(t.Context(), host, text, Voyage{}); err == nil ||
				err.Error() != "hook point pre_sail: the answer is a string; want a struct" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := plugin.FireJSON(t.Context(), host, hookpoints.Info{Name: "p"}, []byte("{}")); err == nil ||
			!strings.Contains(err.Error(), `hook point p: unknown mode ""`) {
			t.Errorf("%s: FireJSON = %v", name, err)
		}
	}
}

// subscribed is a host with a plugin that has no opinion at a point.
func subscribed(point hookpoints.Name) *plugin.Host {
	silent := plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
		return plugin.Answer{}, nil
	})
	return &plugin.Host{Plugins: []plugin.Plugin{{Name: "silent", Hooks: []hookpoints.Name{point}, Handler: silent}}}
}

// TestManyFirstUsesAtOnce is for the race detector.
func TestManyFirstUsesAtOnce(t *testing.T) {
	misspelt := hookpoints.Point[Voyage, Misspelt]{Name: "pre_sail", Mode: hookpoints.Chain}
	host := subscribed("post_sail")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := plugin.Fire(t.Context(), host, misspelt, Voyage{}); err == nil {
				t.Error("a point that is not valid was fired")
			}
			valid := hookpoints.Point[Voyage, hookpoints.None]{Name: "post_sail", Mode: hookpoints.Observe}
			if _, err := plugin.Fire(t.Context(), host, valid, Voyage{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestAMistakeInAPluginIsAnError of Validate, and of the point at which the plugin would not be
// asked as its author means; other points are fired.
func TestAMistakeInAPluginIsAnError(t *testing.T) {
	refuse := func(context.Context, hookpoints.PreToolPayload) (a hookpoints.PreToolAnswer, err error) {
		return a, nil
	}
	one := plugin.HandlePoint(hookpoints.PreTool, refuse)
	hooks := []hookpoints.Name{preTool}
	const none = `plugin "p" has no handler for pre_tool: it is nil; set it, or take the point out of its Hooks`
	for name, test := range map[string]struct {
		plugin plugin.Plugin
		want   string
	}{
		"no handler":    {plugin.Plugin{Name: "p", Hooks: hooks}, none},
		"nil function":  {plugin.Plugin{Name: "p", Hooks: hooks, Handler: plugin.HandlerFunc(nil)}, none},
		"nil in a map":  {plugin.New("p", plugin.Handlers{preTool: nil}), none},
		"nil for point": {plugin.New("p", plugin.HandlePoint(hookpoints.PreTool, nil)), none},
		"out of time": {plugin.Until(time.Now(), []plugin.Plugin{
			{Name: "p", Hooks: hooks, Handler: plugin.HandlerFunc(nil)}})[0], none},
		"two handlers": {plugin.New("p", one, one),
			`plugin "p" has two handlers for pre_tool; make one function of them, or two plugins`},
		"no opinion there":     {plugin.Plugin{Name: "p", Hooks: hooks, Handler: plugin.Handlers{}}, ""},
		"tools only":           {plugin.Plugin{Name: "p"}, ""},
		"one for another hook": {plugin.New("p", one, plugin.Handlers{preMessage: plugin.Handlers{}}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			host := &plugin.Host{Plugins: []plugin.Plugin{test.plugin}}
			_, fired := plugin.Fire(t.Context(), host, hookpoints.PreTool, call)
			_, asJSON := plugin.FireJSON(t.Context(), host, hookpoints.PreTool.Info(), []byte(`{}`))
			for _, err := range []error{host.Validate(), fired, asJSON} {
				if got := fmt.Sprint(cmp.Or(err, errors.New(""))); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			}
			if _, err := plugin.Fire(t.Context(), host, hookpoints.PreMessage, hookpoints.PreMessagePayload{}); err != nil {
				t.Errorf("another point: %v", err)
			}
		})
	}
	if err := (*plugin.Host)(nil).Validate(); err != nil {
		t.Error(err)
	}
}

// Veto is an answer that refuses at a point that asks all at once.
type Veto struct {
	Block   bool   `json:"block,omitzero" merge:"block"`
	Message string `json:"message,omitzero" merge:"with block"`
}

func TestABlockWhereAllAreAskedAtOnce(t *testing.T) {
	point := hookpoints.Point[Voyage, Veto]{Name: "pre_sail", Mode: hookpoints.Gather}
	storm := plugin.HandlePoint(point, func(context.Context, Voyage) (Veto, error) {
		return Veto{Block: true, Message: "a storm"}, nil
	})
	host := subscribed("pre_sail")
	host.Plugins = append(host.Plugins, plugin.New("storm", storm))
	if got, err := plugin.Fire(t.Context(), host, point, Voyage{}); err != nil || got != (Veto{true, "a storm"}) {
		t.Errorf("%+v, %v", got, err)
	}
}
