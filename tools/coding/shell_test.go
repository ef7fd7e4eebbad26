//go:build unix

package coding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// soon bounds what should happen at once, however slow the machine.
const soon = 30 * time.Second

// arguments returns the arguments of a call.
func arguments(t *testing.T, args map[string]any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// exec runs a command, which must be possible.
func exec(t *testing.T, c coding.ShellConfig, args map[string]any) tools.Result {
	t.Helper()
	result, err := coding.Shell(c).Call(t.Context(), tools.Call{Arguments: arguments(t, args)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { result.File.Close() })
	return result
}

// spool makes files in a directory of the test.
func spool(t *testing.T) func() (process.Spool, error) {
	dir := t.TempDir()
	return func() (process.Spool, error) { return os.CreateTemp(dir, "spool") }
}

func TestTheAnswerOfACommand(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args         map[string]any
		want, reason string
		failed       bool
		exit         int
	}{
		"its output":         {args: map[string]any{"command": "printf 'a\\nb'"}, want: "a\nb"},
		"nothing":            {args: map[string]any{"command": "true"}},
		"standard error too": {args: map[string]any{"command": "echo a; echo b >&2; echo c"}, want: "a\nc\nstderr:\nb\n"},
		"an exit status": {args: map[string]any{"command": "printf a; echo b >&2; exit 3"},
			want: "a\nstderr:\nb\nexit status 3", reason: "exit status 3 (b)", failed: true, exit: 3},
		"an exit status alone": {args: map[string]any{"command": "false"},
			want: "exit status 1", reason: "exit status 1", failed: true, exit: 1},
		"a signal": {args: map[string]any{"command": "echo a; kill -KILL $$"},
			want: "a\nended by signal: killed", reason: "ended by signal: killed", failed: true},
		"invalid bytes": {args: map[string]any{"command": `printf 'a\377\376b\000c'; printf '\377' >&2`},
			want: "a\uFFFDb\x00c\nstderr:\n\uFFFD"},
		"its standard input":         {args: map[string]any{"command": "cat", "stdin": "typed"}, want: "typed"},
		"empty standard input":       {args: map[string]any{"command": "cat", "stdin": ""}},
		"the null device":            {args: map[string]any{"command": "readlink /proc/self/fd/0"}, want: "/dev/null\n"},
		"the project's directory":    {args: map[string]any{"command": "pwd"}, want: real + "\n"},
		"a directory in the project": {args: map[string]any{"command": "pwd", "cwd": "sub"}, want: real + "/sub\n"},
		"an absolute directory":      {args: map[string]any{"command": "pwd", "cwd": "/"}, want: "/\n"},
		"the person's home":          {args: map[string]any{"command": "pwd", "cwd": "~"}, want: real + "\n"},
		"a directory in the home":    {args: map[string]any{"command": "pwd", "cwd": "~/sub"}, want: real + "/sub\n"},
		"a directory that is not there": {args: map[string]any{"command": "pwd", "cwd": "none"}, failed: true,
			want: `Error: the working directory "` + real + `/none" is not a directory; make it first, or choose another "cwd"`},
		"an unknown argument": {args: map[string]any{"command": "pwd", "comand": "x"}, failed: true,
			want: `Error: unknown argument "comand"; did you mean "command"?`},
		"an empty command": {args: map[string]any{"command": " "}, failed: true, want: `Error: "command" is empty`},
		"a NUL character": {args: map[string]any{"command": "echo \x00"}, failed: true,
			want: `Error: "command" contains a NUL character, which no command line can`},
		"a long command": {args: map[string]any{"command": strings.Repeat("x", 200<<10)}, failed: true,
			want: `Error: "command" has 200 KiB; a command line has at most 128 KiB: write a script to a file, or pass ` +
				`data as "stdin"`},
		"a command as long as can be": {args: map[string]any{"command": "true " + strings.Repeat("x", 128<<10-6)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/proc/self/fd"); err != nil && name == "the null device" {
				t.Skip("needs /proc")
			}
			got := exec(t, coding.ShellConfig{Dir: dir, Home: dir}, tt.args)
			if got.Told() != tt.want || got.Reason != tt.reason || got.Failed != tt.failed || got.Exit != tt.exit {
				t.Errorf("got %q, reason %q, failed %v, exit %d", got.Told(), got.Reason, got.Failed, got.Exit)
			}
		})
	}
}

