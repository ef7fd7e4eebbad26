package bridge

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/agents/carrier"
	"github.com/chibi-host/chibi/internal/jsonedit"
)

// javascript is the format of a place that is a plugin of the agent; the file is chibi's alone.
const javascript = "javascript"

// carrierFile is the plugin for the agent.
func (i Installer) carrierFile() carrier.File {
	return carrier.File{Agent: i.Agent.Name, Script: i.Agent.Carrier, Chibi: i.Chibi, Home: i.namedHome(),
		FailClosed: i.FailClosed, LimitMS: i.limit().Milliseconds(), DeadlineMS: deadlineOf(i.limit()).Milliseconds()}
}

// whole is [editing.apply] for such a file. A file that is not chibi's, or has a different home, stays as it is.
func (e editing) whole(text []byte, r receipt) (after []byte, _ receipt, err error) {
	file, isOurs, err := carrier.Read(text)
	home := filepath.Clean(cmp.Or(file.Home, e.DefaultHome))
	isOwn := isOurs && home == filepath.Clean(e.Home)
	switch {
	case err != nil:
		return nil, r, err
	case text != nil && !isOwn && !e.adds:
		return text, r, nil
	case text != nil && !isOurs:
		return nil, r, fmt.Errorf("the file is not chibi's; move it away")
	case text != nil && !isOwn:
		return nil, r, fmt.Errorf("it asks the home %s; this takes it out: chibi --home %s bridge remove %s", home, home,
			e.Agent.Name)
	case !e.adds:
		return nil, r, nil
	}
	after = e.carrierFile().Text()
	r.NewFile, r.Sum, r.Inserts = true, sumOf(after), []jsonedit.Insert{{At: 0, Length: len(after)}}
	return after, r, nil
}

// carrierIn lists the home that a plugin of the agent asks; it lists none if the plugin is not chibi's.
func (i Installer) carrierIn(path string, text []byte) []Found {
	file, isOurs, err := carrier.Read(text)
	if !isOurs {
		return nil
	}
	f := Found{Agent: i.Agent, Scope: i.Scope, File: path, Chibi: file.Chibi, FailClosed: file.FailClosed,
		Home: filepath.Clean(cmp.Or(file.Home, i.DefaultHome))}
	f.Own = f.Home == filepath.Clean(i.Home)
	for _, e := range i.Agent.Events {
		if e.Bridged {
			f.Events = append(f.Events, e.Name)
		}
	}
	as := i
	as.FailClosed, as.Chibi, as.Limit = file.FailClosed, file.Chibi, time.Duration(file.LimitMS)*time.Millisecond
	if f.Problem = i.deathOf(f); f.Problem != "" {
		f.IsDead = true
	} else if err != nil {
		f.Problem = err.Error()
	} else if f.Own && !bytes.Equal(text, as.carrierFile().Text()) {
		f.Problem = fmt.Sprintf("a different version of chibi wrote it; chibi bridge add %s updates it", i.Agent.Name)
	}
	return []Found{f}
}
