//go:build linux

package campaign

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// run is a kind of run that is killed: what it does to a home, and the check whether
// that has been done.
type run struct {
	name    string
	prepare func(h home) // beyond what every home has; may be nil
	args    []string
	done    func(h home) error // nil when what the run acknowledged is there
}

// runs are killed in turn.
func runs() []run {
	return []run{
		{"prompt", nil, []string{"-C", "work", "a new question"}, said("work", "a new question", "You said: a new question")},
		{"prompt as JSON", nil, []string{"--json-output", "-C", "work", "in JSON"},
			said("work", "in JSON", "You said: in JSON")},
		{"prompt with tools", nil, []string{"-C", "work",
			"@tool update_todos {\"content\": \"buy milk\"}\n@tool update_goals {\"content\": \"peace\"}"},
			all(said("work", "Todos updated (8 characters).", "Goals updated"), holds("contexts/work/todos.md", "buy milk"),
				holds("contexts/work/goals.md", "peace"))},
		{"large output", large, []string{"-C", "work", "@tool large"},
			all(said("work", "@tool large", "The tool answered: "), cached)},
		{"hooks", hooks, []string{"-C", "work", "@tool update_todos {\"content\": \"with hooks\"}"},
			all(said("work", "Todos updated"), holds("contexts/work/todos.md", "with hooks"))},
		{"switch", nil, []string{"-c", "fresh", "hello there"},
			all(said("fresh", "hello there"), holds("state.json", `"fresh"`))},
		{"compaction", nil, []string{"-x", "-Z", "work"}, summarized},
		{"archive", nil, []string{"-x", "-A", "work"}, archived},
		{"rename", nil, []string{"-x", "-R", "work", "renamed"},
			all(gone("contexts/work/transcript"), holds("state.json", `"renamed"`))},
		{"delete", nil, []string{"-x", "--yes", "-D", "other"}, gone("contexts/other/transcript")},
		{"send message", nil, []string{"-P", "send_message", `{"to": "other", "content": "dinner is ready"}`},
			holds("contexts/other/inbox.jsonl", "dinner is ready")},
		{"deliver mail", mail, []string{"-B", "other"}, said("other", "lunch is ready")},
		{"cache clean", filled, []string{"-x", "--clear-cache-for", "work"}, nothingCached},
		{"install", source, []string{"plugin", "install", "--yes", "src/counter"},
			all(holds("plugins/counter/counter", "counter"), holds("installed.json", "counter"))},
		{"disable", hooks, []string{"plugin", "disable", "watch"}, holds("config.toml", "enabled = false")},
		{"enable", disabled, []string{"plugin", "enable", "watch"}, lacks("config.toml", "enabled = false")},
		{"set and save", nil, []string{"-C", "work", "--set", "api.temperature=0.25", "--save", "with a setting"},
			all(holds("contexts/work/local.toml", "0.25"), said("work", "with a setting"))},
		{"username", nil, []string{"-x", "-C", "work", "-u", "Ada"}, holds("contexts/work/local.toml", "Ada")},
		{"system prompt", nil, []string{"-x", "-C", "work", "-y", "You are terse"},
			holds("contexts/work/system_prompt.md", "You are terse")},
		{"trust", project, []string{"trust", "--yes", "project"}, holds("trust.json", "project")},
	}
}

// templates are the homes with which runs begin, each made once.
type templates struct {
	mu   sync.Mutex
	made map[string]template
}

type template struct {
	home home
	took time.Duration // the run, when it is not killed
}

var killed = templates{made: map[string]template{}}

// get makes the home with which a run begins, once, and tries the run in a copy of it.
func (ts *templates) get(a *attempt, r run) template {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t, ok := ts.made[r.name]; ok {
		return t
	}
	h := home{a, filepath.Join(filepath.Dir(binary), "template-"+strings.ReplaceAll(r.name, " ", "-"))}
	h.must(os.MkdirAll(filepath.Join(h.path, "tmp"), 0o755))
	h.furnish()
	if r.prepare != nil {
		r.prepare(h)
	}
	trial := h.copy("trial")
	o := trial.run(r.args...)
	if o.code != 0 {
		a.found(broken, "%s, not killed: exit status %d: %s", r.name, o.code, o.errs)
	} else if err := r.done(trial); err != nil {
		a.found(lost, "%s, not killed: %v", r.name, err)
	}
	t := template{h, o.took}
	ts.made[r.name] = t
	return t
}

const firstQuestion, secondQuestion = "the first question", "the second question"

// furnish adds two used contexts to a home.
func (h home) furnish() {
	h.must(os.MkdirAll(h.at("plugins"), 0o755))
	h.write("models.toml", "[models.demo]\ncontext_window = 100000\n")
	for _, args := range [][]string{{"-c", "work", firstQuestion}, {"-C", "work", secondQuestion},
		{"-C", "other", "what else?"}} {
		if o := h.run(args...); o.code != 0 {
			h.found(broken, "furnishing: chibi %q: exit status %d: %s", args, o.code, o.errs)
		}
	}
}

