package summarize_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/summarize"
)

// A model gets an answer about a file without reading it.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "log.txt"), []byte("started\nfailed: no disk\n"), 0o600); err != nil {
		panic(err)
	}
	tool := summarize.New(summarize.Config{
		Files:  coding.Config{Root: dir},
		Cache:  cache.Open(filepath.Join(dir, "cache")),
		Window: func(string) int { return 128_000 },
		Ask: func(_ context.Context, r summarize.Request) (tools.Result, error) {
			// A program sends r to a model here.
			return tools.Result{Text: "There was no disk."}, nil
		},
	})
	result, err := tool.Call(context.Background(), tools.Call{
		Arguments: []byte(`{"source": "log.txt", "instructions": "Why did it fail?"}`),
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(result.Text)
	// Output: There was no disk.
}
