package bridge

import (
	"bytes"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Add writes the entries of the agent's events into its settings, and tells it of the MCP server.
// It writes entries that this home has added before again.
func (i Installer) Add() (done Done, err error) {
	return i.change(editing{Installer: i, adds: true})
}

// Remove takes out the entries that Add has written.
func (i Installer) Remove() (done Done, err error) {
	if done, err = i.change(editing{Installer: i}); err != nil {
		return done, err
	}
	other := i
	other.Scope = map[string]string{engine.ScopeUser: engine.ScopeProject, engine.ScopeProject: engine.ScopeUser}[i.Scope]
	left, _ := other.Find() // an unreadable file does not keep chibi from removing the rest
	for _, f := range left {
		if f.Own {
			done.note("%s still has chibi's entries; this takes them out too: chibi bridge remove %s --%s", f.File,
				i.Agent.Name, f.Scope)
		}
	}
	return done, nil
}

// change changes the settings file, and the file or program that takes MCP servers.
func (i Installer) change(e editing) (done Done, err error) {
	place, path, err := i.place()
	if err != nil {
		return done, err
	}
	for _, other := range i.places() {
		if at := i.path(other); at != path {
			if err := i.edit(&done, at, editing{Installer: i.in(other), format: other.Format, hooks: true}); err != nil {
				return done, err
			}
		}
	}
	e.Installer, e.format, e.hooks = i.in(place), place.Format, true
	servers, hasServers := i.Agent.Servers.In(i.Scope)
	isSame := hasServers && servers.Path != "" && i.path(servers.Place) == path
	e.server = isSame
	if err := i.edit(&done, path, e); err != nil {
		return done, err
	}
	switch {
	case !hasServers && e.adds && !i.NoServer:
		done.note("%s takes no MCP servers from settings of the scope %q; it does not get the plugins' tools",
			i.Agent.Title, i.Scope)
	case hasServers && servers.Path == "":
		err = e.tellServer(&done, servers)
	case hasServers && !isSame:
		e.format, e.hooks, e.server = servers.Format, false, true
		err = i.edit(&done, i.path(servers.Place), e)
	}
	if e.adds && !i.FailClosed && len(ToldWhenGone(i.Agent)) == 0 {
		done.note("%s does not show the output of hooks, so it cannot tell you that chibi is gone; --fail-closed denies then",
			i.Agent.Title)
	}
	if e.adds && i.Agent.AfterAdd != "" {
		done.note("%s", i.Agent.AfterAdd)
	}
	return done, err
}

// in returns the installer for a settings file.
func (i Installer) in(p engine.Place) Installer {
	i.Agent.Shape = p.ShapeOf(i.Agent.Shape)
	return i
}

// edit changes a file and keeps the receipt.
func (i Installer) edit(done *Done, path string, e editing) error {
	if i.Trial {
		return e.try(done, path)
	}
	return jsonfile.Update(receiptsFile(i.Home), func(all *receipts) error {
		if *all == nil {
			*all = receipts{} // an object, even if it is empty
		}
		var next receipt
		var changed bool
		before := (*all)[path]
		made, err := changeSettings(path, func(text []byte) (after []byte, err error) {
			after, next, err = e.apply(text, before)
			changed = !bytes.Equal(text, after)
			return after, err
		})
		if err != nil {
			removeDirs(made)
			return err
		}
		if changed {
			done.Files = append(done.Files, path)
		}
		next.NewDirs = append(before.NewDirs, made...)
		if len(next.Inserts) > 0 {
			all.keep(path, next)
			return nil
		}
		delete(*all, path)
		all.inherit(removeDirs(next.NewDirs))
		return nil
	})
}

// editing is a change of a file. It takes out the entries that this home has added before, and with adds adds them
// again.
type editing struct {
	Installer
	format string
	adds   bool
	// hooks and server say what the file is for.
	hooks, server bool
}

// apply returns the text after the change, nil for no file, and the receipt.
func (e editing) apply(text []byte, before receipt) (after []byte, r receipt, err error) {
	r.NewFile, r.At = text == nil || before.NewFile, before.At
	if r.At.IsZero() {
		r.At = time.Now().Truncate(time.Second)
	}
	if e.format == javascript {
		return e.whole(text, r)
	}
	pristine, exact := before.undo(text)
	if !exact {
		if err = e.mixed(text); err == nil {
			pristine, err = e.withoutOwn(text)
		}
		if err != nil {
			return nil, r, err
		}
		r.NewFile = r.NewFile || e.isOwnFile(text)
	}
	if r.NewFile && e.saysNothing(pristine) {
		pristine = nil
	}
	if !e.adds {
		return pristine, receipt{}, nil
	}
	if after, r.Inserts, err = e.withOwn(pristine); err != nil {
		return nil, r, err
	}
	r.Sum = sumOf(after)
	return after, r, nil
}

// mixed returns an error if something of the person's would go with an entry that is to be removed.
func (e editing) mixed(text []byte) error {
	if e.adds || !e.hooks {
		return nil
	}
	all, err := e.entriesIn(text, e.format)
	for _, one := range all {
		if e.isOwn(one.command) && runsMore(one.command) {
			return fmt.Errorf("the entry for %s runs chibi and something else; take chibi out of it yourself: %s", one.event,
				clip.Text(one.command, 200))
		}
	}
	return err
}

// withOwn returns a text with the entries of this home.
func (e editing) withOwn(text []byte) ([]byte, []jsonedit.Insert, error) {
	switch {
	case e.format == "toml" && e.hooks:
		return e.withList(text)
	case e.format == "toml":
		return e.withTable(text)
	}
	doc, err := jsonedit.Open(text, jsonedit.Format(e.format))
	if err == nil && e.hooks {
		err = e.addEntries(doc)
	}
	if err == nil && e.server && !e.NoServer {
		err = e.addServer(doc)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(doc.Inserts()) == 0 {
		return text, nil, nil
	}
	return doc.Text(), doc.Inserts(), nil
}

// withoutOwn returns a text without the entries of this home, and without the lists that are then empty. It is for
// a text that somebody else has changed since.
func (e editing) withoutOwn(text []byte) ([]byte, error) {
	switch {
	case e.format == "toml" && e.hooks:
		return e.withoutList(text)
	case e.format == "toml":
		return e.withoutTable(text)
	}
	doc, err := jsonedit.Open(text, jsonedit.Format(e.format))
	if err != nil {
		return nil, err
	}
	before := len(doc.Text())
	if e.hooks {
		e.removeEntries(doc)
	}
	if e.server {
		e.removeServer(doc)
	}
	if len(doc.Text()) == before {
		return text, nil
	}
	return doc.Text(), nil
}

// isOwnFile reports whether chibi made a file of which it has no receipt: without one it writes the same text.
func (e editing) isOwnFile(text []byte) bool {
	for _, e.FailClosed = range []bool{false, true} {
		for _, e.NoServer = range []bool{false, true} {
			if own, _, err := e.withOwn(nil); err == nil && bytes.Equal(own, text) {
				return true
			}
		}
	}
	return false
}

// saysNothing reports whether a text has no setting.
func (e editing) saysNothing(text []byte) bool {
	if e.format == "toml" {
		return len(bytes.TrimSpace(text)) == 0
	}
	doc, err := jsonedit.Open(text, jsonedit.Format(e.format))
	if err != nil {
		return false
	}
	names := doc.Names()
	return len(names) == 0 || len(names) == 1 && names[0] == "version"
}
