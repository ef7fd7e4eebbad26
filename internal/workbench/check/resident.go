package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/resident"
)

// slowEnd is the time after which a resident process gets a signal at the end of a session.
const slowEnd = 1900 * time.Millisecond

// resident asks a resident plugin at its hooks again, this time a process that stays, and
// compares the answers with those of ordinary starts.
func (d *Dir) resident(ctx context.Context, r *Report, name string, ordinary []plugin.Record) {
	said := &notices{}
	group := &resident.Group{Notify: said.add}
	defer group.Close()
	var last hookpoints.Info
	var answered *plugin.Record // to last, by an ordinary start
	found, opts := len(r.Findings), d.opts
	opts.Only, opts.Residents, opts.Probed = []string{name}, group, nil
	loaded, err := native.Load(ctx, opts)
	if err != nil || len(loaded.Plugins) != 1 {
		r.add(Error, "resident", "it could not be loaded again to ask a process that stays")
		return
	}
	for _, before := range ordinary {
		if info, ok := hookpoints.Find(before.Point); ok && before.Result != plugin.Failed {
			stayed := r.compare(ctx, &loaded.Plugins[0], info, before)
			if loaded.Plugins[0].Pure {
				after := r.again(ctx, &loaded.Plugins[0], stayed, "pure resident ")
				r.notes(&stayed, &after)
			}
			last, answered = info, &before
		}
	}
	if last.Name != "" && len(r.Findings) == found { // what it writes after its last answer breaks the next one
		again, _ := fire(ctx, &loaded.Plugins[0], last)
		if again.Result == plugin.Failed {
			r.add(Error, "resident "+string(last.Name), "it failed when it was asked again: %s", again.Why)
		}
		r.notes(answered, &again)
	}
	begun := time.Now()
	group.Close()
	if time.Since(begun) > slowEnd {
		r.add(Warning, "resident", "it does not end when its standard input is closed; every session ends 2 seconds later "+
			"because of that")
	}
	for _, n := range said.list {
		r.add(Error, "resident", "%s", n.Text)
	}
}

// compare asks a process that stays, compares its answer with that of an ordinary start and
// returns what became of it.
func (r *Report) compare(ctx context.Context, p *plugin.Plugin, info hookpoints.Info,
	ordinary plugin.Record) plugin.Record {
	where := "resident " + string(info.Name)
	stayed, err := fire(ctx, p, info)
	switch {
	case err != nil:
		r.add(Error, where, "%v", err)
	case stayed.Result == plugin.Failed:
		r.add(Error, where, "started with %s it failed, started for the event it did not: %s", resident.Argument, stayed.Why)
	case stayed.Result == plugin.Ignored && ordinary.Result != plugin.Ignored:
		r.add(Error, where, "started with %s its answer cannot be read: %s", resident.Argument, stayed.Notes[0])
	case !isSame(ordinary.Answer, stayed.Answer):
		r.add(Warning, where, "its answers differ: started for the event %s, started with %s %s; they need not, if they "+
			"depend on the time or on what came before", shown(ordinary), resident.Argument, shown(stayed))
	}
	r.notes(&ordinary, &stayed)
	return stayed
}

// notes reports what is said of an answer and was not said of that of an ordinary start: that the
// process broke the protocol, and an ordinary start answered in its place.
func (r *Report) notes(ordinary, stayed *plugin.Record) {
	for _, note := range stayed.Notes {
		if stayed.Result != plugin.Ignored && !slices.Contains(ordinary.Notes, note) {
			r.add(Error, "resident "+string(stayed.Point), "%s", note)
		}
	}
}

// isSame reports whether two answers have the same value.
func isSame(a, b json.RawMessage) bool {
	first, errFirst := strictjson.Value(a)
	second, errSecond := strictjson.Value(b)
	if errFirst != nil || errSecond != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(first, second)
}

// shown returns the answer of a record for a message.
func shown(r plugin.Record) string { return cmp.Or(clip.Text(string(r.Answer), 100), "none") }

// notices collects what was reported, each once, while a plugin ran. It is safe for concurrent use
// until it is read.
type notices struct {
	mu   sync.Mutex
	list []plugin.Notice
}

func (n *notices) add(one plugin.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.list, one) {
		n.list = append(n.list, one)
	}
}
