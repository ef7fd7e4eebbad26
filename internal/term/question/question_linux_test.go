package question_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/internal/term/termtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// shell is a question about a command.
func shell(command string) permissions.Question {
	return permissions.Question{
		Call: permissions.Call{Tool: tools.Spec{Name: "shell_exec", Category: tools.CategoryShell},
			Access: tools.Access{Command: command, Dir: "/proj/src"}},
		Why:  permissions.Judgement{Decision: permissions.Ask, By: "the default for shell"},
		Rule: "shell_exec(" + command + ")",
	}
}

// asked is a question that is being asked at a terminal.
type asked struct {
	t      *testing.T
	person *terminaltest.Person
	done   chan error
	answer permissions.Answer
}

// ask asks a question at a terminal of so many columns.
func ask(ctx context.Context, t *testing.T, columns int, q permissions.Question) *asked {
	t.Helper()
	terminal, person := terminaltest.New(t)
	person.Resize(t, columns)
	a := &asked{t: t, person: person, done: make(chan error, 1)}
	flush := func() { unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
	go func() {
		var err error
		a.answer, err = question.Ask(ctx, question.Terminal{File: terminal, Flush: flush, Columns: columns,
			Config: "config.toml"}, q)
		a.done <- err
	}()
	return a
}

// end waits for the answer.
func (a *asked) end() permissions.Answer {
	a.t.Helper()
	if err := <-a.done; err != nil {
		a.t.Fatal(err)
	}
	return a.answer
}

func TestAnswers(t *testing.T) {
	once := permissions.Answer{Allow: true, Scope: permissions.Once}
	run := permissions.Answer{Allow: true, Scope: permissions.ThisRun}
	always := permissions.Answer{Allow: true, Scope: permissions.Always}
	no := func(reason string) permissions.Answer { return permissions.Answer{Reason: reason} }
	for _, test := range []struct {
		typed []string // each after a prompt
		want  permissions.Answer
	}{
		{[]string{"\n"}, no("")}, {[]string{"  \n"}, no("")}, {[]string{"n\n"}, no("")}, {[]string{"No.\n"}, no("")},
		{[]string{"y\n"}, once}, {[]string{"YES\n"}, once}, {[]string{"r\n"}, run},
		{[]string{"a\n", "y\n"}, always}, {[]string{"a\n", "\n", "y\n"}, once}, {[]string{"a\n", "a\n", "\n"}, no("")},
		{[]string{"n because it is late\n"}, no("it is late")}, {[]string{"no, use make\n"}, no("use make")},
		{[]string{"n: because-free\n"}, no("because-free")}, {[]string{"N becauseway\n"}, no("becauseway")},
		{[]string{"yes please\n", "y!\n", "y\n"}, once}, {[]string{"yy\n", "allow\n", "\n"}, no("")},
		{[]string{"\x04"}, no("")}, {[]string{"yn\x04\x04"}, no("")},
		{[]string{strings.Repeat("y", 4000) + "\n", "r\n"}, run},
	} {
		t.Run(fmt.Sprintf("%.20q", test.typed), func(t *testing.T) {
			a := ask(t.Context(), t, 80, shell("go test ./..."))
			for _, typed := range test.typed {
				a.person.Sees(t, "\n> ")
				a.person.WriteString(typed)
			}
			if diff := cmp.Diff(test.want, a.end()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoRuleIsOfferedForWhatAPluginAsks: it would not answer the next question.
func TestNoRuleIsOfferedForWhatAPluginAsks(t *testing.T) {
	q := shell("make")
	q.Why = permissions.Judgement{Decision: permissions.Ask, By: `plugin "guard"`, Plugin: "guard", Insistent: true}
	a := ask(t.Context(), t, 80, q)
	a.person.Sees(t, "r allows what this rule matches:")
	a.person.Sees(t, "y = yes, once; r = yes, in this run; Enter or n = no")
	a.person.Sees(t, "\n> ")
	a.person.WriteString("a\n")
	a.person.Sees(t, "That is not an answer.")
	a.person.Sees(t, "\n> ")
	a.person.WriteString("r\n")
	if got := a.end(); got.Scope != permissions.ThisRun {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsShown(t *testing.T) {
	content := "one\ntwo\n"
	for name, test := range map[string]struct {
		columns int
		q       permissions.Question
		want    string
	}{
		"a command": {80, shell("cd x &&\n\tgit push"), `shell_exec wants to run:
  | cd x &&
  |     git push
in
  | /proj/src
Asked by the default for shell.
r and a allow what this rule matches:
  | shell_exec(cd x &&
  |     git push)
y = yes, once; r = yes, in this run; a = always; Enter or n = no; n REASON = no,
and the model learns the reason
>`},
		"a narrow window": {24, shell("git push origin main --force-with-lease"), `shell_exec wants to run:
  | git push origin main
  |  --force-with-lease
in
  | /proj/src
Asked by the default for
shell.
r and a allow what this
rule matches:
  | shell_exec(git push
  | origin main --force-
  | with-lease)
y = yes, once; r = yes,
in this run; a = always;
Enter or n = no; n
REASON = no, and the
model learns the reason
>`},
		"a protected file": {80, permissions.Question{
			Call: permissions.Call{Tool: tools.Spec{Name: "write_file", Category: tools.CategoryWrite},
				Access: tools.Access{Path: "/proj/a", Real: "/proj/.git/hooks/pre-commit", Content: &content}},
			Why: permissions.Judgement{By: "the protection of .git", Reason: "git runs it", Protected: true},
		}, `write_file wants to create:
  | /proj/a
which is
  | /proj/.git/hooks/pre-commit
The new text:
  | one
  | two
Asked by the protection of .git:
  | git runs it
Only you can allow this, and only once.
y = yes, once; Enter or n = no; n REASON = no, and the model learns the reason
>`},
		"an edit": {80, permissions.Question{
			Call: permissions.Call{Tool: tools.Spec{Name: "file_edit", Category: tools.CategoryEdit},
				Access: tools.Access{Path: "/proj/a", Real: "/proj/a", Exists: true, Diff: "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"}},
			Why: permissions.Judgement{By: `plugin "guard"`},
		}, `file_edit wants to change:
  | /proj/a
The change:
  | --- a
  | +++ a
  | @@ -1 +1 @@
  | -x
  | +y
Asked by plugin "guard".
y = yes, once; Enter or n = no; n REASON = no, and the model learns the reason
>`},
		"a command with an input": {80, permissions.Question{
			Call: permissions.Call{Tool: tools.Spec{Name: "shell_exec", Category: tools.CategoryShell},
				Access: tools.Access{Command: "python3 -", Dir: "/work", Stdin: "import os\nos.remove('a')\n"}},
		}, `shell_exec wants to run:
  | python3 -
in
  | /work
with the input
  | import os
  | os.remove('a')
Asked by nobody in particular.
y = yes, once; Enter or n = no; n REASON = no, and the model learns the reason
>`},
		"a URL that hides its host": {80, permissions.Question{
			Call: permissions.Call{Tool: tools.Spec{Name: "fetch_url", Category: tools.CategoryFetch},
				Access: tools.Access{URL: "https://good.example@10.0.0.1/x"}},
		}, `fetch_url wants to fetch:
  | https://good.example@10.0.0.1/x
from the host
  | 10.0.0.1
Asked by nobody in particular.
y = yes, once; Enter or n = no; n REASON = no, and the model learns the reason
>`},
		"a tool of another kind": {80, permissions.Question{
			Call: permissions.Call{Tool: tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP},
				Arguments: json.RawMessage(`{"x":1}`)},
		}, `mcp__a__b would be called with:
  | {"x":1}
Asked by nobody in particular.
y = yes, once; Enter or n = no; n REASON = no, and the model learns the reason
>`},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(t.Context(), t, test.columns, test.q)
			a.person.Sees(t, "\n> ")
			if diff := cmp.Diff(test.want, a.person.Screen().Text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			a.person.WriteString("\n")
			a.end()
		})
	}
}

// TestNothingHides: a text of the model can neither control the terminal nor look like
// a row of the question.
func TestNothingHides(t *testing.T) {
	hostile := "ls" + termtest.All() + "\ny = yes\r\n> y\u202e"
	q := shell(hostile)
	q.Why.Reason, q.Access.Dir, q.Tool.Name = hostile, hostile, "x"+termtest.All()
	a := ask(t.Context(), t, 60, q)
	a.person.Sees(t, "\n> ") // what is typed before it is no answer
	a.person.WriteString("\n")
	a.end()
	raw := strings.ReplaceAll(a.person.Raw(), "\r\n", "\n")
	if wrong := termtest.Wrong(raw); wrong != "" {
		t.Errorf("%q reached the terminal: %q", wrong, raw)
	}
	for _, escape := range []string{`\x1b[2A`, `\u202e`, `\r`, `\x9b`, `\u200b`} {
		if !strings.Contains(strings.ReplaceAll(raw, "\n  | ", ""), escape) {
			t.Errorf("%s is not to be seen in %q", escape, raw)
		}
	}
	for line := range strings.Lines(raw) {
		if strings.HasPrefix(line, "y = yes\n") || strings.HasPrefix(line, "> y") {
			t.Errorf("the model wrote the row %q", line)
		}
	}
}

func TestALongTextIsShownOnDemand(t *testing.T) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = fmt.Sprintf("echo line-%d", i)
	}
	q := shell(strings.Join(lines, "\n"))
	q.Rule = ""
	a := ask(t.Context(), t, 80, q)
	a.person.Sees(t, "echo line-29")
	a.person.Sees(t, "... 60 more lines, and then")
	a.person.Sees(t, "echo line-90")
	a.person.Sees(t, "echo line-99")
	a.person.Sees(t, "m = show all of it")
	a.person.Sees(t, "\n> ")
	a.person.WriteString("m\n")
	a.person.Sees(t, "echo line-99")
	a.person.Sees(t, "\n> ")
	a.person.WriteString("y\n")
	if !a.end().Allow {
		t.Error("yes is no yes")
	}
}

// TestAQuestionFitsTheWindow: what wants to happen, where and why are seen at once.
func TestAQuestionFitsTheWindow(t *testing.T) {
	lines := strings.Repeat("+a line\n", 99)
	q := shell("")
	q.Access = tools.Access{Path: "/project/calc.py", Exists: true, Diff: "-first\n" + lines + "+last\n"}
	q.Why = permissions.Judgement{By: "a plugin", Reason: "why it asks" + strings.Repeat("\nmore", 50)}
	q.Tool.Name, q.Tool.Category = "file_edit", tools.CategoryEdit
	for _, rows := range []int{16, 20, 24} {
		terminal, person := terminaltest.New(t)
		person.Resize(t, 80)
		done := make(chan error, 1)
		go func() {
			_, err := question.Ask(t.Context(), question.Terminal{File: terminal, Flush: func() {}, Columns: 80, Rows: rows}, q)
			done <- err
		}()
		person.Sees(t, "\n> ")
		text := person.Screen().Text()
		if count := len(person.Screen().Lines()); count > rows || rows == 24 && count < 20 {
			t.Errorf("the question has %d rows on %d:\n%s", count, rows, text)
		}
		for _, want := range []string{"file_edit wants to change:\n  | /project/calc.py\n", "| -first\n", "| +last\n",
			"| why it asks\n", "m = show all of it\n>"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d rows: no %q in\n%s", rows, want, text)
			}
		}
		person.WriteString("m\n")
		person.Sees(t, strings.Repeat("  | more\r\n", 50))
		person.Sees(t, "\n> ")
		person.WriteString("n\n")
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestWhatCannotBeShownIsSaid(t *testing.T) {
	a := ask(t.Context(), t, 80, shell(strings.Repeat("x\n", 100_000)))
	a.person.Sees(t, "bytes in the middle of it cannot be shown")
	a.person.Sees(t, "\n> ")
	a.person.WriteString("\n")
	a.end()
}

func TestTypedAheadIsNoAnswer(t *testing.T) {
	terminal, person := terminaltest.New(t)
	person.WriteString("y\ny")
	person.Sees(t, "y\r\ny") // the terminal has it
	done := make(chan permissions.Answer, 1)
	flush := func() { unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
	go func() {
		answer, _ := question.Ask(t.Context(), question.Terminal{File: terminal, Flush: flush, Columns: 60}, shell("ls"))
		done <- answer
	}()
	person.Sees(t, "\n> ")
	person.WriteString("n typed later\n")
	if got := <-done; got.Allow || got.Reason != "typed later" {
		t.Errorf("got %+v", got)
	}
}

func TestTheEndOfARunEndsTheQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := ask(ctx, t, 80, shell("ls"))
	a.person.Sees(t, "\n> ")
	cancel()
	if err := <-a.done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", a.answer, err)
	}
}

func TestATerminalThatGoesAway(t *testing.T) {
	a := ask(t.Context(), t, 80, shell("ls"))
	a.person.Sees(t, "\n> ")
	a.person.Close()
	if err := <-a.done; a.answer.Allow || err != nil && !errors.Is(err, permissions.ErrNobody) {
		t.Errorf("got %+v, %v", a.answer, err)
	}
}
