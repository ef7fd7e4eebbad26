package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/term/screen"
)

// The plain program has none of the commands about stores, and says which program has them.
func TestThePlainProgramSaysWhichOneHasStores(t *testing.T) {
	home := t.TempDir()
	for _, words := range []string{"init", "init --replicas 1", "status --json", "copy a b", "copy --dry-run a b", "gc",
		"check", "unlock work"} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		s := screen.New(out, out)
		p := newProgram(os.Stdin, s, (&interrupts{}).begin, Sharing{})
		err = p.run(context.Background(), append([]string{"--home", home, "store"}, strings.Fields(words)...))
		s.Close()
		if !errors.Is(err, storage.ErrPlain) || exitCode(err) != exitUsage {
			t.Errorf("store %s: %v, exit status %d", words, err, exitCode(err))
		}
	}
}
