package plugins

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
)

func printReport(out *command.Printer, r check.Report) {
	mark, word := "ok", "ok"
	if !r.Passed() {
		mark, word = "error", "FAIL"
	}
	about := []string{}
	if len(r.Hooks) > 0 {
		about = append(about, "hooks: "+strings.Join(r.Hooks, ", "))
	}
	if len(r.Tools) > 0 {
		about = append(about, "tools: "+strings.Join(r.Tools, ", "))
	}
	w := out.Screen.Stdout()
	fmt.Fprintf(w, "%s  %s  %s\n", out.Paint(mark, fmt.Sprintf("%-4s", word)), term.Name(r.Plugin),
		strings.Join(about, "; "))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "      %s %s: %s\n", out.Paint(string(f.Level), string(f.Level)), term.Line(f.Where),
			term.Line(f.Text))
	}
}
