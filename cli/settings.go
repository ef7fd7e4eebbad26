package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/config"
	"github.com/chibi-host/chibi/internal/disk"
)

// saveUsername keeps -u in the context's local.toml.
func (s *session) saveUsername(context.Context) error {
	return s.saveLocal([]string{"username=" + config.Quote(s.opts.username[0])})
}

// saveSettings keeps what --set says in the context's local.toml.
func (s *session) saveSettings(context.Context) error { return s.saveLocal(s.opts.set) }

// saveLocal changes keys of the context's local.toml; all else in it stays as it
// is, comments included. The configuration counts from then on.
func (s *session) saveLocal(pairs []string) error {
	path := s.agent.Context.LocalConfig()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays a link
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		if data, err = config.Edit(path, data, strings.TrimSpace(key), value); err != nil {
			return usageError{err}
		}
	}
	fsys := disk.OS{}
	err = disk.MakeFolder(fsys, filepath.Dir(path), 0o700)
	if err == nil {
		err = disk.Replace(fsys, path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration of context %q: %w", s.agent.Context.Name(), err)
	}
	return s.configure()
}

// overrides are the settings of this run: --set and -U, or -u, which counts now
// and later.
func (o *options) overrides() []string {
	pairs := o.set
	for _, name := range [][]string{o.username, o.transientUsername} {
		if name != nil {
			pairs = append(pairs[:len(pairs):len(pairs)], "username="+config.Quote(name[0]))
		}
	}
	return pairs
}
