package hookdoc_test

import (
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
)

// The text that `chibi hook show pre_cache_output` prints.
func ExampleText() {
	fmt.Print(hookdoc.Text(hookpoints.PreCacheOutput.Info()))
	// Output:
	// pre_cache_output fires when a tool's output is too large to show, before chibi
	//   caches it.
	// Mode gather: all plugins at once, with the same payload; their answers combine
	//   in plugin order.
	//
	// A plugin receives:
	//   tool_name (string): The tool's name.
	//   arguments (object): The arguments of the call, as plugins have left them.
	//   content (string): The whole output.
	//   truncated (boolean, optional): True if the payload has only the beginning,
	//     because the output is too large.
	//   content_path (string, optional): A file with the whole output.
	//   char_count (integer): Its number of characters.
	//   line_count (integer): Its number of lines.
	//   nested (boolean, optional): True inside a sub-agent, and in a recipe that a
	//     hook runs outside the conversation.
	//   agent_id (string, optional): Identifies the sub-agent in this run; absent
	//     outside of a sub-agent.
	//   agent_type (string, optional): The recipe that defines the sub-agent,
	//     "general", or "summarize_content"; absent outside of a sub-agent.
	//
	// It may answer:
	//   summary (string): The text that the model sees in place of the preview.
	//     Several plugins: the first value in plugin order that is not empty; the
	//     trace names the others.
	//   system_message (string): A text for the person, never for the model. Several
	//     plugins: chibi shows all texts, each with its plugin's name.
	//
	// Example payload, one line:
	// {"tool_name":"run_command","arguments":{"command":"ls -l /tmp"},"content":"total 1200\n-rw------- 1 ada ada 4096 notes.txt\n... and so on, all of it","content_path":"/home/ada/.chibi/contexts/default/tool_cache/run_command_6b00d3e6_3cd3d7fe.cache","char_count":50000,"line_count":1200}
}

func ExampleExample() {
	fmt.Println(string(hookdoc.Example(hookpoints.PreTool.Info())))
	// Output: {"tool_name":"run_command","arguments":{"command":"ls -l /tmp"},"tool_call_id":"call_1","category":"shell","subject":"command"}
}
