//go:build unix

package plugin_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/plugin"
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
			out := run(t, plugin.Exec{}, c)
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
			if got := string(run(t, plugin.Exec{Terminal: tt.terminal}, c).Stdout); got != tt.want {
				t.Errorf("it read %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheEnvironment(t *testing.T) {
	e := plugin.Exec{Env: []string{
		"PATH=" + os.Getenv("PATH"), "A=base", "B=base", "CHIBI_HOOK=outer", "CHIBI_HOOK_DATA_FILE=outer",
		"CHIBI_TOOL_NAME=outer", "CHIBI_TOOL_ARGS=outer", "CHIBI_HOME=/home",
	}}
	got := run(t, e, sh(`env | grep -E '^(A|B|CHIBI.*)=' | sort`, "B=first", "B=second", "CHIBI_HOOK=inner"))
	want := "A=base\nB=second\nCHIBI_HOME=/home\nCHIBI_HOOK=inner\n"
	if diff := cmp.Diff(want, string(got.Stdout)); diff != "" {
		t.Error(diff)
	}
}

func TestDataIsAVariableOrAFile(t *testing.T) {
	const largest = 131_072 - len("CHIBI_HOOK_DATA=") - 1
	tests := map[string]struct {
		value []byte
		file  bool
	}{
		"empty":                   {nil, false},
		"as large as it may be":   {bytes.Repeat([]byte("x"), largest), false},
		"one byte more":           {bytes.Repeat([]byte("x"), largest+1), true},
		"10 MiB":                  {bytes.Repeat([]byte("x"), 10<<20), true},
		"with a zero byte inside": {[]byte("a\x00b"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := sh(`echo "${CHIBI_HOOK_DATA+variable}$CHIBI_HOOK_DATA_FILE"
				if [ -n "$CHIBI_HOOK_DATA_FILE" ]; then ls -l "$CHIBI_HOOK_DATA_FILE" | cut -c1-10; cat "$CHIBI_HOOK_DATA_FILE"
				else printf %s "$CHIBI_HOOK_DATA"; fi`)
			c.MaxOutput = 11 << 20
			c.Data = &plugin.Data{Var: "CHIBI_HOOK_DATA", FileVar: "CHIBI_HOOK_DATA_FILE", Value: tt.value}
			got := string(run(t, plugin.Exec{}, c).Stdout)
			where, rest, _ := strings.Cut(got, "\n")
			want := string(tt.value)
			if tt.file {
				want = "-rw-------\n" + want
				if _, err := os.Stat(where); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the file %q is still there: %v", where, err)
				}
			}
			if (where == "variable") == tt.file {
				t.Errorf("it is at %q", where)
			}
			if rest != want {
				t.Errorf("it is %.40q (%d bytes), want %d bytes", rest, len(rest), len(want))
			}
		})
	}
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
	fill := func(size int) plugin.Exec {
		env := []string{"PATH=" + os.Getenv("PATH")}
		for i := 0; size > 0; i++ {
			n := min(size, 100_000)
			env = append(env, fmt.Sprintf("FILL%d=%s", i, strings.Repeat("x", n)))
			size -= n
		}
		return plugin.Exec{Env: env}
	}
	c := sh(`cat "$CHIBI_TOOL_ARGS_FILE"`)
	c.Data = &plugin.Data{Var: "CHIBI_TOOL_ARGS", FileVar: "CHIBI_TOOL_ARGS_FILE", Value: bytes.Repeat([]byte("y"), 100_000)}
	t.Run("the data goes into a file", func(t *testing.T) {
		if got := run(t, fill(room-60_000), c).Stdout; !bytes.Equal(got, c.Data.Value) {
			t.Errorf("it read %d bytes", len(got))
		}
	})
	t.Run("it is too full for anything", func(t *testing.T) {
		_, err := fill(room+1<<20).Run(t.Context(), c)
		if want := "could not be started: the environment is too large; unset what is not needed"; err == nil || err.Error() != want {
			t.Errorf("error is %v", err)
		}
	})
}
