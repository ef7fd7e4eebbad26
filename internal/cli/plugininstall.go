package cli

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

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/urfave/cli/v2"
)

func (p *program) installCommands(ctx context.Context) []*cli.Command {
	var link bool
	type action func(ctx context.Context, s *session, name string) error
	onIn := func(change func(*app.Options), do action) func(context.Context, []string) error {
		return func(ctx context.Context, args []string) error {
			s, err := p.open(ctx, app.ToRead, change)
			if err != nil {
				return err
			}
			defer s.Close()
			return do(ctx, s, args[0])
		}
	}
	on := func(do action) func(context.Context, []string) error { return onIn(nil, do) }
	return []*cli.Command{
		withExample(leaf(ctx, "install", "PATH-OR-GIT-URL",
			"copy a plugin into the plugins folder, show what it can see and do, and enable it if you agree",
			on(func(ctx context.Context, s *session, source string) error {
				return s.install(ctx, source, link)
			}), &cli.BoolFlag{Name: "link", Usage: "link to it instead of copying it", DisableDefaultText: true,
				Destination: &link}, p.yesFlag("do not ask")),
			"chibi plugin install ./my-filter", "chibi plugin install --link ~/src/my-filter",
			"chibi plugin install --yes https://example.org/my-filter.git"),
		withExample(leaf(ctx, "show", "PLUGIN", "show what a plugin can see and do, where it came from, and whether it has "+
			"changed", onIn(askAgain, func(ctx context.Context, s *session,
			name string) error {
			return s.showPlugin(ctx, name)
		}),
			p.yesFlag("do not ask")),
			"chibi plugin show my-filter"),
		withExample(leaf(ctx, "enable", "PLUGIN", "enable a plugin or hook of any protocol",
			on(func(ctx context.Context, s *session, name string) error { return s.enable(ctx, name, true) })),
			"chibi plugin enable my-filter"),
		withExample(leaf(ctx, "disable", "PLUGIN", "leave a plugin or hook out, and keep its file",
			on(func(ctx context.Context, s *session, name string) error { return s.enable(ctx, name, false) })),
			"chibi plugin disable kodelet:guard"),
		withExample(leaf(ctx, "remove", "PLUGIN", "delete a plugin's file or folder, or its link",
			on(func(ctx context.Context, s *session, name string) error { return s.removePlugin(ctx, name) }),
			p.yesFlag("do not ask")),
			"chibi plugin remove my-filter"),
	}
}

// install copies or links a plugin, disabled, and offers to enable it. Nothing of
// it runs before the person agrees.
func (s *session) install(ctx context.Context, source string, link bool) error {
	path, cleanup, err := s.fetch(ctx, source)
	if err != nil {
		return err
	}
	defer cleanup()
	name := filepath.Base(path)
	target := filepath.Join(s.Loader().Dir(), name)
	switch _, err := os.Lstat(target); {
	case err == nil:
		return alreadyThere(target)
	case link && isAddress(source):
		return usage("--link is for a path; %s is not on this machine", source)
	}
	if err := s.checkFile(path); err != nil {
		return err
	}
	if err := s.setEnabled(name, false); err != nil {
		return err
	}
	if err := s.place(path, target, source, link); err != nil {
		return err
	}
	return s.offer(ctx, name)
}

// offer shows what would run of a plugin that was installed, asks it what it can do
// if the person agrees, and enables it if they agree to that.
func (s *session) offer(ctx context.Context, name string) error {
	s.Config.Plugins.ByName[name] = config.Plugin{} // disabled, as was just noted
	if _, err := s.describePlugin(name); err != nil {
		return err
	}
	ok, err := s.askPlugin(ctx, name, false)
	if err != nil {
		return err
	}
	if ok {
		if ok, err = s.env.Confirm(ctx, "Enable it? [y/N] "); err != nil {
			return err
		}
	}
	if !ok {
		return s.say("It is installed and not enabled; enable it: chibi plugin enable %s", term.ShellWord(name))
	}
	return s.enable(ctx, name, true)
}

