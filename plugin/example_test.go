package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// A plugin can be a Go function.
func ExampleHandlePoint() {
	guard := plugin.HandlePoint(hookpoints.PreTool,
		func(_ context.Context, call hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
			if strings.Contains(string(call.Arguments), "rm -rf") {
				return hookpoints.PreToolAnswer{Block: true, Message: "not on my disk"}, nil
			}
			return hookpoints.PreToolAnswer{}, nil
		})
	host := &plugin.Host{Plugins: []plugin.Plugin{plugin.New("guard", guard)}}

	verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool, hookpoints.PreToolPayload{
		ToolName: "shell", Arguments: json.RawMessage(`{"command":"rm -rf /"}`),
	})
	fmt.Println(verdict.Block, verdict.Message, err)
	// Output: true not on my disk <nil>
}

// A plugin can be an executable in a folder.
func ExampleFire() {
	dir, _ := os.MkdirTemp("", "plugins")
	defer os.RemoveAll(dir)
	script := "#!/bin/sh\n" +
		`if [ "$1" = --schema ]; then echo '{"name":"home","hooks":["pre_tool"]}'; exit; fi` + "\n" +
		`echo '{"arguments":{"dir":"/home"}}'` + "\n"
	os.WriteFile(filepath.Join(dir, "home"), []byte(script), 0o755)

	loaded, err := native.Load(context.Background(), native.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := &plugin.Host{Plugins: loaded.Plugins}
	verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool, hookpoints.PreToolPayload{
		ToolName: "ls", Arguments: json.RawMessage(`{"dir":"/"}`),
	})
	fmt.Println(string(verdict.Arguments), err)
	// Output: {"dir":"/home"} <nil>
}

// Deploy is what plugins hear about a deployment in some other program.
type Deploy struct {
	Target string `json:"target"`
}

// DeployAnswer is what they may say.
type DeployAnswer struct {
	Target  string `json:"target,omitzero" merge:"replace"`
	Block   bool   `json:"block,omitzero" merge:"block"`
	Message string `json:"message,omitzero" merge:"with block"`
}

// A program can have hook points of its own.
func ExampleFire_ownPoint() {
	preDeploy := hookpoints.Point[Deploy, DeployAnswer]{Name: "pre_deploy", Mode: hookpoints.Chain}
	friday := plugin.HandlePoint(preDeploy, func(context.Context, Deploy) (DeployAnswer, error) {
		return DeployAnswer{Block: true, Message: "not on a Friday"}, nil
	})
	host := &plugin.Host{Plugins: []plugin.Plugin{plugin.New("friday", friday)}}

	answer, err := plugin.Fire(context.Background(), host, preDeploy, Deploy{Target: "production"})
	fmt.Println(answer.Block, answer.Message, err)
	// Output: true not on a Friday <nil>
}

// Executables subscribe to a program's own points like to chibi's, if Options.Points has their
// names: they receive the payload as JSON, and what they answer is merged by the tags.
func ExampleFire_executableAtOwnPoint() {
	dir, _ := os.MkdirTemp("", "plugins")
	defer os.RemoveAll(dir)
	script := "#!/bin/sh\n" +
		`if [ "$1" = --schema ]; then echo '{"name":"canary","hooks":["pre_deploy"]}'; exit; fi` + "\n" +
		`case $(cat) in *production*) echo '{"target":"canary"}';; esac` + "\n"
	os.WriteFile(filepath.Join(dir, "canary"), []byte(script), 0o755)

	preDeploy := hookpoints.Point[Deploy, DeployAnswer]{Name: "pre_deploy", Mode: hookpoints.Chain}
	loaded, err := native.Load(context.Background(), native.Options{Dir: dir, Points: []hookpoints.Name{preDeploy.Name}})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := &plugin.Host{Plugins: loaded.Plugins}
	answer, err := plugin.Fire(context.Background(), host, preDeploy, Deploy{Target: "production"})
	fmt.Println(answer.Target, err)
	// Output: canary <nil>
}
