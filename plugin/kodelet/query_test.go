package kodelet

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnswersOfSeveralRunsAreKept: two runs that ask different hooks at once lose
// nothing to each other, and hooks that are gone are forgotten.
func TestAnswersOfSeveralRunsAreKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "home", "kodelet-events.json")
	hooks := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for _, hook := range hooks {
		if err := os.WriteFile(hook, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	runs := []*eventCache{readAnswers(file), readAnswers(file)}
	for i, run := range runs {
		run.fresh[hooks[i]] = known{Event: "turn_end"}
		run.fresh[filepath.Join(dir, "gone")] = known{Event: "turn_end"}
		if err := run.save(); err != nil {
			t.Fatal(err)
		}
	}
	all := readAnswers(file).known
	if len(all) != 2 || all[hooks[0]].Event != "turn_end" || all[hooks[1]].Event != "turn_end" {
		t.Errorf("kept are %v", all)
	}
}
