package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// CallTool calls a tool on behalf of a person. The tool gets the arguments that it
// would get in a turn without hooks. No hook fires.
func CallTool(ctx context.Context, s *Session, name string, args json.RawMessage) (tools.Tool, tools.Result, error) {
	tool, err := FindTool(s, name)
	if err != nil {
		return nil, tools.Result{}, err
	}
	if args, err = s.Agent.PrepareArguments(tool.Spec(), args); err != nil {
		return nil, tools.Result{}, UsageError{fmt.Errorf("tool %q: %w", tool.Spec().Name, err)}
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: s.Name()})
	return tool, result, err
}

// ToolArguments parses what a person writes as a tool's arguments; an empty text is {}.
// They are normalized like those of a model.
func ToolArguments(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	args, err := strictjson.Arguments([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON; write them as one word in quotes: '{\"key\": \"value\"}' "+
			"(%w)", err)
	}
	return args, nil
}
