package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/plugin/process"
)

// Sandbox returns the rules by which commands of the model are confined; false: they are not.
func Sandbox(s *Session) (rules sandbox.Rules, on bool) {
	if s.Config.Tools.Sandbox != sandbox.Name {
		return rules, false
	}
	rules = sandbox.Rules{Writable: project.FullPaths(s.Config.FileToolsWritePaths),
		Readable: project.FullPaths(s.Config.FileToolsAllowedPaths), Private: []string{s.Home}}
	if root := s.Project.ToolRoot(); root != "" {
		rules.Writable = append(rules.Writable, root)
	}
	return rules, true
}

// confinement returns what confines the commands of a session, nil if nothing does. They have
// directories of their own for HOME and for temporary files, which live as long as the session.
func confinement(s *Session) confine {
	rules, on := Sandbox(s)
	if !on {
		return nil
	}
	rules, pinned := rules.Pinned()
	own, watched := &ownDirectories{}, s.watchers.of(s, rules.Writable)
	s.closers = append(s.closers, own)
	return func(ctx context.Context, c process.Command) (process.Command, func(context.Context) string, error) {
		launcher, err := os.Executable()
		if err == nil {
			err = pinned
		}
		if err == nil {
			err = rules.Check()
		}
		if err == nil && !rules.Reach(c.Dir) {
			err = fmt.Errorf("the working directory %s is not within reach", c.Dir)
		}
		if err == nil {
			err = own.make()
		}
		if err == nil {
			inside := rules
			inside.Writable = append(slices.Clip(inside.Writable), own.home, own.tmp)
			c.Env = append(slices.Clip(c.Env), "HOME="+own.home, "TMPDIR="+own.tmp)
			c, err = inside.Confined(launcher, c)
		}
		if err != nil {
			return c, nil, fmt.Errorf("not run, because [tools] sandbox of the configuration is %q: %w", sandbox.Name, err)
		}
		return c, watched.begin(ctx), nil
	}
}

// confine returns a confined command, and what is called when it has ended.
type confine = func(context.Context, process.Command) (process.Command, func(context.Context) string, error)

// ownDirectories are those of a session's confined commands.
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
