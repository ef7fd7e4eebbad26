package contexts_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
)

// checkFiles checks the contexts of a store, and sets aside what is damaged.
func checkFiles(t *testing.T, s *contexts.Store) (asides []contexts.Aside, damage []string) {
	t.Helper()
	_, err := contexts.Check(t.Context(), s, contexts.Checking{
		Damaged:  func(text string) { damage = append(damage, text) },
		SetAside: func(a contexts.Aside) { asides = append(asides, a) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return asides, damage
}

// TestWhatIsDamagedInFilesIsSetAside: lines of the transcript, of a partition of it, of the inbox and of
// the mail that failed.
func TestWhatIsDamagedInFilesIsSetAside(t *testing.T) {
	s, home, _ := open(t, nil)
	s.Storage.MaxEntries = 4
	c := openContext(t, s, "work")
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		if err := c.Append(contexts.UserMessage("ann", "work", text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := openContext(t, s, "other").Send("work", "other", "hi"); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "contexts", "work")
	partitions, err := filepath.Glob(filepath.Join(dir, "transcript", "partitions", "*.jsonl"))
	if err != nil || len(partitions) != 1 {
		t.Fatal(partitions, err)
	}
	long := `"` + strings.Repeat("x", 17<<20) + `"`
	for path, line := range map[string]string{
		partitions[0]: "precious 1", filepath.Join(dir, "transcript", "active.jsonl"): long,
		filepath.Join(dir, "inbox.jsonl"): "precious 3", filepath.Join(dir, "failed.jsonl"): "precious 4",
	} {
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		first := bytes.IndexByte(data, '\n') + 1
		if err := os.WriteFile(path, []byte(string(data[:first])+line+"\n"+string(data[first:])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asides, damage := checkFiles(t, s.Store)
	if len(asides) != 4 || len(damage) > 0 {
		t.Fatalf("set aside %+v, damaged %q", asides, damage)
	}
	kept := ""
	for _, a := range asides {
		data, err := os.ReadFile(a.Path)
		if err != nil || filepath.Dir(a.Path) != filepath.Join(dir, "set_aside") {
			t.Error(a.Path, err)
		}
		kept += string(data)
	}
	if want := "precious 1\n" + long + "\nprecious 3\nprecious 4\n"; kept != want {
		t.Errorf("set aside are %.100q, %d bytes", kept, len(kept))
	}
	if asides, damage = checkFiles(t, s.Store); len(asides)+len(damage) > 0 {
		t.Errorf("again: set aside %+v, damaged %q", asides, damage)
	}
	var list []contexts.Entry
	err = c.History(t.Context(), contexts.Query{}, func(e contexts.Entry) bool {
		if e.Type == contexts.TypeMessage || e.Type == contexts.TypeSetAside {
			list = append(list, e)
		}
		return true
	})
	text := contexttest.Contents(list)
	if err != nil || strings.Count(text, "A damaged line is set aside; its bytes are in "+dir) != 2 ||
		!strings.HasPrefix(text, "A damaged line") || !strings.HasSuffix(text, " five") {
		t.Errorf("the history is %q, %v", text, err)
	}
	window, err := openContext(t, s, "work").Window(t.Context())
	if got := contexttest.Contents(contexts.Messages(window)); err != nil || got != "one two three four five" {
		t.Errorf("the window is %q, %v", got, err)
	}
	mail, err := c.Mail(t.Context())
	if err != nil || len(mail) != 1 || mail[0].Content != "hi" {
		t.Errorf("the mail is %+v, %v", mail, err)
	}
}

// TestARepairThatIsCutLosesNothing has the power fail at each operation of a repair, which is repeated then.
func TestARepairThatIsCutLosesNothing(t *testing.T) {
	for _, unsynced := range []disktest.Unsynced{disktest.Lost, disktest.Torn, disktest.Holes} {
		for n := 1; ; n++ {
			home := t.TempDir()
			fs := disktest.New(home, -1)
			s := contexts.CrashStore(t, home, fs)
			active := filepath.Join(s.Layout().Directory("work"), "transcript", "active.jsonl")
			c := openContext(t, s, "work")
			said := c.Append(contexts.UserMessage("ann", "work", "one"))
			if err := cmp.Or(said, disk.Append(fs, active, []byte("precious\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
			fs.Cut(fs.Ops() + n)
			_, _ = contexts.Check(t.Context(), s.Store, contexts.Checking{Damaged: func(string) {},
				SetAside: func(contexts.Aside) {}})
			if !fs.Failed() {
				break
			}
			after := fs.AfterCrash(unsynced)
			s = contexts.CrashStore(t, home, after)
			asides, damage := checkFiles(t, s.Store)
			kept := s.Layout().SetAside("work")
			list, err := after.ReadDir(kept)
			if err != nil || len(list) != 1 || len(damage) > 0 || len(asides) > 1 {
				t.Fatalf("%s, cut at %d: %v, %v; set aside %+v, damaged %q", unsynced, n, list, err, asides, damage)
			}
			data, err := disk.ReadFile(after, filepath.Join(kept, list[0].Name()), 1000)
			window, failed := openContext(t, s, "work").Window(t.Context())
			if err != nil || failed != nil || string(data) != "precious\n" ||
				contexttest.Contents(contexts.Messages(window)) != "one" {
				t.Errorf("%s, cut at %d: %q, %v; %v, %v", unsynced, n, data, err, window, failed)
			}
		}
	}
}
