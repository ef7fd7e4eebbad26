package oneshot

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// Memory remembers how executables described themselves, and how they failed. It decides by the identity of a file
// and by time which answers still hold; it does not know what an answer means. It must be safe for concurrent use.
type Memory interface {
	// Recall returns the remembered answer, if it may be used in place of a question to the file.
	Recall(f File) (Known, bool)
	// Begin is called right before a question to a file. The function that it returns is
	// called with the answer, and remembers it if that is possible.
	Begin(f File) (remember func(Answer) Effect)
	// Forget is called when the remembered answer must not be used any longer.
	Forget(f File)
	// Due reports whether the remembered answer should be checked when there is time for it.
	Due(f File) Due
	// Guards lists the entries of a plugins directory that must be there: they were there at
	// the last look at the directory, and said that their failure blocks.
	Guards(dir string) (names []string)
	// KeepGuards replaces them.
	KeepGuards(dir string, names []string)
}

// Due says why a remembered answer should be checked. Lower values are more urgent.
type Due int

// The reasons.
const (
	NotDue Due = iota
	// Unconfirmed answers were not confirmed often enough.
	Unconfirmed
	// Old answers were not confirmed for a while.
	Old
	// Failed executables may answer now.
	Failed
)

// File is an executable that describes itself.
type File struct {
	// Path is the path that is executed.
	Path string
	// Info describes the file as it was found, with links followed; nil: it is looked up.
	Info fs.FileInfo
	// Folder is the directory whose contents belong to the executable; "": none.
	Folder string
	// Question is the argument that asks for the description.
	Question string
}

// Answer is what an executable answered, or how it failed.
type Answer struct {
	// Stdout is what it printed.
	Stdout []byte
	// Never is true if it must not be used in place of a question.
	Never bool
	// Failure is the text of its error; "": it did not fail.
	Failure string
	// Waited is the time limit that it exceeded; 0: it did not hang.
	Waited time.Duration
	// Took is how long it ran.
	Took time.Duration
}

// Known is an answer that is remembered.
type Known struct {
	Answer
	// Age is how long ago the answer was given, Until is how long a failure is remembered.
	Age   time.Duration
	Until time.Time
	// Checks is how many times in a row it was confirmed.
	Checks int
}

// Effect is what an answer did to a memory.
type Effect struct {
	// Until is how long a failure is remembered; zero: it is not.
	Until time.Time
	// Changed is true if the answer differs from the remembered one, although the file is the same.
	Changed bool
}

// Rules are the answer's own rules for remembering it.
type Rules struct {
	// Never forbids it.
	Never bool
	// Blocks is true if the executable's failure blocks: its answer is used only after
	// it was confirmed a few times.
	Blocks bool
}

// confirmed is how many times the answer of an executable whose failure blocks must have
// been confirmed before it is used.
const confirmed = 3

// uses reports whether a remembered answer may be used instead of asking.
func (p Probe) uses(known Known, rules Rules) bool {
	return !rules.Never && (known.Checks >= confirmed || !rules.Blocks && !p.Required)
}

// skips reports whether to leave out the executable because it failed recently.
func (p Probe) skips(known Known) bool {
	return known.Failure != "" && !p.Required && (known.Waited == 0 || p.Command.Timeout <= known.Waited)
}

// failure is the error of an executable that is left out.
func (k Known) failure() error {
	return fmt.Errorf("%s (%s ago); %s", k.Failure, ageText(k.Age), whenAgain(k.Until, k.Waited > 0))
}

// failed describes a failure that may be remembered; ok is false if it says nothing about
// the executable: it could not be started, was interrupted, or was ended by a signal.
func failed(out process.Outcome, err error, limit time.Duration) (a Answer, ok bool) {
	switch {
	case errors.Is(err, process.ErrTimeout):
		return Answer{Waited: limit}, true
	case err != nil:
		return a, errors.Is(err, process.ErrOutputLimit)
	}
	return a, out.Exit > 0
}

// whenAgain says when chibi asks an executable that failed again.
func whenAgain(until time.Time, hung bool) string {
	text := fmt.Sprintf("asked again after %s, by chibi plugin list, or when its file changes",
		until.Local().Format("15:04"))
	if hung {
		text += " or plugins.probe_timeout_ms is raised"
	}
	return text
}

func ageText(age time.Duration) string {
	if age < time.Minute {
		return fmt.Sprintf("%d s", age/time.Second)
	}
	return fmt.Sprintf("%d min", age/time.Minute)
}

// NoMemory remembers nothing.
type NoMemory struct{}

// Recall finds nothing.
func (NoMemory) Recall(File) (Known, bool) { return Known{}, false }

// Begin returns a function that does nothing.
func (NoMemory) Begin(File) func(Answer) Effect { return func(Answer) Effect { return Effect{} } }

// Forget does nothing.
func (NoMemory) Forget(File) {}

// Due reports that nothing is due.
func (NoMemory) Due(File) Due { return NotDue }

// Guards lists nothing.
func (NoMemory) Guards(string) []string { return nil }

// KeepGuards does nothing.
func (NoMemory) KeepGuards(string, []string) {}
