package kodelet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// A program of one's own lets Kodelet's hooks guard its tools.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	script := "#!/bin/sh\n[ \"$1\" = hook ] && { echo before_tool_call; exit; }\necho '{\"blocked\": true, \"reason\": " +
		"\"not on Sundays\"}'\n"
	os.WriteFile(filepath.Join(dir, "sunday"), []byte(script), 0o755)

	loaded, err := kodelet.Load(context.Background(), kodelet.Options{Dirs: []kodelet.Dir{{Path: dir}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := &plugin.Host{Plugins: loaded.Plugins}
	call := hookpoints.PreToolPayload{ToolName: "bash", Arguments: json.RawMessage(`{"command":"ls"}`)}
	verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool, call)
	fmt.Println(verdict.Block, verdict.Message, err)
	// Output: true not on Sundays <nil>
}
