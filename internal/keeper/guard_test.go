//go:build unix

package keeper_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
)

// guardScript is a guard that lets every call pass, except one that an ordinary start sees.
const guardScript = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name":"guard","tool":false,"hooks":["pre_tool"],"guards":["pre_tool"],
  "resident":true,"on_failure":"block","env":["LOG"]}'; exit; }
[ "$1" = --resident ] || { echo '{"block":true,"message":"an ordinary start"}'; exit; }
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%,*}
  case "$line" in *slow*) echo asked >> "$LOG"; sleep 600 ;; esac
  printf '{"jsonrpc":"2.0","id":%s,"result":null}\n' "$id"
done
`

// TestNothingPassesAGuardWhenItsKeeperDies: in the middle of a call that blocks; between two
// calls the next one is asked as if there had been no keeper.
func TestNothingPassesAGuardWhenItsKeeperDies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Join(w.home, "plugins")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(dir, "guard"), guardScript, 0o755)
	settle(t, filepath.Join(dir, "guard"))
	host := func() (h *plugin.Host, end func()) {
		g := &resident.Group{Keeper: &keeper.Client{Home: w.home, Keep: time.Hour, Wait: time.Hour}}
		loaded, err := native.Load(t.Context(), native.Options{Dir: dir, Home: w.home, Residents: g,
			Runner: process.Runner{Env: w.env}})
		if err != nil || len(loaded.Plugins) != 1 {
			t.Fatalf("%+v, %v", loaded, err)
		}
		return &plugin.Host{Plugins: loaded.Plugins, Trace: func(r plugin.Record) { w.note(r.How) }}, func() { g.Close() }
	}
	ask := func(h *plugin.Host, tool string) hookpoints.PreToolAnswer {
		verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool,
			hookpoints.PreToolPayload{ToolName: tool, Arguments: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		return verdict
	}
	kill := func() {
		p, _ := os.FindProcess(w.status().Pid)
		p.Kill()
		w.until("the keeper's end", func() bool { _, err := keeper.StatusOf(w.home); return err != nil })
	}
	keeps := func() *plugin.Host { // a host whose guard the keeper holds
		w.until("a keeper", func() bool { // one that was just killed may still have its lock
			h, end := host()
			ask(h, "quick")
			end()
			_, err := keeper.StatusOf(w.home)
			return err == nil
		})
		h, _ := host()
		ask(h, "quick")
		if w.status().Busy() != 1 {
			t.Fatalf("the keeper holds %+v", w.status())
		}
		return h
	}

	h := keeps()
	go func() {
		w.until("the call", func() bool { return w.count("asked") == 1 })
		kill()
	}()
	if verdict := ask(h, "slow"); !verdict.Block {
		t.Errorf("in the middle of a call: %+v", verdict)
	}
	if n := w.count("asked"); n != 1 {
		t.Errorf("asked %d times", n)
	}

	h = keeps()
	kill()
	if verdict := ask(h, "quick"); verdict.Block && verdict.Message != "an ordinary start" {
		t.Errorf("between two calls: %+v", verdict)
	}
	told := w.notices()
	if how := told[len(told)-1]; how != "resident, started for it" && how != "asked again by an ordinary start" {
		t.Errorf("it was asked so: %q", how)
	}
}
