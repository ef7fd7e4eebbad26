package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// TestNothingIsLeftOfAnAsyncObserverAfterCtrlC: it ignores SIGTERM, as does its child, and a
// second event has not begun. It takes the five seconds that observers have then.
func TestNothingIsLeftOfAnAsyncObserverAfterCtrlC(t *testing.T) {
	t.Parallel()
	f := newPluginDir(t).plugin("slow", `{"name":"slow","hooks":["post_tool"],"async":["post_tool"]}`,
		`trap '' TERM; sleep 1000 & echo $$ $! > "$CHIBI_HOME/pids.new"; mv "$CHIBI_HOME/pids.new" "$CHIBI_HOME/pids"; wait`)
	home := t.TempDir()
	var notices []string
	host := &plugin.Host{Plugins: f.load(native.Options{Home: home}).Plugins,
		Notify: func(n plugin.Notice) { notices = append(notices, n.Text) }}
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		payload := hookpoints.PostToolPayload{Arguments: []byte(`{}`)}
		if _, err := plugin.Fire(ctx, host, hookpoints.PostTool, payload); err != nil {
			t.Fatal(err)
		}
	}
	pids := awaitFile(t, filepath.Join(home, "pids"))
	cancel()
	host.Join(ctx)
	if len(notices) != 2 || !strings.Contains(notices[0], "had not finished 5s after the run was interrupted") {
		t.Errorf("notices %q", notices)
	}
	var parent, child int
	if _, err := fmt.Sscan(pids, &parent, &child); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{parent, child} {
		for deadline := time.Now().Add(time.Minute); !isGone(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
}

// awaitFile returns the text of a file as soon as it exists.
func awaitFile(t *testing.T, path string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if err == nil {
			return string(text)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// isGone reports whether there is no such process, or only what nobody has waited for.
func isGone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) || strings.Contains(string(stat), ") Z ")
}
