package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/uuid"
)

// The bounds of hooks in the background: how many a session has, how long one may take, and how long one may go on
// after its session has ended.
const (
	maxBehind  = 32
	maxJob     = maxPayload + 1<<20 // bytes: the agent's payload, and the job
	behindFor  = time.Hour
	behindLook = 100 * time.Millisecond
)

// behindJob is a file in a session's directory, for a hook that a separate process asks in the background. The
// process ends when the file is gone.
type behindJob struct {
	Agent string `json:"agent"`
	Event string `json:"event"`
	// Session is the name of the session's directory, Run its id in the trace.
	Session string    `json:"session"`
	Run     string    `json:"run"`
	Job     hooks.Job `json:"job"`
}

// behindDir is the directory of these files.
func behindDir(session string) string { return filepath.Join(session, "behind") }

// startBehind starts a separate process that asks a hook.
func (r *run) startBehind(job hooks.Job) error {
	if r.unusable != nil {
		return r.unusable
	}
	dir := behindDir(r.bridge.Dir(r.session.Home))
	if n := countBehind(dir); n >= maxBehind {
		return fmt.Errorf("%d hooks of the session run in the background, and at most %d do", n, maxBehind)
	}
	text, err := strictjson.Encode(behindJob{r.Agent.Name, r.Name, r.bridge.Session, r.bridge.Run, job})
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(disk.OS{}, dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, uuid.NewString())
	if err = disk.WritePrivate(path, text); err != nil {
		_ = disk.OS{}.Remove(path) // it may be a part of it
		return err
	}
	if r.state().Phase == ended { // in the meantime: the event that ended it has not seen the file
		err = errEnded
	} else {
		err = r.Start(r.Name, path)
	}
	if err != nil {
		_ = disk.OS{}.Remove(path)
	}
	return err
}

// countBehind counts the hooks that run in the background. It removes the files of killed processes.
func countBehind(dir string) int {
	jobs, _ := os.ReadDir(dir)
	return len(slices.DeleteFunc(jobs, func(e os.DirEntry) bool {
		info, err := e.Info()
		isOver := err != nil || time.Since(info.ModTime()) > behindFor+Limit
		if isOver {
			_ = disk.OS{}.Remove(filepath.Join(dir, e.Name()))
		}
		return isOver
	}))
}

// Finish asks the hook of the job at a path, until the file is gone, and keeps the answer in the session. The
// options open the home.
func Finish(ctx context.Context, path string, opts app.Options) error {
	text, err := disk.ReadFile(disk.OS{}, path, maxJob)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the session has ended
	}
	if err != nil {
		return err
	}
	var j behindJob
	if err := strictjson.Decode(text, &j); err != nil {
		return fmt.Errorf("%s is not a job: %w", path, err)
	}
	agent, known := agents.ByName(j.Agent)
	if !known {
		return fmt.Errorf("%s is a job of the agent %q, which chibi does not know", path, j.Agent)
	}
	defer func() { _ = disk.OS{}.Remove(path) }()
	ctx, cancel := context.WithTimeout(ctx, behindFor)
	defer cancel()
	go endWith(ctx, path, cancel)
	r := &run{Event: Event{Agent: agent, Name: j.Event, Options: opts}, job: path}
	r.home, _ = app.Home(opts.Home) // as in Answer
	r.event, _ = agent.Event(j.Event)
	r.bridge = app.Bridge{Agent: agent.Name, Session: j.Session, Run: j.Run, Until: time.Now().Add(behindFor)}
	if r.session, err = r.open(ctx); err != nil {
		return err
	}
	defer r.session.Close()
	if filepath.Dir(filepath.Clean(path)) != behindDir(r.bridge.Dir(r.session.Home)) {
		return fmt.Errorf("%s is not a job of a session of this home", path)
	}
	plugins := r.session.Loaded.Plugins
	n := slices.IndexFunc(plugins, func(p plugin.Plugin) bool { return p.Name == j.Job.Hook })
	if n < 0 {
		return fmt.Errorf("the hook %q no longer exists", j.Job.Hook)
	}
	return hooks.Finish(ctx, plugins[n], j.Job)
}

// endWith ends the work for a file when the file is gone.
func endWith(ctx context.Context, path string, end func()) {
	look := time.NewTicker(behindLook)
	defer look.Stop()
	for ctx.Err() == nil {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			end()
		}
		select {
		case <-look.C:
		case <-ctx.Done():
		}
	}
}

// keeping keeps what hooks of an agent leave for later events in the session's state.
func (r *run) keeping(agent string) *hooks.Keeping {
	if r.bridge.Run == noSession { // of several sessions, maybe
		return &hooks.Keeping{Read: func() hooks.Remembered { return hooks.Remembered{} },
			Change: func(step func(*hooks.Remembered)) error {
				step(&hooks.Remembered{})
				return nil
			}}
	}
	k := &hooks.Keeping{
		Read: func() hooks.Remembered { return r.state().Hooks[agent] },
		Change: func(step func(*hooks.Remembered)) error {
			if r.isForgotten.Load() {
				return nil
			}
			return r.change(func(s *state) error {
				if s.Hooks == nil {
					s.Hooks = map[string]hooks.Remembered{}
				}
				one := s.Hooks[agent]
				step(&one)
				s.Hooks[agent] = one
				return nil
			})
		},
		Hears: slices.ContainsFunc(r.event.Rows, func(row engine.Row) bool {
			return row.Set == engine.SetContext && !row.Reads
		}),
	}
	if r.Start != nil && r.event.Kind != engine.SessionEnd { // these would end at once
		k.Start = r.startBehind
	}
	return k
}

// forget ends the hooks that run in the background and removes what hooks and entries left, because the session has
// ended.
func (r *run) forget() {
	if r.unusable != nil {
		return
	}
	r.isForgotten.Store(true)
	_ = disk.OS{}.RemoveAll(behindDir(r.bridge.Dir(r.session.Home))) // the time limit ends the rest
	_ = disk.OS{}.RemoveAll(askedDir(r.bridge.Dir(r.session.Home)))
	if left := r.state(); len(left.Hooks) == 0 && len(left.Verdicts) == 0 {
		return
	}
	err := r.change(func(s *state) error {
		s.Hooks, s.Verdicts = nil, nil
		return nil
	})
	if err != nil { // the disk may be full
		err = disk.OS{}.Remove(r.stateFile().Path)
	}
	if err != nil {
		r.told.say("chibi cannot remove what hooks left in the session: " + err.Error())
	}
}
