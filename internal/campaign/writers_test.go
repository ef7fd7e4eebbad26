//go:build linux

package campaign

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// writer is a command that many processes run at once, each with its number.
type writer struct {
	name    string
	prepare func(h home, count int)
	args    func(i int) []string
	done    func(i int) func(home) error
}

func writers() []writer {
	return []writer{
		{"prompts in one context", nil,
			func(i int) []string { return []string{"--wait", "-C", "work", numbered("message", i)} },
			func(i int) func(home) error {
				return said("work", numbered("message", i), "You said: "+numbered("message", i))
			}},
		{"prompts in contexts of their own", nil,
			func(i int) []string { return []string{"-c", fmt.Sprintf("own%d", i), "hello"} },
			func(i int) func(home) error {
				return all(said(fmt.Sprintf("own%d", i), "hello"), stateHas(fmt.Sprintf("own%d", i)))
			}},
		{"settings saved in one context", nil,
			func(i int) []string {
				return []string{"-x", "-C", "work", "--set", fmt.Sprintf("plugins.p%d.timeout_ms=%d", i, 1000+i), "--save"}
			},
			func(i int) func(home) error {
				return holds("contexts/work/local.toml", fmt.Sprint(1000+i))
			}},
		{"plugins disabled", manyPlugins,
			func(i int) []string { return []string{"plugin", "disable", fmt.Sprintf("p%d", i)} },
			func(i int) func(home) error { return holds("config.toml", fmt.Sprintf("[plugins.p%d]", i)) }},
		{"plugins installed", manySources,
			func(i int) []string { return []string{"plugin", "install", "--yes", fmt.Sprintf("src/p%d", i)} },
			func(i int) func(home) error {
				name := fmt.Sprintf("p%d", i)
				return all(holds("installed.json", `"`+name+`"`), holds("plugins/"+name+"/"+name, "schema"),
					lacks("config.toml", "[plugins."+name+"]"))
			}},
		{"messages to one context", nil,
			func(i int) []string {
				return []string{"-P", "send_message", fmt.Sprintf(`{"to": "other", "content": "%s"}`, numbered("mail", i))}
			},
			func(i int) func(home) error { return holds("contexts/other/inbox.jsonl", numbered("mail", i)) }},
		{"projects trusted", manyProjects,
			func(i int) []string { return []string{"trust", "--yes", fmt.Sprintf("project%d", i)} },
			func(i int) func(home) error { return holds("trust.json", fmt.Sprintf("project%d\"", i)) }},
		{"everything at once", nil,
			func(i int) []string {
				return [][]string{
					{"--wait", "-C", "work", numbered("message", i)}, {"-c", fmt.Sprintf("own%d", i), "hello"}, {"-L"},
					{"-P", "send_message", fmt.Sprintf(`{"to": "other", "content": "%s"}`, numbered("mail", i))}, {"doctor"},
					{"--cleanup-cache", "-x"},
				}[i%6]
			},
			func(i int) func(home) error {
				return []func(home) error{
					said("work", numbered("message", i)), stateHas(fmt.Sprintf("own%d", i)), nothing,
					holds("contexts/other/inbox.jsonl", numbered("mail", i)), nothing, nothing,
				}[i%6]
			}},
	}
}

// numbered ends in a letter, so that number 1 is not found in number 12.
func numbered(what string, i int) string { return fmt.Sprintf("%s %d.", what, i) }

func nothing(home) error { return nil }

// attackByWriting starts many writers at once. What one acknowledged is there;
// none is refused but for a context in use.
func attackByWriting(a *attempt) {
	w := writers()[a.number%len(writers())]
	count := 12 + a.rand.IntN(21)
	if a.short {
		count = 12
	}
	h := a.home("home")
	h.furnish()
	if w.prepare != nil {
		w.prepare(h, count)
	}
	outcomes := make([]outcome, count)
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() { outcomes[i] = h.runFor(4*time.Minute, nil, w.args(i)...) })
	}
	group.Wait()
	a.Tried += count
	h.isWhole(w.name, func() error { return nil })
	for i, o := range outcomes {
		switch {
		case o.hung:
			a.found(hung, "%s, number %d of %d", w.name, i, count)
		case o.code != 0:
			if w.name != "everything at once" || !strings.Contains(o.errs, "is in use") {
				a.found(broken, "%s, number %d of %d: exit status %d: %s", w.name, i, count, o.code, o.errs)
			}
		default:
			if err := w.done(i)(h); err != nil {
				a.found(lost, "%s, number %d of %d: %v", w.name, i, count, err)
			}
		}
	}
}

// stateHas checks that a context is in state.json.
func stateHas(name string) func(home) error {
	return func(h home) error {
		var state struct{ Contexts []struct{ Name string } }
		text, err := os.ReadFile(h.at("state.json"))
		if err == nil {
			err = json.Unmarshal(text, &state)
		}
		for _, c := range state.Contexts {
			if c.Name == name {
				return nil
			}
		}
		return fmt.Errorf("state.json has no context %s (%v)", name, err)
	}
}

func manyPlugins(h home, count int) {
	for i := range count {
		h.plugin(fmt.Sprintf("p%d", i), fmt.Sprintf("#!/bin/sh\necho '{\"name\": \"p%d\"}' # --schema\n", i))
	}
}

func manySources(h home, count int) {
	for i := range count {
		name := fmt.Sprintf("p%d", i)
		h.must(os.MkdirAll(filepath.Join(h.path, "src", name), 0o755))
		h.must(os.WriteFile(filepath.Join(h.path, "src", name, name),
			fmt.Appendf(nil, "#!/bin/sh\necho '{\"name\": \"%s\"}' # --schema\n", name), 0o755))
	}
}

func manyProjects(h home, count int) {
	for i := range count {
		hooks := filepath.Join(h.path, fmt.Sprintf("project%d", i), ".kodelet", "hooks")
		h.must(os.MkdirAll(hooks, 0o755))
		h.must(os.WriteFile(filepath.Join(hooks, "guard"),
			[]byte("#!/bin/sh\n[ \"$1\" = hook ] && { echo before_tool_call; exit; }\nexit 0\n"), 0o755))
	}
}
