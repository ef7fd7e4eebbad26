package clitest

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/rogpeppe/go-internal/testscript"
)

// putLocal is the command "local CONTEXT FILE": FILE becomes the local.toml of a context, as it
// is: in its directory, or in the store, where somebody on another machine has written it.
func (s Stories) putLocal(ts *testscript.TestScript, _ bool, args []string) {
	name, text := args[0], ts.ReadFile(args[1])
	home := filepath.Join(ts.Getenv("HOME"), ".chibi")
	if s.Store == nil {
		dir := contexts.HostOf(home).Layout().Directory(name)
		ts.Check(os.MkdirAll(dir, 0o700))
		ts.Check(os.WriteFile(filepath.Join(dir, "local.toml"), []byte(text), 0o600))
		return
	}
	url := ts.Getenv("CHIBI_STORE")
	scheme, _, _ := strings.Cut(url, ":")
	engine, err := s.Drivers[scheme].Open(context.Background(), store.Options{URL: url})
	ts.Check(err)
	defer engine.Close()
	c, err := contexts.OpenShared(engine, home).Context(name)
	ts.Check(err)
	ts.Check(c.ChangeLocalConfig(func(string) (string, error) { return text, nil }))
}