// fetch is the plugin's path on this machine: a repository is cloned into a
// scratch folder first.
func (s *session) fetch(ctx context.Context, source string) (path string, cleanup func(), err error) {
	cleanup = func() {}
	if _, err := os.Stat(source); err == nil {
		path, err = filepath.Abs(source)
		return path, cleanup, err
	}
	if !isAddress(source) {
		return "", cleanup, fmt.Errorf("there is no file or folder %s", source)
	}
	git, ok := s.Loader().Runner().LookPath("git")
	if !ok {
		return "", cleanup, errors.New("git is not installed; install it, or clone the plugin by other means")
	}
	folder, remove, err := disk.MkdirTemp("chibi-install-*")
	if err != nil {
		return "", cleanup, fmt.Errorf("making a scratch folder: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(source), ".git")
	path = filepath.Join(folder, name)
	runner := s.Loader().Runner()
	runner.Env = append(slices.Clone(runner.Env), "GIT_TERMINAL_PROMPT=0")
	out, err := runner.Run(ctx, process.Command{Path: git,
		Args: []string{"clone", "--quiet", "--depth", "1", "--", source, path}, Timeout: 5 * time.Minute})
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		remove()
		return "", cleanup, fmt.Errorf("cloning %s: %w", source, err)
	}
	return path, remove, nil
}

// isAddress reports whether a source is an address of a repository, not a path.
func isAddress(source string) bool {
	return strings.Contains(source, "://") || strings.HasPrefix(source, "git@")
}

// checkFile refuses what is no plugin.
func (s *session) checkFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		main := filepath.Join(path, filepath.Base(path))
		if info, err = os.Stat(main); err != nil {
			return fmt.Errorf("%s is a folder without an executable %s in it", path, filepath.Base(path))
		}
		path = main
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable; run: chmod +x %s", path, path)
	}
	return nil
}

// place copies a plugin to its place, or links it there and allows the link, and
// pins what was installed. A copy gets its name when it is whole, so that a run
// that is killed leaves no half of a plugin.
func (s *session) place(path, target, source string, link bool) error {
	if err := disk.MkdirAll(disk.OS{}, s.Loader().Dir(), 0o700); err != nil {
		return fmt.Errorf("making the plugins folder: %w", err)
	}
	temp, err := disk.TempName(target)
	if err != nil {
		return err
	}
	defer disk.OS{}.RemoveAll(temp)
	if link {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		if err := s.allowLink(path); err != nil {
			return err
		}
		err = os.Symlink(path, temp)
	} else {
		err = disk.CopyTree(path, temp)
	}
	if err != nil {
		return fmt.Errorf("copying the plugin: %w", err)
	}
	hash, err := installed.Hash(temp)
	if err != nil {
		return fmt.Errorf("reading the plugin: %w", err)
	}
	if !isAddress(source) {
		if source, err = filepath.Abs(source); err != nil {
			return err
		}
	}
	return s.reveal(temp, target, installed.Plugin{Source: source, Link: link, SHA256: hash,
		At: time.Now().UTC().Truncate(time.Second)})
}

// reveal gives a plugin its name and pins it, while nobody else does that.
func (s *session) reveal(temp, target string, pin installed.Plugin) error {
	err := installed.Change(s.Home, s.notice, func(list installed.List) error {
		if _, err := os.Lstat(target); err == nil {
			return alreadyThere(target)
		}
		list[filepath.Base(target)] = pin
		return disk.Move(disk.OS{}, temp, target)
	})
	if err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	return nil
}

func alreadyThere(target string) error {
	return fmt.Errorf("there is a plugin %s already; remove it first: chibi plugin remove %s",
		target, filepath.Base(target))
}

// editGlobal changes one key of config.toml; all else in it stays as it is.
func (s *session) editGlobal(key, value string) error {
	return s.rewriteGlobal(func(path string, data []byte) ([]byte, error) { return config.Edit(path, data, key, value) })
}

// rewriteGlobal changes the text of config.toml.
func (s *session) rewriteGlobal(edit func(path string, data []byte) ([]byte, error)) error {
	return app.ConfigFile{Path: filepath.Join(s.Home, "config.toml"), What: "the configuration"}.Rewrite(edit)
}

