//go:build linux

package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func cutFiles() []string {
	return []string{
		"contexts/work/transcript/active.jsonl", "contexts/work/context.jsonl",
		"contexts/work/transcript/manifest.json", "state.json",
		"contexts/work/inbox.jsonl", "contexts/work/summary.md", "contexts/work/context_meta.json",
		"contexts/work/trace.jsonl",
		"installed.json", "trust.json", "contexts/work/.lock", "contexts/work/tool_cache",
	}
}

// attackByCutting cuts one file of a home at every byte, and each time continues the
// conversation: every complete line of the transcript is kept; other files are rebuilt, or
// reported as damaged and kept under another name.
func attackByCutting(a *attempt) {
	name := cutFiles()[a.number%len(cutFiles())]
	original := a.home("original")
	original.furnish()
	original.must(os.MkdirAll(original.at("contexts", "work"), 0o755))
	for _, prepare := range []func(home){compacted, filled, source, project, mailToWork} {
		prepare(original)
	}
	for _, args := range [][]string{{"plugin", "install", "--yes", "src/counter"}, {"trust", "--yes", "project"}} {
		if o := original.run(args...); o.code != 0 {
			a.found(broken, "preparing: chibi %q: %s", args, o.errs)
		}
	}
	if strings.HasSuffix(name, "tool_cache") {
		found, _ := filepath.Glob(original.at(name, "*.meta.json"))
		name, _ = filepath.Rel(original.at(), found[0])
	}
	whole, err := os.ReadFile(original.at(name))
	if err != nil {
		a.must(err)
		return
	}
	step := max(1, fullMinutes/max(1, a.minutes))
	if a.short {
		step = 1 + len(whole)/25
	}
	for at := 0; at < len(whole); at += step {
		a.Tried++
		h := original.copy("cut")
		h.must(os.WriteFile(h.at(name), whole[:at], 0o600))
		h.survivesCut(name, at)
		os.RemoveAll(h.path)
	}
}

// compacted makes a home with partitions and a summary.
func compacted(h home) {
	for _, args := range [][]string{{"third"}, {"fourth"}, {"-x", "-z"}, {"after the summary"}} {
		if o := h.run(append([]string{"-C", "work", "--set", "storage.partition_max_entries=4"}, args...)...); o.code != 0 {
			h.found(broken, "preparing: chibi %q: %s", args, o.errs)
		}
	}
}

func mailToWork(h home) { h.run("-P", "send_message", `{"to": "work", "content": "lunch is ready"}`) }

// survivesCut continues the conversation in a home of which one file was cut.
func (h home) survivesCut(name string, at int) {
	before := h.transcript("work")
	o := h.run("-C", "work", "still there?")
	if o.code != 0 || !strings.Contains(o.out, "You said: ") {
		h.found(broken, "%s cut at byte %d: a prompt: exit status %d: %s", name, at, o.code, o.errs)
	}
	after := h.transcript("work")
	if len(after) < len(before)+2 || !slices.Equal(after[:len(before)], before) {
		h.found(lost, "%s cut at byte %d: the transcript had %d entries and has %d", name, at, len(before), len(after))
	}
	if o := h.run("-L"); o.code != 0 {
		h.found(broken, "%s cut at byte %d: chibi -L: exit status %d: %s", name, at, o.code, o.errs)
	}
}
