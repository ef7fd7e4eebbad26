package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/config"
)

// saveUsername keeps -u in the context's local.toml.
func saveUsername(_ context.Context, s *session, given cmdline.Given) error {
	return s.saveLocal([]string{"username=" + config.Quote(given.Values[0])})
}

// saveSettings keeps what --set says in the context's local.toml.
func saveSettings(_ context.Context, s *session, _ cmdline.Given) error {
	return s.saveLocal(s.opts.set)
}

// saveLocal changes keys of the context's local.toml; all else in it stays as it
// is, comments included. The configuration counts from then on.
func (s *session) saveLocal(pairs []string) error {
	file := app.ConfigFile{Path: s.Store.Layout().LocalConfig(s.Name()),
		What: fmt.Sprintf("the configuration of context %q", s.Name())}
	err := file.Rewrite(func(path string, data []byte) (_ []byte, err error) {
		for _, pair := range pairs {
			key, value, _ := strings.Cut(pair, "=")
			if data, err = config.Edit(path, data, strings.TrimSpace(key), value); err != nil {
				return nil, err
			}
		}
		return data, nil
	})
	if err != nil {
		return err
	}
	return app.Configure(s.Session)
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