// setEnabled notes in the configuration that a plugin is disabled; enabled ones
// need no note.
func (s *session) setEnabled(name string, enabled bool) error {
	key := fmt.Sprintf("plugins.%s.enabled", config.Quote(name))
	if !enabled {
		return s.editGlobal(key, "false")
	}
	return s.rewriteGlobal(func(path string, data []byte) ([]byte, error) { return config.Unset(path, data, key) })
}

// isFileName reports whether a name can be that of a plugin's file in the plugins
// folder.
func isFileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// enable enables or disables a plugin of any protocol. A file that its name
// disables is told how to be enabled.
func (s *session) enable(ctx context.Context, name string, enabled bool) error {
	path := filepath.Join(s.Loader().Dir(), name)
	err, disabled := fs.ErrNotExist, fs.ErrNotExist
	if isFileName(name) {
		_, err = os.Lstat(path)
		_, disabled = os.Lstat(path + ".disabled")
	}
	switch {
	case err != nil && disabled == nil && !enabled:
		return s.say("%s is disabled by its name already", term.Name(name))
	case err != nil && disabled == nil:
		if err := os.Rename(path+".disabled", path); err != nil {
			return fmt.Errorf("enabling the plugin: %w", err)
		}
	case err != nil:
		if known, err := s.isHook(ctx, name); err != nil || !known {
			return errors.Join(err, usage("there is no plugin %q; chibi plugin list names them all", name))
		}
	}
	if err := s.setEnabled(name, enabled); err != nil {
		return err
	}
	word := map[bool]string{true: "enabled", false: "disabled"}[enabled]
	return s.say("Plugin %s is %s", term.Name(name), word)
}

// isHook reports whether there is a hook of another program of this name.
func (s *session) isHook(ctx context.Context, name string) (bool, error) {
	if !strings.Contains(name, ":") {
		return false, nil
	}
	if err := s.Load(ctx); err != nil {
		return false, err
	}
	return app.HasPlugin(s.Loaded, name), nil
}

// removePlugin deletes a plugin, if the person agrees.
func (s *session) removePlugin(ctx context.Context, name string) error {
	path := filepath.Join(s.Loader().Dir(), name)
	info, err := os.Lstat(path)
	if err != nil || !isFileName(name) {
		return usage("there is no plugin %q in %s", name, s.Loader().Dir())
	}
	question := fmt.Sprintf("Delete %s? [y/N] ", path)
	if info.Mode()&fs.ModeSymlink != 0 {
		question = fmt.Sprintf("Delete the link %s? What it leads to stays. [y/N] ", path)
	}
	if ok, err := s.env.Confirm(ctx, question); err != nil || !ok {
		return errors.Join(err, s.say("Nothing was deleted"))
	}
	if err := s.forbidLink(path); err != nil {
		return err
	}
	away, err := disk.TempName(path) // half a plugin must not be left if this is killed
	if err == nil {
		err = disk.Move(disk.OS{}, path, away)
	}
	if err == nil {
		err = disk.OS{}.RemoveAll(away)
	}
	if err != nil {
		return fmt.Errorf("deleting the plugin: %w", err)
	}
	if err := s.setEnabled(name, true); err != nil {
		return err
	}
	err = installed.Change(s.Home, s.notice, func(list installed.List) error {
		delete(list, name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("forgetting the plugin: %w", err)
	}
	return s.say("Plugin %s is gone", term.Name(name))
}

// allowLink notes in the configuration that links may lead to a place.
func (s *session) allowLink(real string) error {
	return s.changeLinks(func(allowed []string) []string {
		if slices.Contains(allowed, real) {
			return allowed
		}
		return append(allowed, real)
	})
}

// forbidLink takes the target of a link out of what links may lead to.
func (s *session) forbidLink(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !slices.Contains(s.Config.Plugins.AllowLinks, real) {
		return nil // a link that leads nowhere, or no link
	}
	return s.changeLinks(func(allowed []string) []string {
		return slices.DeleteFunc(allowed, func(a string) bool { return a == real })
	})
}

// changeLinks changes what links may lead to.
func (s *session) changeLinks(change func([]string) []string) error {
	return s.rewriteGlobal(func(path string, data []byte) ([]byte, error) { return config.EditLinks(path, data, change) })
}
