package plugin_test

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// A program asks a plugin of its own before it runs a tool.
func Example() {
	guard := plugin.HandlePoint(hookpoints.PreTool,
		func(_ context.Context, call hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
			return hookpoints.PreToolAnswer{Block: call.ToolName == "shell", Message: "no shell here"}, nil
		})
	host := &plugin.Host{Plugins: []plugin.Plugin{plugin.New("guard", guard)}}

	call := hookpoints.PreToolPayload{ToolName: "shell"}
	verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool, call)
	fmt.Println(verdict.Block, verdict.Message, err)
	// Output: true no shell here <nil>
}
