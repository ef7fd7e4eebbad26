//go:build linux

package campaign

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// sequence is a control sequence that must not reach the terminal in foreign text.
type sequence struct{ name, text string }

func sequences() []sequence {
	return []sequence{
		{"write the clipboard", "\x1b]52;c;aGVsbG8=\x07"},
		{"write the clipboard, ended by ST", "\x1b]52;c;aGVsbG8=\x1b\\"},
		{"set the title", "\x1b]0;owned\x07"},
		{"clear the screen", "\x1b[2J"},
		{"go up", "\x1b[5A"},
		{"ask where the cursor is", "\x1b[6n"},
		{"a device control string", "\x1bP+q544e\x1b\\"},
		{"an application command", "\x1b_owned\x1b\\"},
		{"C1 in UTF-8", "\u009b2J"},
		{"C1 operating system command in UTF-8", "\u009d52;c;aGk=\u009c"},
		{"hidden text", "\x1b[8m"},
		{"a bidi override", "\u202e"},
		{"a zero-width space", "\u200b"},
	}
}

// place is a place where foreign text is printed.
type place struct {
	name string
	// prepare puts a text there, and returns the command that prints it.
	prepare func(h home, text string) []string
}

func places() []place {
	return append(printedByPlugins(), printedFromFiles()...)
}

func printedByPlugins() []place {
	return []place{
		{"a plugin's standard error at a hook", func(h home, text string) []string {
			h.talker("pre_message", "cat payload >&2", text)
			return []string{"hello"}
		}},
		{"a tool's standard error", func(h home, text string) []string {
			h.talker("", "cat payload >&2", text)
			return []string{"@tool talker"}
		}},
		{"the standard error of a tool that fails", func(h home, text string) []string {
			h.talker("", "cat payload >&2; exit 3", text)
			return []string{"-P", "talker", "{}"}
		}},
		{"a tool's output", func(h home, text string) []string {
			h.talker("", "cat payload", text)
			return []string{"-P", "talker", "{}"}
		}},
		{"why a prompt is refused", func(h home, text string) []string {
			h.talker("pre_message", "cat payload.json", answered("block", true, "message", text))
			return []string{"hello"}
		}},
		{"why a tool is blocked", func(h home, text string) []string {
			h.talker("pre_tool", "cat payload.json", answered("block", true, "message", text))
			return []string{"@tool update_todos {\"content\": \"x\"}"}
		}},
		{"an answer with an unknown member", func(h home, text string) []string {
			h.talker("pre_tool", "cat payload.json", answered(text, true, text+"2", 1))
			return []string{"-v", "@tool update_todos {\"content\": \"x\"}"}
		}},
		{"the name of a plugin's file", func(h home, text string) []string {
			h.plugin("x"+strings.ReplaceAll(text, "/", ""), "#!/bin/sh\nexit 1\n")
			return []string{"plugin", "list"}
		}},
		{"the status line while a plugin runs", func(h home, text string) []string {
			h.plugin("x"+text, "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"x\", \"hooks\": [\"pre_message\"]}'; "+
				"exit; }\nsleep 1\nexit 1\n")
			return []string{"hello"}
		}},
		{"a tool's description", func(h home, text string) []string {
			schema, _ := json.Marshal(map[string]any{"name": "x", "description": text, "hooks": []string{text}})
			h.plugin("x", "#!/bin/sh\ncat <<'END'\n"+string(schema)+"\nEND\n")
			return []string{"plugin", "show", "x"}
		}},
		{"plugin check", func(h home, text string) []string {
			h.talker("pre_message", "cat payload; cat payload >&2", text)
			return []string{"plugin", "check", "talker"}
		}},
		{"hook fire", func(h home, text string) []string {
			h.talker("pre_message", "cat payload.json", answered("prompt", text, "message", text))
			return []string{"hook", "fire", "pre_message"}
		}},
		{"the trace", func(h home, text string) []string {
			h.talker("pre_message", "cat payload.json; cat payload >&2", answered("prompt", text, "message", text))
			h.run("hello")
			return []string{"trace"}
		}},
		{"the trace, explained", func(h home, text string) []string {
			h.talker("pre_tool", "cat payload.json", answered("block", true, "message", text))
			h.run("@tool update_todos {\"content\": \"x\"}")
			return []string{"trace", "explain"}
		}},
	}
}

