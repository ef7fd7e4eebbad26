package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/keeper"
)

// plan lists the things to remove.
type plan struct {
	home     string
	isUsual  bool // the home is the one that chibi takes by itself
	agents   []withdrawn
	projects []string // settings files of projects, which stay
	// processes are the directories whose keepers end.
	processes []string
	contexts  []string
	files     []string
	yours     []string // the names in the home that stay
}

// withdrawn is an agent whose settings lose chibi's entries.
type withdrawn struct {
	bridge.Installer
	done bridge.Done
}

// isOwn reports whether chibi writes what has a name in its home, and nobody else does.
func isOwn(name string) bool {
	file, isLock := strings.CutSuffix(name, ".lock")
	names := []string{"trust.json", "pycache", "installed.json", "mcp-tokens.json", "mcp-approved.json",
		"agent-hooks.json", "said.json", "schemas.json", "mcp-tools.json", "state.json", "keeper.sock", "bridge", ".tidied"}
	return isLock && file == "config.toml" || slices.Contains(names, file) || strings.HasPrefix(name, "mcp-tokens.")
}

// isYours reports whether what has a name in the home is your work: what you wrote or said.
func isYours(name string) bool {
	return slices.Contains([]string{"config.toml", "models.toml", "plugins", "recipes", "prompts", "contexts", "unsent"},
		name)
}

// planFor finds everything, and every reason why it could not be removed.
func planFor(ctx context.Context, home string, all bool) (p plan, err error) {
	p.home = home
	for _, step := range []func(context.Context) error{p.addAgents, p.addProcesses} {
		if err := step(ctx); err != nil {
			return p, err
		}
	}
	if err := p.addFiles(all); err != nil {
		return p, err
	}
	if len(p.files) > 0 && !p.isHome() {
		return p, fmt.Errorf("chibi never worked with the home %s: it has neither the transcript of a context nor another "+
			"file that only chibi writes, so its files may belong to another program", home)
	}
	return p, nil
}

// isHome reports whether the directory is a home: the usual one, one that entries of agents or processes name, or
// one with files that only chibi writes.
func (p *plan) isHome() bool {
	marks := []string{".tidied", "state.json.lock", "config.toml.lock", "trust.json", "installed.json", "schemas.json",
		"bridge/added.json", "bridge/fired"}
	for _, name := range p.contexts {
		marks = append(marks, "contexts/"+name+"/transcript")
	}
	return p.isUsual || len(p.agents)+len(p.projects)+len(p.processes) > 0 ||
		slices.ContainsFunc(marks, func(mark string) bool { return disk.Exists(disk.OS{}, filepath.Join(p.home, mark)) })
}

func (p *plan) isEmpty() bool { return len(p.agents)+len(p.processes)+len(p.files) == 0 }

// addAgents adds the agents whose settings have entries of this home.
func (p *plan) addAgents(ctx context.Context) error {
	base, err := bridge.NewInstaller(p.home)
	if err != nil {
		return err
	}
	p.isUsual = filepath.Clean(p.home) == base.DefaultHome
	base.Scope, base.Run = engine.ScopeUser, bridge.Runner(ctx)
	added, err := bridge.Added(p.home)
	if err != nil {
		return err
	}
	for _, d := range agents.Bridges() {
		i := base
		i.Agent, i.Trial = d, true
		done, err := i.Remove()
		var none *bridge.NoPlaceError
		switch {
		case errors.As(err, &none):
			continue
		case err != nil:
			return err
		}
		if len(done.Files)+len(done.Ran) > 0 {
			i.Trial = false
			p.agents = append(p.agents, withdrawn{i, done})
		}
		added = slices.DeleteFunc(added, func(path string) bool { return slices.Contains(done.Files, path) })
	}
	p.projects = slices.DeleteFunc(added, func(path string) bool { return !filepath.IsAbs(path) })
	return nil
}

// addProcesses adds the keepers of the home and of the sessions of agents. None may be in use, and no
// run may use a context.
func (p *plan) addProcesses(ctx context.Context) error {
	places := []string{p.home}
	for _, agent := range agents.BridgeNames() {
		sessions, err := filepath.Glob(filepath.Join(p.home, "bridge", agent, "*"))
		if err != nil {
			return err
		}
		places = append(places, sessions...)
	}
	for _, dir := range places {
		status, err := keeper.StatusOf(dir)
		switch {
		case errors.Is(err, keeper.ErrNone):
		case err != nil:
			return err
		case status.Busy() > 0:
			return fmt.Errorf("a run uses kept processes of plugins in %s; end it first", dir)
		default:
			p.processes = append(p.processes, dir)
		}
	}
	files, err := contexts.Open(p.home)
	if err != nil {
		return err
	}
	if p.contexts, err = files.Names(ctx); err != nil {
		return err
	}
	for _, name := range p.contexts {
		if holder, inUse := files.Holder(ctx, name); inUse {
			return fmt.Errorf("process %d uses context %q; end it first", holder.PID, name)
		}
	}
	return nil
}

// addFiles adds what is in the home and is not yours, or everything that chibi knows.
func (p *plan) addFiles(all bool) error {
	entries, err := os.ReadDir(p.home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(p.home, e.Name())
		if !isOwn(e.Name()) && !(all && isYours(e.Name())) {
			p.yours = append(p.yours, e.Name())
			continue
		}
		if err := removable(path); err != nil {
			return err
		}
		p.files = append(p.files, path)
	}
	return nil
}

// removable returns an error if something in a tree, or the tree itself, cannot be removed.
func removable(root string) error {
	if dir := filepath.Dir(root); !disk.IsWritable(dir) {
		return fmt.Errorf("you have no permission to remove files in %s", dir)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || disk.IsWritable(path) {
			return err
		}
		return fmt.Errorf("you have no permission to remove files in %s", path)
	})
}

// carryOut removes it: first what starts chibi, last the home. note tells the person what an agent did not do.
func (p *plan) carryOut(ctx context.Context, note func(string)) error {
	for _, a := range p.agents {
		done, err := a.Remove()
		for _, text := range done.Notes {
			note(text)
		}
		if err != nil {
			return err
		}
	}
	for _, dir := range p.processes {
		if _, err := keeper.Stop(ctx, dir); err != nil && !errors.Is(err, keeper.ErrNone) {
			return err
		}
	}
	return p.removeFiles()
}

// removeAttempts bounds how often files are removed into whose directories others write.
const removeAttempts = 50

// removeFiles removes the files, and the home if nothing is left in it. An agent that runs has read its settings
// before, and chibi answers its events meanwhile.
func (p *plan) removeFiles() (err error) {
	for attempt := range removeAttempts {
		time.Sleep(time.Duration(attempt) * time.Millisecond)
		if err = p.removeOnce(); !errors.Is(err, fs.ErrExist) { // a directory is not empty
			return err
		}
	}
	return fmt.Errorf("a program still writes to the home, such as an agent that runs; end it, and run chibi uninstall "+
		"again: %w", err)
}

func (p *plan) removeOnce() error {
	for _, path := range p.files {
		if err := (disk.OS{}).RemoveAll(path); err != nil {
			return err
		}
	}
	if len(p.yours) == 0 && disk.Exists(disk.OS{}, p.home) {
		return disk.Remove(disk.OS{}, p.home)
	}
	return nil
}
