package mcp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall calls a tool of a server that has started, and compares this package with the
// SDK's own client of the same server, in a process of its own. They take turns. It reports
// the median of each, and x-sdk, the ratio of these; it is to be at most 1.3. Run it by
//
//	go test -run '^$' -bench Call -benchtime 2s ./tools/mcp
func BenchmarkCall(b *testing.B) {
	server := program(b, "good")
	pool := mcp.NewPool(mcp.PoolConfig{})
	defer pool.Close()
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Env = append(os.Environ(), serverVariable+"=good")
	client := sdk.NewClient(&sdk.Implementation{Name: "bare"}, nil)
	bare, err := client.Connect(b.Context(), &sdk.CommandTransport{Command: cmd},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}) // as chibi does: the newest one is slower
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	arguments := json.RawMessage(`{"text":"hello"}`)
	ways := map[string]func() error{
		"chibi": func() error {
			_, err := pool.Call(b.Context(), server, "echo", arguments)
			return err
		},
		"sdk": func() error {
			_, err := bare.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: arguments})
			return err
		},
	}
	took := map[string][]time.Duration{}
	for warm := true; b.Loop(); warm = false {
		for name, call := range ways {
			begin := time.Now()
			if err := call(); err != nil {
				b.Fatal(err)
			}
			if !warm {
				took[name] = append(took[name], time.Since(begin))
			}
		}
	}
	for name, list := range took {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2].Microseconds()), name+"-us")
	}
	if n := len(took["sdk"]); n > 0 {
		b.ReportMetric(float64(took["chibi"][n/2])/float64(took["sdk"][n/2]), "x-sdk")
	}
}
