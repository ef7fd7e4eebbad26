package coding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// A call is planned, judged by what it would do, and then carried out.
func ExampleTools() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module a\n\ngo 1.25\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	var set tools.Set
	if err := set.Add(coding.Tools(coding.Config{Root: root})...); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	edit, _ := set.Lookup("file_edit")
	plan, err := edit.(tools.Planner).Plan(ctx, tools.Call{
		Arguments: json.RawMessage(`{"path": "go.mod", "old_string": "1.25", "new_string": "1.26"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	fmt.Println(filepath.Base(plan.Access().Real), plan.Access().Exists)
	result, err := plan.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output:
	// go.mod true
	// Replaced string in go.mod (18 → 18 bytes)
}
