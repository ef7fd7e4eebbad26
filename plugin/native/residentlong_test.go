//go:build unix

package native_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
)

// spooling makes files for large outputs in a directory that must be empty in the end.
func spooling(t *testing.T, most int64) (opts func(*native.Options), dir string) {
	dir = t.TempDir()
	return func(o *native.Options) {
		o.Spool = func() (process.Spool, error) { return os.CreateTemp(dir, "") }
		o.MaxToolOutput = most
	}, dir
}

// empty holds that no file is left in a directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := filepath.Glob(dir + "/*"); err != nil || len(left) > 0 {
		t.Errorf("files are left: %q, %v", left, err)
	}
}

// large prints an answer with a text of 20 MiB, of which each line has an escape.
const large = `printf '{"jsonrpc":"2.0","id":%s,"result":{"output":"' "$id"
	yes "$(head -c 1023 /dev/zero | tr '\0' x)" | head -c 20971520 | sed 's/$/\\n/' | tr -d '\n'
	printf '"}}\n'`

// largeLine is a line of that text.
func largeLine() string { return strings.Repeat("x", 1023) + "\n" }

func TestALargeResultOfAResidentToolIsSpooled(t *testing.T) {
	opts, dir := spooling(t, 0)
	p := loadResident(t, "", `case "$line" in *'"method":"tool"'*) `+large+` ;; *) reply null ;; esac`, opts)
	for range 2 { // and the process stays
		result, err := p.call(t.Context())
		if err != nil || result.Failed || result.File.Size() < 20<<20 || !strings.HasPrefix(result.Text, largeLine()+"xx") {
			t.Fatalf("result = %.100q, %q, %d bytes, %v", result.Text, result.Failure, result.File.Size(), err)
		}
		got, err := os.ReadFile(result.File.Path())
		if err != nil || strings.Count(string(got), largeLine()) != 20<<10 || len(got) != 20<<20 {
			t.Errorf("the file has %d bytes, %v", len(got), err)
		}
		result.File.Close()
		p.fire("{}")
	}
	p.sees("started", "tool", "hook", "tool", "hook")
	p.allEnded()
	empty(t, dir)
}

func TestAResultOverTheLimitIsCutKeptAndSaid(t *testing.T) {
	for name, spool := range map[string]bool{"in a file": true, "in memory": false} {
		t.Run(name, func(t *testing.T) {
			opts, dir := spooling(t, 12<<20)
			if !spool {
				opts = func(*native.Options) {}
			}
			p := loadResident(t, "", large, opts)
			result, err := p.call(t.Context())
			want := map[bool]string{true: "12", false: "8.0"}[spool]
			if err != nil || !result.Failed || result.Failure !=
				"Error: its resident process: ended after "+want+" MiB of output without a newline, the limit" {
				t.Errorf("%q, %v", result.Failure, err)
			}
			size := int64(len(result.Text))
			if spool {
				size = result.File.Size()
			}
			if size < 7<<20 || !strings.HasPrefix(result.Text, largeLine()+"xx") {
				t.Errorf("%d bytes are kept: %.100q", size, result.Text)
			}
			result.File.Close()
			p.allEnded()
			empty(t, dir)
		})
	}
}

func TestAHookOfAResidentWithLargeToolsIsBoundedAsAnyOther(t *testing.T) {
	opts, dir := spooling(t, 0)
	p := loadResident(t, "", `[ $n -eq 2 ] && exec head -c 2147483648 /dev/zero
		reply '{"block":true,"message":"'"$(head -c 2000000 /dev/zero | tr '\0' x)"'"}'`, opts)
	if verdict := p.fire("{}"); len(verdict.Message) != 2_000_000 {
		t.Errorf("an answer of 2 MB became %d bytes, told: %.200q", len(verdict.Message), p.told())
	}
	p.fire("{}")
	if told := p.told(); len(told) != 1 || !strings.Contains(told[0], "ended after 8.0 MiB of output without a newline") {
		t.Errorf("told: %.200q", told)
	}
	p.allEnded()
	for left, _ := filepath.Glob(dir + "/*"); len(left) > 0; left, _ = filepath.Glob(dir + "/*") {
	} // it is removed soon after the end
}

func TestALargeTextThatIsNotTheOutputFailsTheCall(t *testing.T) {
	opts, dir := spooling(t, 0)
	p := loadResident(t, "", `printf '{"jsonrpc":"2.0","id":%s,"error":{"message":"%s","data":"' "$id" no
		head -c 3000000 /dev/zero | tr '\0' x; printf '"}}\n'`, opts)
	result, err := p.call(t.Context())
	if err != nil || !result.Failed || !strings.Contains(result.Failure, "a large text that is not the output") {
		t.Errorf("%q, %v", result.Failure, err)
	}
	p.allEnded()
	empty(t, dir)
}

// TestNothingIsLeftOfALargeLineThatNobodyReads: a process writes it when it is told to end.
func TestNothingIsLeftOfALargeLineThatNobodyReads(t *testing.T) {
	opts, dir := spooling(t, 0)
	p := loadResident(t, "", `trap 'kill -9 $!; head -c 3000000 /dev/zero | tr "\0" x; echo; exit' TERM
		sleep 1000 & log ready; wait`, opts, func(o *native.Options) { o.Runner.Grace = time.Minute })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for !slices.Contains(p.did(), "ready") {
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := p.call(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
	p.group.Close()
	empty(t, dir)
}
