package demo

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/chibi-host/chibi/plugin/process"
)

// push is what Claude Code tells its hooks before its shell runs git push.
const push = `{"session_id": "demo", "tool_use_id": "call_1", "tool_name": "Bash", ` +
	`"tool_input": {"command": "git push"}}`

// bridge has this program answer an event of Claude Code in the scratch home, and explain the answer.
func (d *demonstration) bridge(ctx context.Context) error {
	fmt.Fprintf(d.out, "# In Claude Code the same file guards: chibi bridge add writes this command into its settings.\n")
	fmt.Fprintf(d.out, "$ echo '%s' | chibi bridge run claude PreToolUse\n", push)
	if err := d.run(ctx, push, "bridge", "run", "claude", "PreToolUse", "--deadline", "60s"); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\n# Who did that?\n$ chibi trace explain --agent claude\n")
	err := d.run(ctx, "", "trace", "explain", "--agent", "claude")
	fmt.Fprintln(d.out)
	return err
}

// run runs this program in the scratch home and shows what it writes.
func (d *demonstration) run(ctx context.Context, stdin string, args ...string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	outcome, err := process.Runner{}.Run(ctx, process.Command{Path: own, Dir: d.home.Chibi, Stdin: []byte(stdin),
		Args: append([]string{"--home", d.home.Chibi, "--store", "files"}, args...)})
	if err == nil && !outcome.Ok() {
		err = outcome.Err()
	}
	d.say(string(outcome.Stdout))
	return err
}

// say shows a text, without the lines of the demo model that it has shown before.
func (d *demonstration) say(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if name, _, isPart := strings.Cut(line, ": "); isPart && d.shown[line] && len(name) < 15 {
			continue
		}
		d.shown[line] = true
		fmt.Fprintln(d.out, strings.TrimRight("  "+line, " "))
	}
}
