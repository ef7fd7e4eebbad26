package plugins

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin/native"
)

// target is a plugin that is to be checked: an entry of the plugins directory, a path
// that is checked as if it were copied there, or a hook of another program.
type target struct {
	name    string
	path    string // what takes the place of the entry; "": nothing
	foreign bool
	absent  string // why there is nothing to check
	remark  string // why it is not used as it is
}

func findTarget(s *app.Session, name string) (target, error) {
	dir := s.Loader().Dir()
	full, err := filepath.Abs(name)
	entry := filepath.Join(dir, name)
	switch {
	case err != nil:
		return target{}, err
	case isForeign(name) && !disk.IsTaken(entry) && !disk.IsTaken(full):
		return target{name: name, foreign: true}, nil
	case !strings.Contains(name, "/") && disk.IsTaken(entry):
		full = entry
	case !strings.Contains(name, "/") && disk.IsTaken(entry+native.DisabledSuffix):
		full = entry + native.DisabledSuffix
	case !disk.IsTaken(full):
		why := fmt.Sprintf("there is no plugin %q in %s, and there is no file %s", name, dir, full)
		return target{name: filepath.Base(full), path: full, absent: why}, nil
	}
	t := target{name: filepath.Base(full), path: full}
	if filepath.Dir(full) == filepath.Clean(dir) {
		t.path = "" // it is there already
	}
	_, left := native.Find(s.Loader().Native(), t.name)
	if left != nil && left.Disabled && (t.path == "" || strings.HasSuffix(t.name, native.DisabledSuffix)) {
		t.name, t.path = strings.TrimSuffix(t.name, native.DisabledSuffix), full
		t.remark = fmt.Sprintf("it is not used: %s; it was checked as if it were enabled (chibi plugin enable %s)",
			left.Reason, term.ShellWord(t.name))
	}
	return t, nil
}
