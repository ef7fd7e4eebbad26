package fetch_test

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// A call shows what it would do before it does it. Whoever runs a call without judging it
// reaches public addresses only.
func Example() {
	tool := fetch.New(fetch.Config{Version: "1.0"}).(tools.Planner)
	call := tools.Call{ID: "call_1", Arguments: []byte(`{"url": "http://0x7F.1:80/private/../"}`)}
	plan, err := tool.Plan(context.Background(), call)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plan.Close()
	fmt.Println(plan.Access().URL)
	result, err := tool.Call(context.Background(), call)
	fmt.Println(result.Text, err)
	// Output:
	// http://127.0.0.1/
	// Error: http://127.0.0.1/ is refused: 127.0.0.1 is not a public address (loopback), and nothing allows that <nil>
}
