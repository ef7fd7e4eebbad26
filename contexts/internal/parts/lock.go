package parts

import (
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/store"
)

// ErrLost is the cause of the end of the context.Context from Lock if the lock was
// lost: another process may use the context now.
var ErrLost = store.ErrLost

// LockedError reports that another process uses a context.
type LockedError struct {
	Context string
	// Holder is the process that uses it, as far as is known.
	Holder Holder
	// Expires is when the lock ends if its holder does not renew it, as a living holder
	// does; zero for locks that end with their process.
	Expires time.Time
}

// Holder is a process that uses a context.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	// User is who started it, in a store that many machines share.
	User string `json:"user,omitempty"`
}

// Error returns who uses the context and what to do.
func (e *LockedError) Error() string {
	until := ""
	if !e.Expires.IsZero() {
		left := max(0, time.Until(e.Expires)).Round(time.Second)
		until = fmt.Sprintf(", and free in %s if that process is gone", left)
	}
	return fmt.Sprintf("context %q is in use by %s%s; wait for it (--wait), or use another context (-C NAME)",
		e.Context, e.Holder, until)
}

// String returns the holder for people.
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	by := ""
	if h.User != "" {
		by = " of " + h.User
	}
	clock := ""
	if here, _ := os.Hostname(); here != h.Host {
		clock = " by its clock"
	}
	return fmt.Sprintf("process %d%s on %s since %s%s", h.PID, by, h.Host, h.Since.Local().Format(time.DateTime), clock)
}

// TakenError reports that the context was taken over by another process while this one
// held its lock: the lock had ended, as it does on a machine that sleeps or is cut off.
// Nothing of the operation was stored.
type TakenError struct {
	Context string
	// By is the process that took it over, as far as is known.
	By Holder
}

// Error says who took the context over.
func (e *TakenError) Error() string {
	return fmt.Sprintf("context %q was taken over by %s; chibi keeps everything that it stored until "+
		"then", e.Context, e.By)
}

// UnsentError reports entries that could not be stored in time in a store that many
// machines share. They are kept in a file, and the next run on this machine stores them if
// nothing else has happened in the context.
type UnsentError struct {
	Context string
	// Path is the file.
	Path string
	// Err is why they could not be stored.
	Err error
}

// Error names the file.
func (e *UnsentError) Error() string {
	return fmt.Sprintf("%v; chibi keeps the entries for context %q in %s, and the next run on this machine stores "+
		"them if nothing else has happened there", e.Err, e.Context, e.Path)
}

// Unwrap returns why the entries could not be stored.
func (e *UnsentError) Unwrap() error { return e.Err }

// ThisProcess returns this process as the holder of a lock that is taken now.
func ThisProcess(now time.Time) Holder {
	host, _ := os.Hostname()
	return Holder{PID: os.Getpid(), Host: host, Since: now.UTC().Truncate(time.Second)}
}

// Patience is how long to wait for a lock.
type Patience int

const (
	// NoPatience gives up at once.
	NoPatience Patience = iota
	// ShortPatience outlasts processes that only check whether a context is in use,
	// which hold its lock for an instant.
	ShortPatience
	// Endless waits until the caller's context ends.
	Endless
)