func TestAPlanSaysWhatWouldRunAndRunsNothing(t *testing.T) {
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	shell := coding.Shell(coding.ShellConfig{Dir: dir})
	for cwd, want := range map[string]string{"": real, ".": real, "..": filepath.Dir(real), "out": "/",
		"out/none/x": "/none/x", "none/../sub": real + "/sub"} {
		args := map[string]any{"command": "echo > made"}
		if cwd != "" {
			args["cwd"] = cwd
		}
		plan, err := shell.(tools.Planner).Plan(t.Context(), tools.Call{Arguments: arguments(t, args)})
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Access(); got.Command != "echo > made" || got.Dir != want {
			t.Errorf("cwd %q: %+v, want the directory %s", cwd, got, want)
		}
		plan.Close()
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a plan ran its command")
	}
}

func TestTheEnvironmentOfACommand(t *testing.T) {
	c := coding.ShellConfig{Dir: t.TempDir(), Runner: process.Runner{Env: []string{
		"PATH=" + os.Getenv("PATH"), "MINE=kept", "CHIBI_HOOK=pre_tool", "CHIBI_HOOK_DATA={}", "CHIBI_TOOL_ARGS={}"}}}
	got := exec(t, c, map[string]any{"command": "env"}).Text
	if !strings.Contains(got, "MINE=kept\n") || strings.Contains(got, "CHIBI_") {
		t.Errorf("the environment is %q", got)
	}
}

func TestATimeoutKeepsWhatWasPrintedAndLeavesNothing(t *testing.T) {
	for name, command := range map[string]string{
		"children":                  "sleep 100000 & sleep 100000",
		"a child that holds a pipe": "(trap '' TERM; sleep 100000; sleep 100000) & wait",
		"a child that stopped":      "(kill -STOP $(exec sh -c 'echo $PPID')) & sleep 100000",
	} {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			got := exec(t, coding.ShellConfig{Dir: t.TempDir(), Runner: process.Runner{Grace: 100 * time.Millisecond}},
				map[string]any{"command": life.hold + "echo out; echo err >&2; " + command, "timeout_secs": 1})
			want := "out\nstderr:\nerr\ntimed out after 1s; the command was ended with its children"
			if got.Told() != want || !got.Failed || !strings.HasPrefix(got.Reason, "timed out after 1s") {
				t.Errorf("got %q, reason %q", got.Told(), got.Reason)
			}
			life.mustEnd()
		})
	}
}

func TestChildrenThatHoldPipesDoNotDelayTheAnswer(t *testing.T) {
	life := newLifeline(t)
	got := exec(t, coding.ShellConfig{Dir: t.TempDir()}, map[string]any{"command": life.hold + "sleep 1000 & echo done"})
	if got.Told() != "done\n" || got.Failed {
		t.Errorf("got %q", got.Told())
	}
	life.mustEnd()
}

