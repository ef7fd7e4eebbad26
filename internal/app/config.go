package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// readConfig reads the configuration with the local.toml that was read last, and with these
// settings in place of the settings of the options.
func readConfig(s *Session, set []string) (config.Config, error) {
	global := s.global
	s.global = nil // it may have changed when the configuration is read again
	from := configSources(s, set)
	from.Global = global
	c, err := config.Load(from)
	c.Store = cmp.Or(s.place.URL, config.Files)
	return c, err
}

// configSources are the sources of the session's configuration, with these settings in place of the
// settings of the options.
func configSources(s *Session, set []string) config.Sources {
	from := config.Sources{Home: s.Home, Local: s.local, Set: set, Env: os.Getenv,
		Allow: s.opts.Permissions.Allow, Deny: s.opts.Permissions.Deny}
	if s.opts.Within != nil {
		from.Within = s.opts.Within.Settings
	}
	return from
}

// localConfig reads the local.toml of the session's context. One in a store that machines
// share is foreign: only what package config marks counts in it.
func localConfig(ctx context.Context, s *Session) (config.Local, error) {
	text, err := s.Context.LocalConfig(ctx)
	switch {
	case err != nil && s.place.IsShared():
		return config.Local{}, err
	case err != nil:
		return config.Local{}, UsageError{Err: fmt.Errorf("reading the configuration: %w", err)}
	}
	return newLocal(s, text), nil
}

// newLocal returns a text as the local.toml of the session's context.
func newLocal(s *Session, text string) config.Local {
	if s.place.IsShared() {
		return config.Local{Name: fmt.Sprintf("local.toml of context %q", s.Name()), Text: text, IsShared: true}
	}
	return config.Local{Name: s.Host.Layout().LocalConfig(s.Name()), Text: text}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// stampOf describes the executables of the session's plugins folder, and the files of its
// configuration, as they are now. Other files there are those that plugins keep.
func stampOf(s *Session) string {
	var b strings.Builder
	describe := func(path string, isPlugin bool) {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && (!isPlugin || info.Mode().Perm()&0o111 != 0) {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
	}
	for _, name := range []string{"config.toml", "models.toml"} {
		describe(filepath.Join(s.Home, name), false)
	}
	describe(s.Host.Layout().LocalConfig(s.Name()), false)
	dir := pluginDir(s.opts.Plugins.Dir, s.Home)
	entries, _ := os.ReadDir(dir) // one that cannot be read has no files
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		describe(path, true)
		describe(filepath.Join(path, e.Name()), true)
	}
	return b.String()
}

// ConfigFile is a configuration file to change.
type ConfigFile struct {
	// Path is the file's path. The file need not exist; a link stays a link.
	Path string
	// What is the file's name in errors.
	What string
}

// Configuration returns the config.toml of a home.
func Configuration(home string) ConfigFile {
	return ConfigFile{Path: filepath.Join(home, "config.toml"), What: "the configuration"}
}

// Rewrite changes the text of the file while no other process can. An error of edit is
// returned as a [UsageError].
func (f ConfigFile) Rewrite(edit func(path string, data []byte) ([]byte, error)) error {
	var wrong error
	err := jsonfile.Rewrite(jsonfile.File{Path: f.Path, Max: config.MaxFileBytes}, func(data []byte) ([]byte, error) {
		data, wrong = edit(f.Path, data)
		return data, wrong
	})
	switch {
	case wrong != nil:
		return UsageError{Err: wrong}
	case err != nil:
		return fmt.Errorf("writing %s: %w", f.What, err)
	}
	return nil
}