func printedFromFiles() []place {
	return []place{
		{"the model's answer", func(h home, text string) []string { return []string{"@say before " + text + " after"} }},
		{"the model's answer, raw", func(h home, text string) []string {
			return []string{"--raw",
				"@say before " + text + " after"}
		}},
		{"the model's error", func(h home, text string) []string { return []string{"@error 400 before " + text} }},
		{"a server's error", func(h home, text string) []string {
			server := httptest.NewServer(status400(text))
			h.t.Cleanup(server.Close)
			h.write("config.toml", fmt.Sprintf("model = \"m\"\nbase_url = %q\n", server.URL+"/v1"))
			return []string{"hello"}
		}},
		{"the log", func(h home, text string) []string {
			h.run("-C", "work", "said "+text)
			return []string{"-G", "work", "0"}
		}},
		{"the history", func(h home, text string) []string {
			h.run("-c", "work", "said "+text)
			return []string{"history"}
		}},
		{"todos", func(h home, text string) []string {
			h.run("-c", "work", "hello")
			h.write("contexts/work/todos.md", "todo "+text)
			return []string{"-l"}
		}},
		{"the system prompt", func(h home, text string) []string {
			h.write("contexts/work/system_prompt.md", "you are "+text)
			return []string{"-N", "work", "system_prompt"}
		}},
		{"a cached output", func(h home, text string) []string {
			h.talker("", "head -c 32767 /dev/zero | tr '\\0' a; cat payload; seq 9999", text)
			h.run("-c", "work", "@tool talker")
			files := h.cachedOutputs()
			if len(files) != 1 {
				h.found(broken, "preparing: %d cached outputs", len(files))
				return []string{"cache", "list"}
			}
			return []string{"cache", "show", strings.TrimSuffix(filepath.Base(files[0]), ".cache")}
		}},
		{"a recipe's description", func(h home, text string) []string {
			quoted, _ := json.Marshal("about " + text)
			h.write("recipes/x.md", "---\nname: x\ndescription: "+string(quoted)+"\n---\nhello\n")
			return []string{"recipe", "list"}
		}},
		{"a mistake in the configuration", func(h home, text string) []string {
			quoted, _ := json.Marshal("key" + text)
			h.write("config.toml", string(quoted)+" = 1\n")
			return []string{"-L"}
		}},
		{"what trust shows", func(h home, text string) []string {
			h.must(os.MkdirAll(filepath.Join(h.path, ".kodelet", "hooks"), 0o755))
			project := filepath.Join(h.path, "project", ".kodelet", "hooks")
			h.must(os.MkdirAll(project, 0o755))
			h.must(os.WriteFile(filepath.Join(project, "x"+text), []byte("#!/bin/sh\n# before_tool_call "+text+"\n"), 0o755))
			return []string{"trust", "project"}
		}},
		{"doctor", func(h home, text string) []string {
			h.plugin("x"+text, "#!/bin/sh\ncat <<'END'\n"+text+"\nEND\nexit 1\n")
			return []string{"doctor"}
		}},
	}
}

// talker is a plugin that is a tool, or answers at a point, with a script. The
// text is in the files payload and payload.json of the current directory.
func (h home) talker(point, script, text string) {
	for _, name := range []string{"payload", "payload.json"} {
		h.must(os.WriteFile(filepath.Join(h.path, name), []byte(text), 0o644))
	}
	hooks := `"hooks": []`
	if point != "" {
		hooks = fmt.Sprintf(`"hooks": [%q]`, point)
	}
	h.plugin("talker", "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"talker\", "+hooks+
		"}'; exit; }\n"+script+"\n")
}

func answered(members ...any) string {
	object := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		object[members[i].(string)] = members[i+1]
	}
	text, _ := json.Marshal(object)
	return string(text)
}

// shown is the text around a sequence. It must be seen; otherwise the place shows nothing.
const shown = "qzqz"

// attackTheScreen prints a sequence at a place, on a terminal.
func attackTheScreen(a *attempt) {
	p, s := places()[a.number/len(sequences())%len(places())], sequences()[a.number%len(sequences())]
	h := a.home("home")
	args := p.prepare(h, shown+s.text+shown)
	terminal, person := terminaltest.New(a.t)
	defer person.Close()
	cmd := exec.Command(binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	var seen head
	a.Tried++
	o := h.start(soon, func(*os.Process) {
		terminal.Close()
		person.WriteString("n\r") // whatever is asked
		seen.ReadFrom(person.File)
	}, cmd)
	if o.hung {
		a.found(hung, "%s: %s", p.name, s.name)
	}
	if visible := strings.NewReplacer("\r", "", "\n", "", " ",
		"").Replace(seen.String()); !strings.Contains(visible, shown) {
		a.found(broken, "%s: %s: the text is not shown: %q", p.name, s.name, seen.String())
	}
	if strings.Contains(seen.String(), s.text) {
		a.found(screen, "%s: %s: %q", p.name, s.name, seen.String())
	}
}
