package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Entries go where the agent reads hooks: a file of its own kind would keep it from reading the
// person's other hooks. If the person makes that file later, the entries are found dead, and moved by
// adding again.
func TestEntriesGoWhereTheAgentReadsHooks(t *testing.T) {
	droid, _ := agents.ByName("droid")
	dir := t.TempDir()
	chibi, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	i := bridge.Installer{Agent: droid, Scope: engine.ScopeUser, Home: home(t, "", nil), Chibi: chibi, UserHome: dir,
		Project: dir, Getenv: func(string) string { return "" }}
	settings, alone := filepath.Join(dir, ".factory", "settings.json"), filepath.Join(dir, ".factory", "hooks.json")
	has := func(path string) bool {
		text, _ := os.ReadFile(path)
		return strings.Contains(string(text), "bridge run droid PreToolUse")
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const own = "{\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}\n"
	write(settings, "{\"model\": \"m\"}\n")
	write(alone, "{}\n") // says nothing, so the settings count
	if _, err := i.Add(); err != nil || !has(settings) || has(alone) {
		t.Fatalf("in the settings: %t, alone: %t, %v", has(settings), has(alone), err)
	}
	write(alone, own)
	found, err := i.Find()
	if err != nil || len(found) != 1 || !found[0].IsDead || !strings.Contains(found[0].Problem, "as there is "+alone) {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := i.Add(); err != nil || has(settings) || !has(alone) {
		t.Fatalf("in the settings: %t, alone: %t, %v", has(settings), has(alone), err)
	}
	if found, err = i.Find(); err != nil || len(found) != 1 || found[0].Problem != "" || found[0].File != alone {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = i.Remove()
	text, _ := os.ReadFile(alone)
	rest, _ := os.ReadFile(settings)
	if err != nil || string(text) != own || string(rest) != "{\"model\": \"m\"}\n" {
		t.Errorf("%s%s%v", text, rest, err)
	}
}
