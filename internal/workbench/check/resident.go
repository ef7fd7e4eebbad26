package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/resident"
)

// slowEnd is the time after which a resident process gets a signal at the end of a session.
const slowEnd = 1900 * time.Millisecond

// resident asks a resident plugin at its hooks again, this time a process that stays, and
// compares the answers with the answers of ordinary starts: in the run that starts it, in one of another
// context, and in one like the first, as a process is asked that is kept between runs.
func (d *Dir) resident(ctx context.Context, r *Report, ordinary []plugin.Record) {
	said, found := &notices{}, len(r.Findings)
	group := &resident.Group{Notify: said.add}
	defer group.Close()
	stays, err := d.reload(ctx, r.Plugin, d.opts, group)
	if err != nil {
		r.add(Error, "resident", "it could not be loaded again to ask a process that stays")
		return
	}
	ordinary = slices.DeleteFunc(slices.Clone(ordinary), hasFailed)
	r.stays(ctx, stays, ordinary, "")
	ordinary = slices.DeleteFunc(ordinary, delivers)
	for _, place := range append(slices.Clone(d.Contexts[:min(3, len(d.Contexts))]), "elsewhere") {
		if len(r.Findings) == found {
			d.elsewhere(ctx, r, place, group)
		}
	}
	if len(r.Findings) == found { // now also what it writes after an answer is seen, which breaks the next one
		r.stays(ctx, stays, ordinary, " after a run in another context")
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

// reload loads a plugin once more. Plugins loaded with the same group have one process that stays.
func (d *Dir) reload(ctx context.Context, name string, opts native.Options,
	group *resident.Group) (*plugin.Plugin, error) {
	opts.Only, opts.Residents, opts.Probed = []string{name}, group, nil
	loaded, err := native.Load(ctx, opts)
	if err == nil && len(loaded.Plugins) != 1 {
		err = errors.New("it is not a plugin any more")
	}
	if err != nil {
		return nil, err
	}
	return &loaded.Plugins[0], nil
}

// elsewhere asks the process as a run in another context does, with a conversation and a prompt, and
// with -v if the first one was without.
func (d *Dir) elsewhere(ctx context.Context, r *Report, place string, group *resident.Group) {
	opts := d.opts
	opts.Context, opts.Verbose = place, !opts.Verbose
	ctx = plugin.WithIdentity(ctx, func() plugin.Identity {
		return plugin.Identity{Session: "8a6e0804-2bd0-4672-b79d-d97027f9071a",
			Prompt: "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d"}
	})
	starts, err := d.reload(ctx, r.Plugin, opts, nil)
	if err != nil {
		r.add(Error, "resident", "it could not be loaded again in another context")
		return
	}
	var ordinary []plugin.Record
	for _, point := range starts.Hooks {
		if info, ok := hookpoints.Find(point); ok && point != hookpoints.PreSendMessage.Name {
			record, _ := r.ask(ctx, starts, info)
			ordinary = append(ordinary, record)
		}
	}
	if stays, err := d.reload(ctx, r.Plugin, opts, group); err == nil {
		r.stays(ctx, stays, slices.DeleteFunc(ordinary, hasFailed), fmt.Sprintf(" in the context %q", place))
	}
}

// hasFailed reports whether there is no answer to compare another one with.
func hasFailed(r plugin.Record) bool {
	_, known := hookpoints.Find(r.Point)
	return !known || r.Result == plugin.Failed
}

// delivers reports whether asking has an effect, which is not repeated in further runs.
func delivers(r plugin.Record) bool { return r.Point == hookpoints.PreSendMessage.Name }

// stays asks a process that stays what ordinary starts were asked, and compares the answers; when
// says that it was asked other things before.
func (r *Report) stays(ctx context.Context, p *plugin.Plugin, ordinary []plugin.Record, when string) {
	for _, before := range ordinary {
		stayed := r.compare(ctx, p, before, when)
		if when == "" && p.Pure {
			after := r.again(ctx, p, stayed, "pure resident ")
			r.notes(&stayed, &after)
		}
	}
}

// compare asks a process that stays, compares its answer with the answer of an ordinary start and
// returns what became of it.
func (r *Report) compare(ctx context.Context, p *plugin.Plugin, ordinary plugin.Record, when string) plugin.Record {
	info, _ := hookpoints.Find(ordinary.Point)
	where := "resident " + string(info.Name)
	stayed, err := r.ask(ctx, p, info)
	switch {
	case err != nil:
		r.add(Error, where, "%v", err)
	case stayed.Result == plugin.Failed:
		r.add(Error, where, "started with %s it failed, started for the event it did not: %s", resident.Argument, stayed.Why)
	case stayed.Result == plugin.Ignored && ordinary.Result != plugin.Ignored:
		r.add(Error, where, "started with %s its answer cannot be read: %s", resident.Argument, stayed.Notes[0])
	case !isSame(ordinary.Answer, stayed.Answer):
		why := "they may differ if they depend on the time or on earlier events"
		if when != "" {
			why += `; else it must set the variables in "meta" for each event and remove those that are not there`
		}
		r.add(Warning, where, "its answers differ%s: started for the event %s, started with %s %s; %s", when,
			shown(ordinary), resident.Argument, shown(stayed), why)
	}
	r.notes(&ordinary, &stayed)
	return stayed
}

// notes reports notices about an answer that the answer of an ordinary start did not get: that the
// process broke the protocol, and an ordinary start answered in its place.
func (r *Report) notes(ordinary, stayed *plugin.Record) {
	for _, note := range stayed.Notes {
		if stayed.Result != plugin.Ignored && !slices.Contains(ordinary.Notes, note) {
			r.add(Error, "resident "+string(stayed.Point), "%s", note)
		}
	}
}

func isSame(a, b json.RawMessage) bool {
	first, errFirst := strictjson.Value(a)
	second, errSecond := strictjson.Value(b)
	if errFirst != nil || errSecond != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(first, second)
}

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

// pure calls the hooks of a plugin that says that it is pure a second time, with the same
// payloads. That cannot prove that it is: effects elsewhere than in its answers and in chibi's home
// are not seen, nor effects of other payloads and of more calls.
func (r *Report) pure(ctx context.Context, p *plugin.Plugin, first []plugin.Record) {
	if !p.Pure {
		return
	}
	for _, before := range first {
		r.again(ctx, p, before, "pure ")
	}
}

// again calls a hook once more and reports what differs from the call before. A delivery has
// an effect, whatever the plugin says, so it calls the hook only once. It returns what became of the call.
func (r *Report) again(ctx context.Context, p *plugin.Plugin, before plugin.Record,
	where string) (after plugin.Record) {
	info, known := hookpoints.Find(before.Point)
	if !known || before.Result == plugin.Failed || before.Point == hookpoints.PreSendMessage.Name {
		return after
	}
	where += string(before.Point)
	after, err := r.ask(ctx, p, info)
	switch {
	case err != nil:
		r.add(Error, where, "%v", err)
	case after.Result == plugin.Failed:
		r.add(Error, where, "called again with the same payload it failed: %s", after.Why)
	case !isSame(before.Answer, after.Answer):
		r.add(Warning, where, "its answers to the same payload differ, first %s, then %s; if that is because it counts or "+
			`remembers calls, it is not pure: remove "pure"`, shown(before), shown(after))
	}
	return after
}

// writes reports whether anything in chibi's home changes until the function that it returns
// is called.
func writes(home string) func() bool {
	before, _ := fileid.Contents(home)
	return func() bool {
		after, err := fileid.Contents(home)
		return err == nil && after != before
	}
}
