package permissions

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/tools"
)

// FuzzRule checks that a rule that can be read judges calls of all kinds, and that as a
// denial it is at least as strict as what it allows.
func FuzzRule(f *testing.F) {
	for _, rule := range []string{"shell", "shell_exec(git *)", `shell(echo "a*b" 'c' \*)`, "read(~/a/**/[b-c]?)",
		"read(//)", "fetch(domain:*.a.b)", "mcp__a__*", "bash(a:*)", "x(", "*"} {
		f.Add(rule, "git status", "/project/a/b")
	}
	f.Fuzz(func(t *testing.T, text, command, path string) {
		fuzztest.Memory(t)
		deny, err := NewRules(Settings{Root: "/project", Dir: "/project", UserHome: "/home/me", Deny: written(text)})
		if err != nil {
			return
		}
		allow, err := NewRules(Settings{Root: "/project", Dir: "/project", UserHome: "/home/me", Allow: written(text)})
		if err != nil {
			return // a rule that may only deny
		}
		name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
		for _, category := range tools.Categories() {
			call := Call{Tool: tools.Spec{Name: name, Category: category}, Access: tools.Access{Command: command,
				Path: "/" + path, Real: "/" + path, URL: "http://" + path}}
			if allow.Judge(call).Decision == Allow && deny.Judge(call).Decision == Undecided {
				t.Errorf("%q allows a call of category %s that it does not deny", text, category)
			}
		}
	})
}

// FuzzCommandLine checks that any line can be judged, and that the rule that is offered for
// it can be read and allows it, and no other command: "x& x" runs what is offered for "x&" twice.
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{"git push", "sh -c 'a && b' > c", "f() { $X; }; f <<E\n$(a)\nE\n", "env -S 'a b' c",
		"a=(1 2) b{c,d}", "find . -exec a {} + \\;",
		"xargs -I{} sh -c {}", "[[ a -eq $((b[1])) ]]", "git -c a=b rebase -x 'c'", "x&"} {
		f.Add(line)
	}
	for _, format := range corpus(f, "wrappings.txt") {
		f.Add(wrap(format, "git push"))
	}
	for _, line := range misreadLines() {
		f.Add(line)
	}
	rules, err := NewRules(Settings{Deny: written("shell(git push*)"), Ask: written("write(secret)"), Root: "/project",
		Dir: "/project"})
	if err != nil {
		f.Fatal(err)
	}
	none, err := NewRules(Settings{Dir: "/project"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		fuzztest.Memory(t)
		call := shellCall(line, "/project")
		rules.Judge(call)
		commands, ok := Commands(line)
		if ok == (commands == nil) {
			t.Errorf("%q: %v, %v", line, commands, ok)
		}
		rule := none.RuleFor(call)
		if rule == "" {
			return
		}
		with, err := NewRules(Settings{Dir: "/project", Allow: written(rule)})
		if err != nil || with.Judge(call).Decision != Allow {
			t.Errorf("%q offers %q: %v", line, rule, err)
		}
		more, _ := Commands(line + " x")
		isOther := func(command string) bool { return !slices.Contains(commands, command) }
		allowed := with.Judge(shellCall(line+" x", "/project")).Decision == Allow
		if allowed && (more == nil || slices.ContainsFunc(more, isOther)) {
			t.Errorf("%q, offered for %q, allows %q", rule, line, more)
		}
	})
}

// FuzzWords checks that words which are quoted for a shell are found as they were.
func FuzzWords(f *testing.F) {
	f.Add("git", "it's", "$x\n*")
	f.Fuzz(func(t *testing.T, first, second, third string) {
		fuzztest.Memory(t)
		words := []string{first, second, third}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, commandline.Quote(w))
		}
		line, err := commandline.Parse("echo " + strings.Join(quoted, " "))
		if err != nil {
			return // control characters and the like
		}
		if len(line.Commands) != 1 || len(line.Commands[0].Words) != 4 {
			t.Fatalf("%q: %v", quoted, line.Commands)
		}
		for i, w := range line.Commands[0].Words[1:] {
			if w.Text != words[i] {
				t.Errorf("%q became %q", words[i], w.Text)
			}
		}
	})
}
