package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// defaultLook is the default of ServeOptions.Look. Editors save in too many ways for
// notifications of the system.
const defaultLook = time.Second

// Watch loads the plugins again whenever their folder or the configuration has changed since they
// were loaded, and has been left alone since the last look, and then calls changed. It returns when
// ctx ends. A configuration that cannot be read, for instance, is said; what was loaded stays.
// Without Options.Watched, changes count from its beginning.
func (v *Served) Watch(ctx context.Context, changed func()) {
	ticker := time.NewTicker(cmp.Or(v.opts.Look, defaultLook))
	defer ticker.Stop()
	s := v.generation().session
	loaded := cmp.Or(s.stamp, stampOf(s))
	for last := loaded; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := stampOf(s)
		if now == loaded || now != last {
			last = now
			continue
		}
		loaded = now
		if err := v.Renew(ctx); err != nil {
			s.person.notice(fmt.Sprintf("the plugins were not loaded again: %v", err))
			continue
		}
		loaded = cmp.Or(v.generation().session.stamp, now)
		changed()
	}
}

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
