package mcpserve

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// call calls a tool and waits for its result.
func call(ctx context.Context, c *client, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	arguments := string(req.Params.Arguments)
	if arguments == "null" { // as some clients say that there are none
		arguments = ""
	}
	done, err := c.tools.Call(ctx, Call{Who: whoIs(req.Session), Tool: req.Params.Name, Arguments: arguments,
		Waiting: progressOf(ctx, req)})
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: done.Text}}, IsError: done.Failed}, nil
}

// progressOf returns a function that tells the client what is being waited for, nil if it does
// not want to know.
func progressOf(ctx context.Context, req *sdk.CallToolRequest) func(what string) func() {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var told float64
	return func(what string) func() {
		told++
		// A client that has gone away is noticed elsewhere.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: told,
			Message: "waiting for " + what})
		return func() {}
	}
}
