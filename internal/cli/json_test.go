package cli_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// inputs are the members that each command of --json-config is tried with.
var inputs = map[string]string{
	"send_prompt":       `{"prompt": "@tool echo {\"text\": \"hi\"}"}`,
	"destroy_context":   `{"name": "work"}`,
	"delete_context":    `{"name": null}`,
	"archive_history":   `{"name": "work"}`,
	"archive_context":   `{}`,
	"compact_context":   `{"name": "work"}`,
	"rename_context":    `{"old": "work", "new": "play"}`,
	"show_log":          `{"context": "work", "count": 0}`,
	"inspect":           `{"thing": "list"}`,
	"set_system_prompt": `{"context": "work", "prompt": "You are terse"}`,
	"run_plugin":        `{"name": "echo", "args": ["a", "b"]}`,
	"call_tool":         `{"name": "echo", "args": ["{\"text\":", "\"hi\"}"]}`,
	"check_inbox":       `{"context": "work"}`,
	"clear_cache":       `{}`,
}

// commandsAsJSON lists the commands of --json-config as its schema does: those that
// have members, and those that have none.
func commandsAsJSON(t *testing.T, h home) map[string]string {
	t.Helper()
	out, err := h.command("--json-schema").Output()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions struct {
			Command struct {
				OneOf []struct {
					Enum     []string
					Required []string
				}
			}
		}
	}
	if err := json.Unmarshal(out, &schema); err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{}
	for _, one := range schema.Definitions.Command.OneOf {
		for _, name := range one.Enum {
			commands[name] = `"` + name + `"`
		}
		for _, name := range one.Required {
			if inputs[name] == "" {
				t.Errorf("the command %q has no input here", name)
			}
			commands[name] = `{"` + name + `": ` + inputs[name] + `}`
		}
	}
	return commands
}

// answered is a line of standard output.
type answered struct {
	Type      string `json:"entry_type"`
	Content   *string
	Operation string
	Data      any
}

// jsonLines reads lines of which each must be an object.
func jsonLines(t *testing.T, what string, text []byte) (lines []answered) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(text) == 0 {
			return nil
		}
		var a answered
		if err := json.Unmarshal(line, &a); err != nil || a.Type == "" || a.Content == nil {
			t.Fatalf("a line of %s is no answer (%v): %s", what, err, line)
		}
		lines = append(lines, a)
	}
	return lines
}

// documentedAnswers are the rows of docs/JSON.md, by the name of each command.
func documentedAnswers(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		row := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(row) != 4 || !strings.HasPrefix(row[0], " `") {
			continue
		}
		for _, name := range strings.Split(strings.TrimSpace(row[0]), ", ") {
			rows[strings.Trim(name, "`")] = row
		}
	}
	return rows
}

// TestEveryCommandOfJSONConfigAnswersWithJSON asks for each command of the schema:
// standard output and standard error are JSON lines, and the answers are those that
// docs/JSON.md lists.
func TestEveryCommandOfJSONConfigAnswersWithJSON(t *testing.T) {
	documented := documentedAnswers(t)
	commands := commandsAsJSON(t, newHome(t))
	if names := slices.Sorted(maps.Keys(documented)); !slices.Equal(names, slices.Sorted(maps.Keys(commands))) {
		t.Errorf("docs/JSON.md lists %v", names)
	}
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.write(".chibi/plugins/echo", "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"echo\"}'; exit; }\ncat\n",
				0o755)
			for _, args := range [][]string{{"-c", "work", "hello"}, {"-P", "send_message", `{"to": "work", "content": "hi"}`}} {
				if out, err := h.command(args...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
			}
			cmd := h.command("--json-config")
			var said bytes.Buffer
			cmd.Stdin, cmd.Stderr = strings.NewReader(`{"command": `+command+`, "flags": {"yes": true}}`), &said
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, said.Bytes())
			}
			jsonLines(t, "standard error", said.Bytes())
			row := documented[name]
			if row == nil {
				t.Fatal("docs/JSON.md does not list it")
			}
			checkAnswers(t, row, jsonLines(t, "standard output", out))
		})
	}
}

// checkAnswers holds the lines that a command answers against its row.
func checkAnswers(t *testing.T, row []string, lines []answered) {
	t.Helper()
	results := 0
	for _, line := range lines {
		if line.Type != "result" {
			continue
		}
		results++
		if !strings.HasPrefix(row[0], " `"+line.Operation+"`") {
			t.Errorf("the operation is %q", line.Operation)
		}
		data := line.Data
		if list, isList := data.([]any); isList && len(list) > 0 {
			data = list[0]
		}
		object, _ := data.(map[string]any)
		if len(object) == 0 {
			t.Errorf("the data is %v", line.Data)
		}
		for member := range object {
			if !strings.Contains(row[3], "`"+member+"`") {
				t.Errorf("docs/JSON.md does not list %q", member)
			}
		}
	}
	if want := strings.Contains(row[2], "result"); results > 1 || (results == 1) != want {
		t.Errorf("%d results, and the page says: %s", results, row[2])
	}
	if want := strings.Contains(row[2], "entries"); len(lines) > results != want {
		t.Errorf("%d entries, and the page says: %s", len(lines)-results, row[2])
	}
}

// TestWhatAToolWroteIsOneStringOfJSON calls tools whose output is large, broken or
// that of a failure.
func TestWhatAToolWroteIsOneStringOfJSON(t *testing.T) {
	for _, test := range []struct{ name, script, want, failure string }{
		{"a failure", `printf 'one\n"two"\n'; echo why >&2; exit 3`, "one\n\"two\"", "exit status 3 (why)"},
		{"nothing", `exit 3`, "", "exit status 3"},
		{"2 MB of characters of three bytes", `printf x; yes 日本 | head -c 2000004`,
			"x" + strings.Repeat("日本\n", 2000004/7+1)[:2000004], ""},
		{"2 MB and a broken character", `yes abcdefg | head -c 2000000; printf '\346\227'`,
			strings.Repeat("abcdefg\n", 250000) + "\uFFFD\uFFFD", ""},
		{"2 MB and a failure", `yes abcdefg | head -c 2000000; exit 1`, strings.Repeat("abcdefg\n", 250000), "exit status 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHome(t)
			h.write(".chibi/plugins/p", "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"p\"}'; "+
				"exit; }\n"+test.script+"\n", 0o755)
			cmd := h.command("--json-config")
			cmd.Stdin = strings.NewReader(`{"command": {"call_tool": {"name": "p"}}}`)
			out, err := cmd.Output()
			if (err != nil) != (test.failure != "") || err != nil && cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("it ends with %v", err)
			}
			lines := jsonLines(t, "standard output", out)
			if len(lines) != 1 || strings.ToValidUTF8(*lines[0].Content, "\uFFFD") != test.want {
				t.Fatalf("%d lines, the first says %.300s", len(lines), out)
			}
			data := lines[0].Data.(map[string]any)
			if why, _ := data["failure"].(string); why != test.failure || data["failed"] != (test.failure != "") {
				t.Errorf("the data is %v", data)
			}
		})
	}
}
