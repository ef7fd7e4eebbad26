package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWhatKilledRunsLeaveIsNamedByDoctorAndRemovedByARun has leftovers of each
// kind, old ones and ones of this moment.
func TestWhatKilledRunsLeaveIsNamedByDoctorAndRemovedByARun(t *testing.T) {
	h := newHome(t)
	old := []string{
		".chibi/.config.toml.tmp-0011223344556677", ".chibi/plugins/.half.tmp-0011223344556677/half",
		".chibi/contexts/default/tool_cache/.spool-1", ".chibi/contexts/other/.todos.md.tmp-8",
		".chibi/contexts/other/tool_cache/.spool-2",
		"tmp/chibi-check-1/config.toml", "tmp/chibi-install-2/x",
	}
	recent := []string{".chibi/.config.toml.tmp-new", "tmp/chibi-check-3/config.toml",
		"tmp/chibi-notes/mine", "tmp/chibi-check-mine"}
	for _, path := range append(old, recent...) {
		h.write(path, "half", 0o644)
	}
	// A scratch home has links to the person's files.
	h.write("notes/mine", "mine", 0o644)
	link := filepath.Join(h.folder, "tmp/chibi-check-1/notes")
	if err := os.Symlink(filepath.Join(h.folder, "notes"), link); err != nil {
		t.Fatal(err)
	}
	h.write(".chibi/contexts/.deleted-gone-1/context.jsonl", "secret\n", 0o600)
	dayOld := time.Now().Add(-25 * time.Hour)
	for _, path := range append(old, ".chibi/plugins/.half.tmp-0011223344556677", "tmp/chibi-check-1",
		"tmp/chibi-install-2", "tmp/chibi-notes", "tmp/chibi-check-mine") {
		if err := os.Chtimes(filepath.Join(h.folder, path), dayOld, dayOld); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := h.command(args...)
		cmd.Env = append(cmd.Env, "TMPDIR="+filepath.Join(h.folder, "tmp"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("chibi %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	said := run("doctor")
	for _, name := range []string{
		".config.toml.tmp-0011223344556677", ".half.tmp-0011223344556677", ".spool-1", ".spool-2", ".todos.md.tmp-8",
		"chibi-check-1", "chibi-install-2", ".deleted-gone-1",
	} {
		if !strings.Contains(said, name+" ") {
			t.Errorf("doctor does not name %s:\n%s", name, said)
		}
	}
	run("hello")
	for _, path := range old {
		if _, err := os.Stat(filepath.Join(h.folder, path)); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if h.read("notes/mine") != "mine" {
		t.Error("what a link of a scratch home leads to is gone")
	}
	if _, err := os.Stat(filepath.Join(h.folder, ".chibi/contexts/.deleted-gone-1")); err == nil {
		t.Error("the deleted context is still there")
	}
	for _, path := range recent {
		if _, err := os.Stat(filepath.Join(h.folder, path)); err != nil {
			t.Error(err)
		}
	}
}

// TestAnInstallationThatEndsInTheMiddleLeavesNoPlugin copies a plugin of which one
// file cannot be copied.
func TestAnInstallationThatEndsInTheMiddleLeavesNoPlugin(t *testing.T) {
	h := newHome(t)
	h.write("src/half/half", "#!/bin/sh\nexit 0\n", 0o755)
	h.write("src/half/zzz", "", 0o644)
	h.makePipe("src/half/zzz")
	out, err := h.command("plugin", "install", "--yes", "src/half").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "zzz is not a regular file") {
		t.Errorf("%v\n%s", err, out)
	}
	entries, err := os.ReadDir(filepath.Join(h.folder, ".chibi/plugins"))
	if err != nil || len(entries) != 1 || entries[0].Name() != ".keep" {
		t.Errorf("left: %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(h.folder, ".chibi/installed.json")); err == nil {
		t.Error("it counts as installed")
	}
}

// TestAPipeOrADeviceInTheHomeIsRefusedByName puts one where each file of the home
// should be: no command waits for it.
func TestAPipeOrADeviceInTheHomeIsRefusedByName(t *testing.T) {
	for _, name := range []string{
		"config.toml", "models.toml", "state.json", "state.json.lock", "installed.json", "prompts/chibi.md",
		"prompts/reflection.md",
		"contexts/default/local.toml", "contexts/default/.lock", "contexts/default/context.jsonl",
		"contexts/default/summary.md",
		"contexts/default/goals.md", "contexts/default/todos.md", "contexts/default/inbox.jsonl",
		"contexts/default/.inbox.lock",
		"contexts/default/context_meta.json", "contexts/default/system_prompt.md", "contexts/default/trace.jsonl",
		"contexts/default/transcript/active.jsonl", "contexts/default/transcript/manifest.json",
		"contexts/default/transcript/.transcript.lock",
		"recipes/r.md", "trust.json", "plugins/p",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			path := filepath.Join(".chibi", name)
			h.write(path, "", 0o600)
			h.makePipe(path)
			for _, args := range [][]string{{"hello"}, {"-L"}, {"doctor"}, {"plugin", "list"}, {"history"}, {"recipe", "list"},
				{"plugin", "disable", "x"}} {
				h.mustEnd(args)
			}
		})
	}
}
