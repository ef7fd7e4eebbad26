package kode_test

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
)

// A program of one's own lets a Kode hook rewrite prompts.
func ExampleLoad() {
	loaded := kode.Load(kode.Options{
		WorkDir: "/", Session: "1",
		Hooks: []kode.Hook{{Event: "user_prompt_submit", Exec: "sh",
			Args: []string{"-c", `echo '{"replace_prompt": "hello, politely"}'`}}},
	})
	host := &plugin.Host{Plugins: loaded.Plugins}
	answer, err := plugin.Fire(context.Background(), host, hookpoints.PreMessage,
		hookpoints.PreMessagePayload{Prompt: "hello"})
	fmt.Println(*answer.Prompt, err)
	// Output: hello, politely <nil>
}
