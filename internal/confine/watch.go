package confine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/baseline"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Told says who hears of changes, and answers questions about them.
type Told struct {
	// Notice shows the person a sentence.
	Notice func(string)
	// Person answers questions; nil: there is no person.
	Person func() permissions.Person
	// Cache keeps what is put back, and Below names a file for people.
	Cache func() cache.Cache
	Below func(path string) string
}

// Watchers watch what commands in the sandbox must not change, for all sessions of a run: one for
// each list of directories and exceptions.
type Watchers struct {
	mu   sync.Mutex
	list map[string]*watcher
}

// of returns the watcher of what options say.
func (w *Watchers) of(options baseline.Options, told Told) *watcher {
	key := fmt.Sprintf("%q", options)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[string]*watcher{}
	}
	if w.list[key] == nil {
		w.list[key] = &watcher{to: told, options: options}
	}
	return w.list[key]
}

// End looks a last time, at the end of the run.
func (w *Watchers) End(ctx context.Context) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.list {
		one.end(ctx)
	}
}

// Close looks once more if the run did not end in the ordinary way; it asks nobody.
func (w *Watchers) Close() error {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	w.End(over)
	return nil
}

// watcher compares what is watched before and after commands. Others make the changes between them,
// unless processes are left of a command.
type watcher struct {
	to      Told
	options baseline.Options

	mu      sync.Mutex
	running int            // commands
	began   sandbox.Moment // the first one
	isLeft  bool           // a process, when the last one had ended
	watch   baseline.Watch
	before  *baseline.Baseline // nil: no command has run
	told    string             // text for the model
}

// begin looks before a command; the function that it returns looks when the command has ended.
func (w *watcher) begin(ctx context.Context) (ended func(context.Context) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.running > 0:
	case w.before == nil:
		w.began = sandbox.Now()
		w.take()
	case w.isLeft:
		w.check(ctx, "since the last command in the sandbox, whose processes still ran,")
	default:
		w.take()
	}
	w.running++
	return w.ended
}

// take takes the present files for the right ones.
func (w *watcher) take() {
	w.watch = baseline.New(w.options)
	w.before = w.watch.Take(w.before)
	w.tellSkipped(nil)
}

// tellSkipped tells the person what cannot be looked at, unless it was known.
func (w *watcher) tellSkipped(known []string) {
	skipped := slices.DeleteFunc(slices.Clone(w.before.Skipped), func(s string) bool { return slices.Contains(known, s) })
	if len(skipped) > 0 {
		w.to.Notice("not looked at after commands in the sandbox: " + few(skipped))
	}
}

// ended looks when a command has ended, and returns the text for the model.
func (w *watcher) ended(ctx context.Context) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.isLeft = sandbox.AnyLeft(w.began) // before looking: what ends now has been seen
	w.check(ctx, "a command in the sandbox")
	told := w.told
	w.told = ""
	return told
}

// end looks at the end of the run, if something may have changed since the last command.
func (w *watcher) end(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before != nil && w.isLeft {
		w.check(ctx, "after its last command, something that was still running in the sandbox")
		w.isLeft = sandbox.AnyLeft(w.began)
	}
}

// maxAsked is how often chibi asks the person about changes during its questions.
const maxAsked = 3

// check looks for changes. Those that the person does not allow are put back.
func (w *watcher) check(ctx context.Context, who string) {
	for asked := 0; ; asked++ {
		now := w.watch.Take(w.before)
		changes := w.before.Compare(now)
		if len(changes) == 0 {
			known := w.before.Skipped
			w.before = now
			w.tellSkipped(known)
			return
		}
		answer, isAsked := permissions.Answer{}, false
		if asked < maxAsked && ctx.Err() == nil {
			answer, isAsked = w.ask(ctx, changes)
		}
		if !answer.Allow {
			w.undo(changes, undoing{who: who, isAsked: isAsked, reason: answer.Reason})
			return
		}
		w.before = now // what was shown; it is looked whether that is still so
	}
}

