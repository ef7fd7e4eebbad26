package kodelet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// eventCache keeps what hooks answered to `hook`. It is safe for concurrent use.
type eventCache struct {
	file  jsonfile.File
	known map[string]known // by path of the hook

	mu    sync.Mutex
	fresh map[string]known // not on disk yet
}

// known is one answer, with the identity of the file that gave it.
type known struct {
	Event string `json:"event"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime_ns"`
	Mode  string `json:"mode"`
	Hash  string `json:"sha256"`
}

// readAnswers reads the cache. If the file cannot be read or is damaged, the hooks are
// asked again.
func readAnswers(path string) *eventCache {
	c := &eventCache{file: jsonfile.File{Path: path, Max: maxAnswersFile}, fresh: map[string]known{}}
	if path != "" {
		c.known, _ = jsonfile.Read[map[string]known](c.file)
	}
	return c
}

// save writes new answers, without those of hooks that no longer exist.
func (c *eventCache) save() error {
	if c.file.Path == "" || len(c.fresh) == 0 {
		return nil
	}
	return jsonfile.Update(c.file, func(all *map[string]known) error {
		kept := map[string]known{}
		maps.Copy(kept, *all)
		maps.Copy(kept, c.fresh)
		maps.DeleteFunc(kept, func(path string, _ known) bool {
			_, err := os.Stat(path)
			return err != nil
		})
		*all = kept
		return nil
	})
}

// eventOf returns a hook's event, from the cache if the file has not changed since it
// was asked.
func (c *eventCache) eventOf(ctx context.Context, opts Options, file executable) (event, error) {
	now, err := identify(file.path)
	if err != nil {
		return event{}, err
	}
	before, ok := c.known[file.path]
	now.Event = before.Event
	if e, isEvent := findEvent(before.Event); ok && isEvent && now == before {
		return e, nil
	}
	e, err := query(ctx, opts, file)
	if err != nil {
		return event{}, err
	}
	now.Event = e.name
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh[file.path] = now
	return e, nil
}

// identify returns the identity of a file as it is now.
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

// maxAnswersFile bounds the cache, in bytes.
const maxAnswersFile = 4 << 20

// maxAnswer bounds the output of `hook`, in bytes.
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
