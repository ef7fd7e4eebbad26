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
	// pre_cache_output fires when: a tool's output is too large to show and is about
	//   to be cached.
	// Mode gather: all subscribers at once, each with the same payload; answers are
	//   folded in plugin order.
	//
	// A plugin receives:
	//   tool_name (string): tool_name is the tool whose output is large.
	//   arguments (object): arguments are the arguments that the tool ran with.
	//   content (string): content is the whole output.
	//   truncated (boolean, optional): truncated is true if this is only the
	//     beginning of an output that is too large for a payload.
	//   content_path (string, optional): content_path is the path of a file with the
	//     whole content.
	//   char_count (integer): char_count is the number of characters of the content.
	//   line_count (integer): line_count is the number of lines of the content.
	//   nested (boolean, optional): nested is true inside a sub-agent, and in a
	//     recipe that runs outside the conversation because a hook requested it;
	//     absent otherwise.
	//   agent_id (string, optional): agent_id identifies the sub-agent in this run;
	//     absent outside of one.
	//   agent_type (string, optional): agent_type is the kind of sub-agent: the
	//     recipe that defines it, "general", or "summarize_content" for one that
	//     reads a content; absent outside of one.
	//
	// It may answer:
	//   summary (string): summary is shown to the model instead of the preview.
	//     Several plugins: the first non-empty value in plugin order is used; others
	//     are reported as unused.
	//   system_message (string): system_message is shown to the person, never to the
	//     model. Several plugins: shown to the person with the plugin's name, in
	//     plugin order.
	//
	// Example payload, one line:
	// {"tool_name":"run_command","arguments":{"command":"ls -l /tmp"},"content":"total 1200\n-rw------- 1 ada ada 4096 notes.txt\n... and so on, all of it","content_path":"/home/ada/.chibi/contexts/default/tool_cache/run_command_6b00d3e6_3cd3d7fe.cache","char_count":50000,"line_count":1200}
}

func ExampleExample() {
	fmt.Println(string(hookdoc.Example(hookpoints.PreTool.Info())))
	// Output: {"tool_name":"run_command","arguments":{"command":"ls -l /tmp"},"tool_call_id":"call_1","category":"shell","subject":"command"}
}
