// Package confine confines the commands of the model in package sandbox.
//
// It promises that a command that cannot be confined is not run, that each run has directories
// of its own for HOME and for temporary files, and that it puts back a command's changes to
// files that other programs run or take their settings from, unless the person allows them.
package confine

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/internal/baseline"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/plugin/process"
)

// Options say how commands are confined.
type Options struct {
	Rules sandbox.Rules
	// Watched is what is looked at after commands; the directories are those that the rules
	// let them write in.
	Watched  baseline.Options
	Watchers *Watchers
	Told     Told
}

// Func returns a confined command, and a function that is called when it has ended.
type Func = func(context.Context, process.Command) (process.Command, func(context.Context) string, error)

// New returns what confines commands, and what removes their directories at the end.
func New(o Options) (Func, io.Closer) {
	rules, pinned := o.Rules.Pinned()
	o.Watched.Dirs = rules.Writable
	own, watched := &ownDirectories{}, o.Watchers.of(o.Watched, o.Told)
	confine := func(ctx context.Context, c process.Command) (process.Command, func(context.Context) string, error) {
		if pinned != nil {
			return c, nil, notRun(pinned)
		}
		c, err := own.confined(rules, c)
		if err != nil {
			return c, nil, notRun(err)
		}
		return c, watched.begin(ctx), nil
	}
	return confine, own
}

func notRun(err error) error {
	return fmt.Errorf("not run, because [tools] sandbox of the configuration is %q: %w", sandbox.Name, err)
}

// ownDirectories are the directories of a session's confined commands.
type ownDirectories struct {
	mu        sync.Mutex
	home, tmp string // "": not made yet
}

// make makes the directories, unless they are there: a session may last for longer than
// temporary files do.
func (d *ownDirectories) make() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range []*string{&d.home, &d.tmp} {
		if err == nil && (*dir == "" || !disk.IsTaken(*dir)) {
			*dir, err = makeOwn()
		}
	}
	return err
}

// makeOwn makes a directory, and returns its real path. It is resolved before commands can reach it.
func makeOwn() (string, error) {
	path, _, err := disk.MkdirTemp("chibi-sandbox-*")
	if err != nil {
		return "", err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// Close removes the directories.
func (d *ownDirectories) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range []string{d.home, d.tmp} {
		if dir != "" {
			disk.RemoveTemp(dir)
		}
	}
	d.home, d.tmp = "", ""
	return nil
}

// confined returns a command that the rules confine, with these directories for its own.
func (d *ownDirectories) confined(rules sandbox.Rules, c process.Command) (process.Command, error) {
	launcher, err := os.Executable()
	if err != nil {
		return c, err
	}
	if err := rules.Check(); err != nil {
		return c, err
	}
	if !rules.Reach(c.Dir) {
		return c, fmt.Errorf("the working directory %s is not within reach", c.Dir)
	}
	if err := d.make(); err != nil {
		return c, err
	}
	rules.Writable = append(slices.Clip(rules.Writable), d.home, d.tmp)
	c.Env = append(slices.Clip(c.Env), "HOME="+d.home, "TMPDIR="+d.tmp)
	return rules.Confined(launcher, c)
}