func (h home) copy(name string) home {
	to := home{h.attempt, filepath.Join(h.dir, name)}
	h.must(os.CopyFS(to.path, os.DirFS(h.path)))
	return to
}

// attackByKilling kills a run at a random moment, at one of its system calls, or
// at a hook point, and checks the home after it.
func attackByKilling(a *attempt) {
	r := runs()[a.number%len(runs())]
	t := killed.get(a, r)
	t.home.attempt = a
	h := t.home.copy("home")
	var o outcome
	how := ""
	_, err := exec.LookPath("strace")
	switch way := a.rand.IntN(10); {
	case way == 0:
		how = "at the hook point " + h.killAtPoint()
		o = h.run(r.args...)
	case way <= 3 && err == nil:
		o, how = h.runTraced(r)
	default:
		delay := time.Duration(a.rand.Float64() * 1.3 * float64(t.took))
		how = fmt.Sprintf("after %v", delay.Round(time.Microsecond))
		o = h.runFor(soon, func(p *os.Process) { time.Sleep(delay); p.Kill() }, r.args...)
	}
	if o.code < 0 { // or it was over before
		a.Tried++
	}
	h.isWhole(r.name+", killed "+how, func() error {
		if o.code == 0 {
			return r.done(h)
		}
		return nil
	})
	if o.hung {
		a.found(hung, "%s, killed %s", r.name, how)
	}
}

// killAtPoint adds a plugin that kills the run at one of the points.
func (h home) killAtPoint() string {
	points := []string{
		"on_start", "pre_message", "pre_system_prompt", "post_system_prompt", "pre_api_tools", "pre_api_request",
		"post_turn", "pre_tool",
		"pre_tool_output", "post_tool_output", "post_tool", "post_message", "pre_stop", "on_end", "on_context_switch",
		"pre_clear", "post_clear",
		"pre_compact", "post_compact", "pre_send_message", "post_send_message", "pre_cache_output", "post_cache_output",
	}
	point := points[h.rand.IntN(len(points))]
	h.plugin("killer", fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"killer\", \"tool\": false, "+
		"\"hooks\": [\"%s\"]}'; exit; }\nkill -9 $PPID\n", point))
	return point
}

// runTraced kills a run at one of its system calls that change files.
func (h home) runTraced(r run) (o outcome, how string) {
	calls := []string{"write", "fsync", "rename,renameat,renameat2", "unlink,unlinkat", "openat",
		"mkdir,mkdirat", "ftruncate", "flock"}
	call, when := calls[h.rand.IntN(len(calls))], 1+h.rand.IntN(12)
	args := []string{"-f", "-qq", "-o", filepath.Join(h.path, "tmp", "calls"), "-e", "trace=" + call, "-e",
		fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, when), binary}
	cmd := exec.Command("strace", append(args, r.args...)...)
	return h.start(soon, nil, cmd), fmt.Sprintf("at its system call %s number %d", call, when)
}

// isWhole checks that a home opens, that it keeps what it had and what was
// acknowledged, and that its conversation can be continued.
func (h home) isWhole(when string, acknowledged func() error) {
	h.nothingLeft(soon)
	h.filesAreReadable(when)
	if err := acknowledged(); err != nil {
		h.found(lost, "%s, was acknowledged: %v", when, err)
	}
	h.keeps(when)
	os.Remove(h.at("plugins", "killer"))
	if o := h.run("-L"); o.code != 0 {
		h.found(broken, "%s: chibi -L: exit status %d: %s", when, o.code, o.errs)
	}
	if o := h.run("-C", h.conversation(), "still there?"); o.code != 0 ||
		!strings.Contains(o.out, "You said: still there?") {
		h.found(broken, "%s: a prompt: exit status %d: %s", when, o.code, o.errs)
	}
	h.keeps(when + ", and after a prompt")
}

func (h home) keeps(when string) {
	if err := said(h.conversation(), firstQuestion, secondQuestion)(h); err != nil {
		h.found(lost, "%s: %v", when, err)
	}
}

// conversation is the name of the context that was "work".
func (h home) conversation() string {
	if _, err := os.Stat(h.at("contexts", "renamed", "transcript")); err == nil {
		return "renamed"
	}
	return "work"
}

// filesAreReadable checks that every file of a home parses. The last line of a
// log may be torn.
func (h home) filesAreReadable(when string) {
	filepath.WalkDir(h.at(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(d.Name(), ".tmp") {
			return nil
		}
		text, err := os.ReadFile(path)
		h.must(err)
		switch filepath.Ext(path) {
		case ".json":
			err = json.Unmarshal(text, new(any))
		case ".toml":
			err = toml.Unmarshal(text, new(map[string]any))
		case ".jsonl":
			whole := text[:strings.LastIndex(string(text), "\n")+1]
			for line := range strings.Lines(string(whole)) {
				if err = json.Unmarshal([]byte(line), new(any)); err != nil {
					break
				}
			}
		}
		if err != nil {
			h.found(broken, "%s: %s: %v", when, path, err)
		}
		return nil
	})
}

