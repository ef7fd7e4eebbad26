// Command onehook takes one native pre_tool event to a plugin that changes its
// arguments, and leaves in a directory which code that ran. It is built with -cover.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

const script = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"home","hooks":["pre_tool"]}'; exit; fi
echo '{"arguments":{"dir":"/home"}}'
`

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "home"), []byte(script), 0o755); err != nil {
		return err
	}
	loaded, err := native.Load(context.Background(), native.Options{Dir: dir})
	if err != nil {
		return err
	}
	host := &plugin.Host{Plugins: loaded.Plugins}
	// The first event is not counted: the host looks once whether the point is valid.
	for range 2 {
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool, hookpoints.PreToolPayload{
			ToolName: "ls", Arguments: json.RawMessage(`{"dir":"/"}`),
		})
		if err != nil || string(verdict.Arguments) != `{"dir":"/home"}` {
			return fmt.Errorf("verdict %+v, error %w", verdict, err)
		}
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return err
	}
	return coverage.WriteMetaDir(dir)
}
