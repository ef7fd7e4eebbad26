//go:build unix

package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

func TestInput(t *testing.T) {
	input := bytes.Repeat([]byte("0123456789"), 1<<20) // 10 MiB
	tests := map[string]struct{ script, want string }{
		"that is read":         {"wc -c | tr -d ' '", "10485760\n"},
		"that is never read":   {"echo no", "no\n"},
		"that is read in part": {"head -c 10", "0123456789"},
		"that is closed":       {"exec <&-; echo no", "no\n"},
		"that comes back":      {"cat", string(input)},
		"that a child in the background never reads": {"sleep 1000 <&0 >/dev/null 2>&1 & echo $!", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := sh(tt.script)
			c.Stdin, c.MaxOutput = input, int64(len(input))
			out := run(t, process.Runner{}, c)
			var child int
			if _, err := fmt.Sscan(string(out.Stdout), &child); err == nil && tt.want == "" {
				syscall.Kill(child, syscall.SIGKILL)
				return
			}
			if string(out.Stdout) != tt.want {
				t.Errorf("stdout is %.40q (%d bytes)", out.Stdout, len(out.Stdout))
			}
		})
	}
}

func TestFilesAreInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh("echo three >&3; (echo four >&4) 2> /dev/null || echo no")
	c.Files = []*os.File{w}
	if out := run(t, process.Runner{}, c); string(out.Stdout) != "no\n" {
		t.Errorf("it wrote %q", out.Stdout)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "three\n" { // to the end: the host has none any more
		t.Errorf("%q, %v", got, err)
	}
	_, w, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (process.Runner{}).Run(t.Context(), process.Command{Path: "/none", Files: []*os.File{w}}); err == nil {
		t.Error("it started")
	}
	if w.Close() == nil {
		t.Error("a file of a process that did not start was left open")
	}
}

func TestInheritedInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "typed")
	if err := os.WriteFile(path, []byte("typed"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, tt := range map[string]struct {
		terminal *os.File
		want     string
	}{"a file": {file, "typed"}, "none": {nil, ""}} {
		t.Run(name, func(t *testing.T) {
			c := sh("cat")
			c.InheritStdin, c.Stdin = true, []byte("not this")
			if got := string(run(t, process.Runner{Terminal: tt.terminal}, c).Stdout); got != tt.want {
				t.Errorf("it read %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheEnvironment(t *testing.T) {
	e := process.Runner{Drop: []string{"CHIBI_HOOK", "CHIBI_TOOL"}, Env: []string{
		"PATH=" + os.Getenv("PATH"), "A=base", "B=base", "CHIBI_HOOK=outer", "CHIBI_HOOK_DATA_FILE=outer",
		"CHIBI_TOOL_NAME=outer", "CHIBI_TOOL_ARGS=outer", "CHIBI_HOME=/home",
	}}
	got := run(t, e, sh(`env | grep -E '^(A|B|CHIBI.*)=' | sort`, "B=first", "B=second", "CHIBI_HOOK=inner"))
	want := "A=base\nB=second\nCHIBI_HOME=/home\nCHIBI_HOOK=inner\n"
	if diff := cmp.Diff(want, string(got.Stdout)); diff != "" {
		t.Error(diff)
	}
}

func TestDataIsInAVariableIfItFits(t *testing.T) {
	const largest = 131_072 - len("CHIBI_HOOK_DATA=") - 1
	tests := map[string]struct {
		value []byte
		alone bool
	}{
		"empty":                   {nil, false},
		"as large as it may be":   {bytes.Repeat([]byte("x"), largest), false},
		"one byte more":           {bytes.Repeat([]byte("x"), largest+1), true},
		"10 MiB":                  {bytes.Repeat([]byte("x"), 10<<20), true},
		"with a zero byte inside": {[]byte("a\x00b"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := sh(`env | grep -o ^CHIBI_HOOK_DATA.*=; printf %s "$CHIBI_HOOK_DATA"; cat`)
			c.MaxOutput = 11 << 20
			c.Data = &process.Data{Var: "CHIBI_HOOK_DATA", Value: tt.value}
			want := "CHIBI_HOOK_DATA=\n" + string(tt.value)
			if tt.alone {
				c.Stdin, want = tt.value, string(tt.value)
			}
			out := run(t, process.Runner{}, c)
			if got := string(out.Stdout); got != want || out.Unread {
				t.Errorf("it is %.40q (%d bytes), want %d bytes; unread: %v", got, len(got), len(want), out.Unread)
			}
		})
	}
}

func TestAProcessThatTookNothingOfWhatOnlyStandardInputCarries(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("0123456\n"), 140_000/8)
	small := []byte("no\x00variable")
	tests := map[string]struct {
		script string
		unread bool
	}{
		"it does not look":              {"echo {}", true},
		"it fails":                      {"exit 3", true},
		"it is killed":                  {"kill -KILL $$", true},
		"it closes it":                  {"exec <&-; echo {}", true},
		"it looks elsewhere":            {"head -c 1 </dev/null", true},
		"it takes its time":             {"sleep 0.3", true},
		"it takes the first byte":       {"head -c 1", false},
		"it takes the first 300":        {"head -c 300", false},
		"it stops at the first match":   {"grep -q 0", false},
		"it takes a line":               {"read -r line; echo {}", false},
		"a child takes it":              {"exec 3<&0; cat <&3 >/dev/null & wait", false},
		"a child of a child takes some": {"(cat | head -c 2) | cat", false},
		"it takes everything":           {"cat >/dev/null", false},
	}
	for name, tt := range tests {
		for size, data := range map[string][]byte{"small": small, "large": large} {
			t.Run(name+", "+size, func(t *testing.T) {
				c := sh(tt.script)
				c.Stdin, c.Data = data, &process.Data{Var: "CHIBI_HOOK_DATA", Value: data}
				if got := run(t, process.Runner{}, c).Unread; got != tt.unread {
					t.Errorf("unread is %v", got)
				}
			})
		}
	}
	t.Run("it takes too long", func(t *testing.T) {
		c := sh("exec sleep 1000")
		c.Stdin, c.Data, c.Timeout = large, &process.Data{Var: "CHIBI_HOOK_DATA", Value: large}, 50*time.Millisecond
		if out, err := (process.Runner{}).Run(t.Context(), c); !out.Unread || !errors.Is(err, process.ErrTimeout) {
			t.Errorf("unread is %v, error %v", out.Unread, err)
		}
	})
	t.Run("a variable carries it too", func(t *testing.T) {
		c := sh("echo {}")
		c.Stdin, c.Data = []byte("{}\n"), &process.Data{Var: "CHIBI_HOOK_DATA", Value: []byte("{}")}
		if run(t, process.Runner{}, c).Unread {
			t.Error("it counts as unread")
		}
	})
	t.Run("its standard input is the terminal", func(t *testing.T) {
		c := sh("echo started")
		c.InheritStdin, c.Data = true, &process.Data{Var: "CHIBI_HOOK_DATA", Value: large}
		out, err := process.Runner{}.Run(t.Context(), c)
		want := "could not be started: 140 kB of data are too large for the environment, and its standard input is the " +
			"terminal"
		if !out.Unread || !errors.Is(err, process.ErrStart) || err.Error() != want {
			t.Errorf("outcome is %+v, error %v", out, err)
		}
	})
}

func TestTheEnvironmentIsNearlyFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit is Linux's")
	}
	var stack syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &stack); err != nil {
		t.Fatal(err)
	}
	room := int(min(stack.Cur/4, 6<<20))
	fill := func(size int) process.Runner {
		env := []string{"PATH=" + os.Getenv("PATH")}
		for i := 0; size > 0; i++ {
			n := min(size, 100_000)
			env = append(env, fmt.Sprintf("FILL%d=%s", i, strings.Repeat("x", n)))
			size -= n
		}
		return process.Runner{Env: env}
	}
	c := sh(`printf %s "$CHIBI_TOOL_ARGS"; cat`)
	c.Data = &process.Data{Var: "CHIBI_TOOL_ARGS", Value: bytes.Repeat([]byte("y"), 100_000)}
	c.Stdin = c.Data.Value
	t.Run("only standard input carries the data", func(t *testing.T) {
		if got := run(t, fill(room-60_000), c).Stdout; !bytes.Equal(got, c.Data.Value) {
			t.Errorf("it read %d bytes", len(got))
		}
	})
	t.Run("it is too full for anything", func(t *testing.T) {
		_, err := fill(room+1<<20).Run(t.Context(), c)
		if want := "could not be started: the environment is too large; unset variables that you do not need"; err == nil ||
			err.Error() != want {
			t.Errorf("error is %v", err)
		}
	})
}
