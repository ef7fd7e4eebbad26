package kodelet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// answers remembers what hooks have answered to `hook`.
type answers struct {
	mu    sync.Mutex
	path  string
	known map[string]known // by the hook's path
	fresh bool             // something is not on disk yet
}

// known is one answer, and the file that gave it.
type known struct {
	Event string `json:"event"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime_ns"`
	Mode  string `json:"mode"`
	Hash  string `json:"sha256"`
}

// readAnswers reads a file of answers; whatever is wrong with it, hooks are
// just asked again.
func readAnswers(path string) *answers {
	a := &answers{path: path, known: map[string]known{}}
	if path == "" {
		return a
	}
	if data, err := disk.ReadFile(disk.OS{}, path, maxAnswersFile); err == nil &&
		strictjson.Decode(data, &a.known) != nil || a.known == nil {
		a.known = map[string]known{}
	}
	return a
}

// save keeps new answers, of hooks that there still are.
func (a *answers) save() error {
	if a.path == "" || !a.fresh {
		return nil
	}
	for path := range a.known {
		if _, err := os.Stat(path); err != nil {
			delete(a.known, path)
		}
	}
	data, err := json.MarshalIndent(a.known, "", "  ")
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, a.path, append(data, '\n'), 0o600)
}

// eventOf is a hook's event: the one that it gave when it was as it is now, or
// what it answers.
func (a *answers) eventOf(ctx context.Context, opts Options, file executable) (event, error) {
	now, err := identify(file.path)
	if err != nil {
		return event{}, err
	}
	a.mu.Lock()
	before, ok := a.known[file.path]
	a.mu.Unlock()
	now.Event = before.Event
	if e, isEvent := findEvent(before.Event); ok && isEvent && now == before {
		return e, nil
	}
	e, err := query(ctx, opts, file)
	if err != nil {
		return event{}, err
	}
	now.Event = e.name
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[file.path], a.fresh = now, true
	return e, nil
}

// identify describes a file as it is now.
func identify(path string) (known, error) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return known{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return known{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return known{}, err
	}
	return known{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode().String(),
		Hash: hex.EncodeToString(hash.Sum(nil))}, nil
}

// maxAnswersFile bounds the file of answers.
const maxAnswersFile = 4 << 20

// maxAnswer bounds what `hook` may print.
const maxAnswer = 64 << 10

// query runs `exe hook`.
func query(ctx context.Context, opts Options, file executable) (event, error) {
	runner := opts.Runner.WithEnv(opts.Overrides[file.name].Env)
	runner.Stderr, runner.Lender = nil, nil // its tail goes into the error
	timeout := opts.QueryTimeout
	if timeout == 0 {
		timeout = DefaultQueryTimeout
	}
	cmd := process.Command{Path: file.path, Args: []string{"hook"}, Env: file.env, Check: file.check, Timeout: timeout,
		MaxOutput: maxAnswer}
	out, err := opts.Prober.Run(ctx, oneshot.Probe{Runner: runner, Command: cmd,
		Required: opts.Overrides[file.name].Required()})
	if err == nil {
		err = out.Err()
	}
	if errors.Is(err, plugin.ErrUntrusted) {
		return event{}, err
	}
	if err != nil {
		return event{}, fmt.Errorf("asked `hook` for its event: %w", err)
	}
	name := strings.TrimSpace(string(out.Stdout))
	if e, ok := findEvent(name); ok {
		return e, nil
	}
	return event{}, fmt.Errorf("asked `hook` for its event, it answered %.60q; want one of %s", name, eventNames())
}

func eventNames() string {
	var names []string
	for _, e := range events() {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}
