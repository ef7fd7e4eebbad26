// Package jobs knows the processes that a model's commands left running: by the ids of their sessions while
// the run lasts, and by a variable in the environment of each process also after it.
package jobs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Variable names the variable that commands of a model have. Its value is the id of the chibi that runs them.
const Variable = "CHIBI_JOB"

// Job is a process that a command of a model has started.
type Job struct {
	// PID is its id, Session the id of its session.
	PID, Session int
	// Run is the id of the chibi whose command started it.
	Run string
	// Command is its command line, Dir its working directory, "" if that is not known.
	Command, Dir string
	// Started is when it started.
	Started time.Time

	parent int
}

// Sessions are sessions in which the commands of a run have left something. The zero value is empty,
// and safe for concurrent use.
type Sessions struct {
	mu     sync.Mutex
	list   []int
	hasRun bool
}

// Add adds the session of a command that has ended, 0 if it has left nothing there.
func (s *Sessions) Add(session int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasRun = true
	if session != 0 {
		s.list = append(s.list, session)
	}
}

// Take returns the sessions, and whether a command has run, and forgets both.
func (s *Sessions) Take() (list []int, hasRun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, hasRun = s.list, s.hasRun
	s.list, s.hasRun = nil, false
	return list, hasRun
}

// Pair returns the variable with its value, for the environment of the commands of this process.
func Pair() string { return Variable + "=" + strconv.Itoa(os.Getpid()) }

// Left lists what commands of this process have left running.
func Left() []Job {
	list, _ := List() // where nobody can list them, nobody knows
	return slices.DeleteFunc(list, func(j Job) bool { return Variable+"="+j.Run != Pair() })
}

// NotFoundError says that no command of a model started a process.
type NotFoundError struct{ PID int }

// Error says where the ids are.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no command of a model has started process %d, or it has ended; chibi jobs lists them", e.PID)
}

// End ends a job with what it has started and what is in its session: with SIGTERM, and with
// SIGKILL what does not end until ctx ends.
func End(ctx context.Context, pid int) error {
	list, err := all()
	if err != nil {
		return err
	}
	wanted := map[int]bool{}
	session := 0
	for _, j := range list {
		if j.PID == pid {
			wanted[pid], session = true, j.Session
		}
	}
	if session == 0 {
		return &NotFoundError{pid}
	}
	for before := -1; before != len(wanted); {
		before = len(wanted)
		for _, j := range list {
			if wanted[j.parent] || j.Session == session {
				wanted[j.PID] = true
			}
		}
	}
	return end(ctx, wanted)
}

// List lists the jobs without what they have started themselves, the oldest first.
func List() ([]Job, error) {
	list, err := all()
	ids := map[int]bool{}
	for _, j := range list {
		ids[j.PID] = true
	}
	var roots []Job
	for _, j := range list {
		if !ids[j.parent] {
			roots = append(roots, j)
		}
	}
	return roots, err
}