func TestTheEndOfATurnEndsACommand(t *testing.T) {
	life := newLifeline(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		life.mustBegin()
		cancel()
	}()
	_, err := coding.Shell(coding.ShellConfig{Dir: t.TempDir(), Spool: spool(t)}).Call(ctx, tools.Call{
		Arguments: arguments(t, map[string]any{"command": life.hold + "echo >&9; sleep 1000 & sleep 1000"})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	life.mustEnd()
}

func TestLargeAnswersAreInFiles(t *testing.T) {
	const million = "head -c 2000000 /dev/zero | tr '\\0' x"
	cut := "\nchibi: /bin/sh wrote more than 2.0 MiB to standard error; the rest is not shown\nit ends with:\n" +
		strings.Repeat("x", 4<<10-4) + "why\nexit status 1"
	tests := map[string]struct {
		command, begins, ends string
		size                  int64
		failed                bool
	}{
		"standard output": {million, "xxx", "xxx", 2_000_000, false},
		"both":            {million + "; echo why >&2; exit 2", "xxx", "x\nstderr:\nwhy\nexit status 2", 2_000_026, true},
		"standard error": {"echo out; head -c 1048570 /dev/zero | tr '\\0' x >&2", "out\nstderr:\nxxx", "xxx",
			1_048_582, false},
		"a flood": {"yes", "y\ny\n",
			"y\nthe output is cut: the command was ended after 4.0 MiB of output, the limit", 4<<20 + 75, true},
		"a flood of errors": {"head -c 5000000 /dev/zero | tr '\\0' x >&2; echo why >&2; exit 1", "stderr:\nxxx", cut,
			int64(8 + 2<<20 + len(cut)), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := coding.ShellConfig{Dir: t.TempDir(), Spool: spool(t), MaxOutput: 4 << 20,
				Runner: process.Runner{MaxStderr: 2 << 20}}
			got := exec(t, c, map[string]any{"command": tt.command})
			if got.File == nil {
				t.Fatalf("no file; %.100q", got.Text)
			}
			data, err := os.ReadFile(got.File.Path())
			text := string(data)
			if err != nil || !strings.HasPrefix(text, tt.begins) || !strings.HasSuffix(text, tt.ends) ||
				got.Failed != tt.failed {
				t.Errorf("%v: begins with %.40q, ends with %.100q, failed: %v", err, text, text[max(0, len(text)-100):], got.Failed)
			}
			if got.File.Size() != tt.size || int64(len(data)) != tt.size {
				t.Errorf("size %d of %d, want %d", got.File.Size(), len(data), tt.size)
			}
			if len(got.Text) > 1<<20 || !strings.HasPrefix(text, got.Text) {
				t.Errorf("%d bytes in memory, not the beginning of the file", len(got.Text))
			}
		})
	}
}

func TestAFullDiskIsSaid(t *testing.T) {
	full := func() (process.Spool, error) { return nil, errors.New("no space left on device") }
	for name, command := range map[string]string{"standard output": "", "standard error": " >&2"} {
		got := exec(t, coding.ShellConfig{Dir: t.TempDir(), Spool: full},
			map[string]any{"command": "head -c 2000000 /dev/zero | tr '\\0' x" + command})
		if !strings.Contains(got.Text, "its output could not be kept on disk: no space left on device") || !got.Failed {
			t.Errorf("%s: %.100q", name, got.Text)
		}
	}
}

func TestTheTimeoutIsBoundedByTheConfiguration(t *testing.T) {
	for most, want := range map[time.Duration]string{
		0:                      `"default": 120, "maximum": 600`,
		30 * time.Second:       `"default": 30, "maximum": 30`,
		500 * time.Millisecond: `"default": 1, "maximum": 1`,
	} {
		spec := coding.Shell(coding.ShellConfig{Timeout: most}).Spec()
		if schema := string(spec.Parameters); !strings.Contains(schema, want) || !json.Valid(spec.Parameters) {
			t.Errorf("%s: %s", most, schema)
		}
	}
	got := exec(t, coding.ShellConfig{Dir: t.TempDir(), Timeout: 50 * time.Millisecond},
		map[string]any{"command": "sleep 1000", "timeout_secs": 1000})
	if want := "timed out after 50ms; the command was ended with its children"; got.Text != want {
		t.Errorf("got %q", got.Text)
	}
}

func ExampleShell() {
	shell := coding.Shell(coding.ShellConfig{Dir: "/"})
	result, err := shell.Call(context.Background(), tools.Call{
		Arguments: json.RawMessage(`{"command": "pwd; ls /none 2>/dev/null || exit 4"}`)})
	fmt.Println(result.Told(), err)
	// Output:
	// /
	// exit status 4 <nil>
}

func TestACommandRunsAsItIsConfinedOrNotAtAll(t *testing.T) {
	type ended = func(context.Context) string
	ends := 0
	c := coding.ShellConfig{Dir: t.TempDir()}
	c.Confine = func(_ context.Context, c process.Command) (process.Command, ended, error) {
		c.Args = []string{"-c", "echo confined: \"$1\"", "sh", c.Args[1]}
		return c, func(context.Context) string {
			ends++
			return "it is over"
		}, nil
	}
	got := exec(t, c, map[string]any{"command": "ls"})
	if got.Text != "confined: ls\n" || got.Note != "it is over" || ends != 1 {
		t.Errorf("%q, %q, ended %d times", got.Text, got.Note, ends)
	}
	c.Confine = func(_ context.Context, c process.Command) (process.Command, ended, error) {
		return c, nil, errors.New("this kernel cannot")
	}
	if got := exec(t, c, map[string]any{"command": "ls"}); got.Text != "Error: this kernel cannot" || !got.Failed {
		t.Errorf("%q", got.Text)
	}
}
