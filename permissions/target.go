package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/permissions/internal/commandline"
)

// maxDirs is how many working directories of a line are tried for one target.
const maxDirs = 16

// dirs returns the directories in which commands of the line may run, and whether these
// are all.
func (r commandRules) dirs() (dirs []string, complete bool) {
	dirs = []string{r.call.Access.Dir}
	if dirs[0] == "" {
		dirs[0] = r.Rules.dir
	}
	for _, move := range r.line.Moves {
		for _, dir := range slices.Clone(dirs) {
			to, ok := r.absolute(move, dir)
			if !ok || len(dirs) == maxDirs {
				return dirs, false
			}
			readings := []string{filepath.Clean(to)}
			if r.line.Physical {
				readings = append(readings, Real(to))
			}
			for _, to := range readings {
				if !slices.Contains(dirs, to) {
					dirs = append(dirs, to)
				}
			}
		}
	}
	return dirs, !r.line.Lost
}

// files returns the files that a target of a redirection can be, and whether these are all.
func (r commandRules) files(w commandline.Word) (files []file, complete bool) {
	dirs, complete := r.dirs()
	switch {
	case filepath.IsAbs(w.Text):
		dirs, complete = dirs[:1], true
	case strings.HasPrefix(w.Text, string(commandline.Tilde)):
		dirs, complete = dirs[:1], !r.line.Lost
	}
	for _, dir := range dirs {
		name, ok := r.absolute(w, dir)
		if !ok || isOwnView(name) {
			return files, false
		}
		files = append(files, file{filepath.Clean(name), Real(name)})
	}
	return files, complete
}

// isOwnView reports whether a path means something else to each process.
func isOwnView(name string) bool {
	return strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/dev/fd/")
}

// isNoFile reports whether a target is not a file of the disk, so that no rule is needed.
func isNoFile(w commandline.Word) bool {
	return isHarmlessDevice(w.Text) || strings.HasPrefix(w.Text, "/dev/fd/") &&
		strings.Trim(w.Text[len("/dev/fd/"):], "0123456789") == ""
}

// targets judges the files that redirections open: as writes and reads that the rules may
// deny, and that may be protected.
func (r commandRules) targets() Judgement {
	var list []Judgement
	for _, w := range r.line.Writes {
		if !isNoFile(w) {
			list = append(list, r.target(w, true))
		}
	}
	for _, w := range r.line.Reads {
		if !isNoFile(w) {
			list = append(list, r.target(w, false))
		}
	}
	return Strictest(list...)
}

// target judges a file that a redirection opens.
func (r commandRules) target(w commandline.Word, isWritten bool) Judgement {
	files, complete := r.files(w)
	var list []Judgement
	for _, f := range files {
		forbidden := r.Rules.lists.forbidden(func(rule *rule) certainty { return r.concernsTarget(rule, f, isWritten) })
		if forbidden.Decision != Undecided && forbidden.Reason == "" {
			forbidden.Reason = fmt.Sprintf("it redirects %s", f.named)
		}
		if isWritten {
			list = append(list, forbidden, r.protect(f))
		} else {
			list = append(list, forbidden, r.neverRead(f))
		}
	}
	if !complete && isWritten {
		list = append(list, Judgement{Decision: Ask, By: "the examination of commands", Reason: fmt.Sprintf("which file %s "+
			"writes is only known when it runs", w)})
	}
	return Strictest(list...)
}

// concernsTarget returns how sure it is that a rule that denies or asks is about a file
// that a redirection opens.
func (r commandRules) concernsTarget(rule *rule, f file, isWritten bool) certainty {
	applies := rule.forbidsReading()
	if isWritten {
		applies = rule.forbidsTargets()
	}
	switch {
	case !applies:
		return no
	case rule.isBare():
		return certain
	case rule.notPath != nil:
		return possible
	case r.either(rule, f):
		return certain
	}
	return no
}

// allowsTargets reports whether the rules allow writing all targets of redirections.
func (r commandRules) allowsTargets() bool {
	return !slices.ContainsFunc(r.line.Writes, func(w commandline.Word) bool {
		if isNoFile(w) {
			return false
		}
		files, complete := r.files(w)
		return !complete || slices.ContainsFunc(files, func(f file) bool { return !r.allowsTarget(f) })
	})
}

func (r commandRules) allowsTarget(f file) bool {
	if r.acceptEdits && isIn(r.writeRoots, f) {
		return true
	}
	return slices.ContainsFunc(r.Rules.lists.allow, func(rule *rule) bool {
		return rule.allowsTargets() && (rule.allowsAllFiles() || r.both(rule, f))
	})
}
