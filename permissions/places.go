package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/private"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
)

// file is a path as it was named, and as it is with all links resolved.
type file struct{ named, real string }

// places are the directories that rules, defaults and protections are about. Each list has
// its directories as they are named and with links resolved.
type places struct {
	base       []string // where patterns begin
	home       []string // the person's home
	chibiHome  []string
	roots      []string // where files are read without a question
	writeRoots []string // where edits can be accepted
	dir        string   // where chibi was started
	protected  func() *protectedIndex
}

func newPlaces(s Settings) places {
	p := places{home: bothWays(s.UserHome), chibiHome: bothWays(s.ChibiHome), base: bothWays(s.Root), dir: s.Dir}
	if s.Root == "" {
		p.base = bothWays(s.Dir)
	}
	p.protected = newProtectedIndex(p.home)
	p.roots = bothWays(append([]string{s.Root}, s.ReadRoots...)...)
	p.writeRoots = bothWays(append([]string{s.Root}, s.WriteRoots...)...)
	return p
}

// bothWays returns directories as they are named and with links resolved.
func bothWays(list ...string) (dirs []string) {
	for _, dir := range list {
		if dir == "" {
			continue
		}
		dir = filepath.Clean(dir)
		dirs = append(dirs, dir)
		if real := Real(dir); real != dir {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

func isIn(dirs []string, f file) bool {
	below := func(name string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return disk.IsBelow(dir, name) })
	}
	return f.named != "" && f.real != "" && below(f.named) && below(f.real)
}

// either reports whether a rule's pattern matches one of the paths of a file, under whatever
// spelling.
func (p *places) either(rule *rule, f file) bool {
	return p.matches(rule.path, f.named, sameFolded) || f.real != f.named && p.matches(rule.path, f.real, sameFolded)
}

// both reports whether a rule's pattern matches both paths of a file, as written.
func (p *places) both(rule *rule, f file) bool {
	return rule.notPath == nil && p.matches(rule.path, f.named, sameName) && p.matches(rule.path, f.real, sameName)
}

func (p *places) matches(pattern pathPattern, name string, same func(pattern, name string) bool) bool {
	bases := p.base
	switch pattern.anchor {
	case atHome:
		bases = p.home
	case atFileSystem:
		bases = []string{string(filepath.Separator)}
	}
	return slices.ContainsFunc(bases, func(base string) bool {
		parts, ok := partsBelow(base, name)
		return ok && pattern.match(parts, same)
	})
}

func (p *places) protect(f file) Judgement {
	if why := p.protection(f); why != "" {
		return Judgement{Decision: Ask, By: "the protection of files that others run or trust", Reason: why, Protected: true}
	}
	return Judgement{}
}

// protection says why a file is protected against writing; "" if it is not.
func (p *places) protection(f file) string {
	for _, name := range []string{f.named, f.real} {
		if p.isInHome(name) {
			return fmt.Sprintf("%s is in chibi's home", name)
		}
		if e, found := p.protected().find(name); found {
			return fmt.Sprintf("%s is protected, as everything in %s: %s", name, e.name, e.why)
		}
	}
	if repository := bareRepository(f.real); repository != "" {
		return fmt.Sprintf("%s is in the repository %s, whose hooks and settings git runs", f.real, repository)
	}
	return ""
}

// isInHome reports whether a path is in chibi's home, on file systems that ignore case too.
func (p *places) isInHome(name string) bool {
	return slices.ContainsFunc(p.chibiHome, func(dir string) bool {
		return disk.IsBelow(dir, name) || disk.IsBelow(fold(dir), fold(name))
	})
}

func (p *places) isPrivate(name string) bool {
	return p.isInHome(name) && private.IsName(fold(name))
}

// neverRead denies reading chibi's keys, settings and approvals by their names. Tools that
// open files also compare the opened files.
func (p *places) neverRead(f file) Judgement {
	for _, name := range []string{f.named, f.real} {
		if p.isPrivate(name) {
			return Judgement{Decision: Deny, By: "chibi",
				Reason: fmt.Sprintf("%s holds keys, settings or approvals of chibi, which tools never read", name)}
		}
	}
	return Judgement{}
}

// absolute returns the path that a word of a command names in a directory, not cleaned, and
// false if that is only known when the line runs.
func (p *places) absolute(w commandline.Word, dir string) (string, bool) {
	text := w.Text
	rest, ok := strings.CutPrefix(text, string(commandline.Tilde))
	if ok && len(p.home) > 0 && (rest == "" || rest[0] == '/') {
		text = p.home[0] + rest
	}
	if text == "" || !(commandline.Word{Text: text}).IsStatic() {
		return "", false
	}
	return absolutePath(text, dir), dir != "" || filepath.IsAbs(text)
}