// ask asks the person whether changes may stay; false: nobody could be asked.
func (w *watcher) ask(ctx context.Context, changes []baseline.Change) (permissions.Answer, bool) {
	person := w.to.Person()
	if person == nil {
		return permissions.Answer{}, false
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	answer, err := person.Ask(ctx, permissions.Question{
		Call: permissions.Call{
			Tool:   tools.Spec{Name: "shell_exec", Category: tools.CategoryEdit},
			Access: tools.Access{Path: strings.Join(paths, "\n"), Diff: diffOf(changes)},
		},
		Why: permissions.Judgement{Decision: permissions.Ask, By: "the sandbox", Protected: true,
			Reason: "other programs run this or take their settings from it; a command has changed it, and without a yes it " +
				"is put back"},
	})
	return answer, err == nil
}

// diffOf returns changes as a diff.
func diffOf(changes []baseline.Change) string {
	var text strings.Builder
	for _, c := range changes {
		if text.Len() < maxUndoneDiff {
			text.WriteString(c.Diff())
		}
	}
	return clip.Bytes(text.String(), maxUndoneDiff)
}

// maxUndoneDiff bounds the diff that the person is shown, in bytes.
const maxUndoneDiff = 64 << 10

// undoing says why changes are put back.
type undoing struct {
	who     string // changed it
	isAsked bool   // the person was, and said no
	reason  string // of the person
}

// The bounds of putting back what something changes again meanwhile.
const (
	maxRounds = 100
	maxUndo   = 5 * time.Second
)

// undo puts changes back, and tells the person and the model.
func (w *watcher) undo(changes []baseline.Change, why undoing) {
	items := w.keep(changes)
	found, left := changes, changes
	var problems []string
	begun, known := time.Now(), w.before.Skipped
	for round := 0; len(left) > 0 && round < maxRounds && time.Since(begun) < maxUndo; round++ {
		problems = nil
		for _, c := range left {
			if err := w.before.PutBack(c); err != nil {
				problems = append(problems, err.Error())
			}
		}
		now := w.watch.Take(w.before)
		if left = w.before.Compare(now); len(left) == 0 {
			w.before = now
		}
	}
	w.tellPerson(found, items, why)
	w.tellSkipped(known)
	said := fmt.Sprintf("put back, because other programs run it or take their settings from it: %s; only the person can "+
		"allow such a change", few(w.names(found)))
	if why.reason != "" {
		said += ", who said no: " + why.reason
	}
	if len(left) > 0 {
		w.to.Notice("could not be put back, look at it yourself: " + few(append(w.names(left), problems...)))
		said += "; not all of it could be put back"
	}
	if w.told != "" {
		said = w.told + "; " + said
	}
	w.told = said
}

// names names changes.
func (w *watcher) names(changes []baseline.Change) (list []string) {
	for _, c := range changes {
		what := c.What
		if c.Settings != nil {
			what = few(c.Settings)
		}
		list = append(list, fmt.Sprintf("%s (%s)", term.Name(w.to.Below(c.Path)), term.Visible(what)))
	}
	return list
}

// maxKept bounds the files of which a copy is kept when they are put back.
const maxKept = 20

// keep keeps what is put back in the cache, and returns the names of the changes, with where it is.
func (w *watcher) keep(changes []baseline.Change) []string {
	list := w.names(changes)
	for i, c := range changes[:min(len(changes), maxKept)] {
		if c.Data() == nil {
			continue
		}
		if entry, err := w.to.Cache().PutText("shell_exec", []byte(c.Path), string(c.Data())); err == nil {
			list[i] += ", kept as " + entry.ID
		}
	}
	return list
}

// shownLines is how many lines of a diff a notice has.
const shownLines = 20

// tellPerson tells the person what was put back, with a part of the diff unless they have seen it.
func (w *watcher) tellPerson(changes []baseline.Change, items []string, why undoing) {
	text := fmt.Sprintf("%s changed files that other programs run or take settings from; chibi put them back: %s", why.who,
		few(items))
	if !why.isAsked {
		lines := strings.Split(strings.TrimSuffix(diffOf(changes), "\n"), "\n")
		for i, line := range lines {
			if i == shownLines {
				text += fmt.Sprintf("\n  [%d more lines]", len(lines)-i)
				break
			}
			text += "\n  " + clip.Bytes(term.Visible(line), 200)
		}
	}
	w.to.Notice(text)
}

// few joins a list of which only the first are named.
func few(list []string) string {
	const most = 10
	if n := len(list); n > most {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(list, ", ")
}
