package native_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// TestTheTimeLimitOfAHook: the configuration of a hook, that of the plugin, the schema, the
// configuration of all plugins, 30 seconds.
func TestTheTimeLimitOfAHook(t *testing.T) {
	const second = time.Second
	atTool := func(limit time.Duration) map[hookpoints.Name]plugin.HookOverride {
		return map[hookpoints.Name]plugin.HookOverride{"pre_tool": {Timeout: limit}}
	}
	for _, test := range []struct {
		name, schema string
		usual        time.Duration // in the configuration, of all plugins
		override     plugin.Override
		want         time.Duration
	}{
		{name: "nobody says one", schema: `{"name":"a","hooks":["pre_tool"]}`, want: 30 * second},
		{name: "all plugins have one", schema: `{"name":"a","hooks":["pre_tool"]}`, usual: 5 * second, want: 5 * second},
		{name: "a short one", schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":700}`, usual: 30 * second,
			want: 700 * time.Millisecond},
		{name: "a long one", schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":120000}`, usual: 5 * second,
			want: 120 * second},
		{name: "0 is none", schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":0}`, want: 30 * second},
		{name: "the plugin's configuration", schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":700}`,
			override: plugin.Override{Timeout: 2 * second}, want: 2 * second},
		{name: "the hook's configuration", schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":700}`,
			override: plugin.Override{Timeout: 2 * second, Hooks: atTool(3 * second)}, want: 3 * second},
		{name: "the longest of several", want: 9 * second,
			schema: `[{"name":"a","hooks":["pre_tool"],"timeout_ms":700},{"name":"b","hooks":["on_end"],"timeout_ms":9000}]`},
		{name: "a tool without hooks has no say", want: 700 * time.Millisecond,
			schema: `[{"name":"a","hooks":["pre_tool"],"timeout_ms":700},{"name":"b","timeout_ms":9000},{"name":"c"}]`},
		{name: "hooks that do not exist have none either", want: 700 * time.Millisecond,
			schema: `[{"name":"a","hooks":["pre_tool"],"timeout_ms":700},{"name":"b","hooks":["x"],"timeout_ms":9000}]`},
		{name: "one of several says none", want: 30 * second,
			schema: `[{"name":"a","hooks":["pre_tool"],"timeout_ms":700},{"name":"b","hooks":["on_end"]}]`},
		{name: "more than there is", want: 9223372036854 * time.Millisecond,
			schema: `{"name":"a","hooks":["pre_tool"],"timeout_ms":18446744073710}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := native.Options{HookTimeout: test.usual, Overrides: map[string]plugin.Override{"p": test.override}}
			loaded := newPluginDir(t).plugin("p", test.schema, "").load(opts)
			if got := loaded.Plugins[0].Handler.(oneshot.Handler).Limit("pre_tool"); got != test.want {
				t.Errorf("limit %s, want %s", got, test.want)
			}
		})
	}
}

func TestAGuardThatHangsBlocksAfterTheTimeOfItsSchema(t *testing.T) {
	usual := native.Options{HookTimeout: oneshot.DefaultTimeout}
	const want = `plugin "p" failed, and its failure blocks: no answer after 700ms`
	f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_tool"],"on_failure":"block","timeout_ms":700}`,
		"exec sleep 9")
	verdict, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: f.load(usual).Plugins}, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage(`{}`)})
	if err != nil || !verdict.Block || verdict.Message != want {
		t.Errorf("%+v %v", verdict, err)
	}
}
