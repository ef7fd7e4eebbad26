package operation

import (
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// Permissions are the flags about what tools may do in a run.
type Permissions struct{ app.PermissionOptions }

// Rows are the flags, which store their values in f.
func (f *Permissions) Rows() []Row {
	return []Row{
		{Flag: &cmdline.Flag{Name: "coding",
			About:  "offer the tools that read, write and search files, run commands and fetch URLs",
			Beside: true, Into: cmdline.Switch(&f.Coding)}},
		{Flag: &cmdline.Flag{Name: "allow", Takes: cmdline.Word("RULE", cmdline.Text), Repeats: true,
			About:  `allow what RULE matches without a question, e.g. --allow 'shell_exec(go test*)'`,
			Beside: true, Into: cmdline.List(&f.Allow)}},
		{Flag: &cmdline.Flag{Name: "deny", Takes: cmdline.Word("RULE", cmdline.Text), Repeats: true,
			About: "deny what RULE matches, whatever allows it", Beside: true, Into: cmdline.List(&f.Deny)}},
		{Flag: &cmdline.Flag{Name: "accept-edits", About: "do not ask before files of the project are written",
			Beside: true, Into: cmdline.Switch(&f.AcceptEdits)}},
		{Flag: &cmdline.Flag{Name: "trust-tools",
			About:  "answer each question with yes, but for those of plugins; what a rule or a plugin denies stays denied",
			Beside: true, Into: cmdline.Switch(&f.TrustTools)}},
		{Flag: &cmdline.Flag{Name: "no-tool-calls", About: "offer the model no tools",
			Members: []string{"flags.no_tool_calls"}, Beside: true, Into: cmdline.Switch(&f.NoToolCalls)}},
	}
}