// The conditions of the table.

func all(conditions ...func(home) error) func(home) error {
	return func(h home) error {
		for _, c := range conditions {
			if err := c(h); err != nil {
				return err
			}
		}
		return nil
	}
}

// said checks that a transcript has entries with these texts, in order.
func said(context string, texts ...string) func(home) error {
	return func(h home) error {
		wanted := slices.Clone(texts)
		for _, e := range h.transcript(context) {
			if len(wanted) > 0 && strings.Contains(e.Content, wanted[0]) {
				wanted = wanted[1:]
			}
		}
		if len(wanted) > 0 {
			return fmt.Errorf("the transcript of %s has no %q", context, wanted[0])
		}
		return nil
	}
}

type entry struct {
	ID      string `json:"id"`
	Type    string `json:"entry_type"`
	Content string `json:"content"`
}

func (h home) transcript(context string) (entries []entry) {
	files, _ := filepath.Glob(h.at("contexts", context, "transcript", "partitions", "*.jsonl"))
	for _, file := range append(files, h.at("contexts", context, "transcript", "active.jsonl")) {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			var e entry
			if json.Unmarshal([]byte(line), &e) == nil && strings.HasSuffix(line, "\n") {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

func holds(name, text string) func(home) error {
	return func(h home) error {
		data, err := os.ReadFile(h.at(name))
		if err != nil || !strings.Contains(string(data), text) {
			return fmt.Errorf("%s does not hold %q (%v)", name, text, err)
		}
		return nil
	}
}

func lacks(name, text string) func(home) error {
	return func(h home) error {
		if holds(name, text)(h) == nil {
			return fmt.Errorf("%s still holds %q", name, text)
		}
		return nil
	}
}

func gone(name string) func(home) error {
	return func(h home) error {
		if _, err := os.Stat(h.at(name)); err == nil {
			return fmt.Errorf("%s is still there", name)
		}
		return nil
	}
}

func summarized(h home) error {
	return holds("contexts/work/summary.md", firstQuestion)(h)
}

func archived(h home) error {
	for _, e := range h.transcript("work") {
		if e.Type == "archival" {
			return nil
		}
	}
	return fmt.Errorf("the transcript has no archival anchor")
}

func (h home) cachedOutputs() []string {
	files, _ := filepath.Glob(h.at("contexts", "work", "tool_cache", "*.cache"))
	return files
}

func cached(h home) error {
	if n := len(h.cachedOutputs()); n != 1 {
		return fmt.Errorf("%d outputs are cached", n)
	}
	return nil
}

func nothingCached(h home) error {
	if n := len(h.cachedOutputs()); n != 0 {
		return fmt.Errorf("%d outputs are still cached", n)
	}
	return nil
}

// Additions to the homes of the table.

func large(h home) {
	h.plugin("large", "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"large\"}'; exit; }\nseq 1 400000\n")
}

func filled(h home) {
	large(h)
	h.run("-C", "work", "@tool large")
}

func hooks(h home) {
	h.plugin("watch", `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "watch", "tool": false,
	"hooks": ["on_start", "pre_message", "pre_tool", "post_tool", "pre_api_request", "post_message", "on_end"]}'; exit; }
echo "$CHIBI_HOOK" >> "$CHIBI_HOME/hooks.log"
`)
}

func disabled(h home) {
	hooks(h)
	h.write("config.toml", "# mine\nmodel = \"demo\"\n\n[plugins.watch]\nenabled = false\n")
}

func mail(h home) {
	h.run("-P", "send_message", `{"to": "other", "content": "lunch is ready"}`)
}

func source(h home) {
	h.must(os.MkdirAll(filepath.Join(h.path, "src", "counter"), 0o755))
	text := "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"counter\"}'; exit; }\necho 1\n"
	h.must(os.WriteFile(filepath.Join(h.path, "src", "counter", "counter"), []byte(text), 0o755))
	for i := range 20 {
		h.must(os.WriteFile(filepath.Join(h.path, "src", "counter", fmt.Sprintf("data-%d", i)),
			[]byte(strings.Repeat("data", 999)), 0o644))
	}
}

func project(h home) {
	h.must(os.MkdirAll(filepath.Join(h.path, "project", "recipes"), 0o755))
	h.must(os.MkdirAll(filepath.Join(h.path, "project", ".kodelet", "hooks"), 0o755))
	hook := "#!/bin/sh\n[ \"$1\" = hook ] && { echo before_tool_call; exit; }\nexit 0\n"
	h.must(os.WriteFile(filepath.Join(h.path, "project", ".kodelet", "hooks", "guard"), []byte(hook), 0o755))
}
