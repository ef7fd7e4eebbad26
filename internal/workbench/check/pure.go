package check

import (
	"context"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/plugin"
)

// pure calls the hooks of a plugin that says that it is pure a second time, with the same
// payloads. That cannot prove that it is: effects elsewhere than in its answers and in
// chibi's home are not seen, nor those of other payloads and of more calls.
func (r *Report) pure(ctx context.Context, p *plugin.Plugin, first []plugin.Record) {
	if !p.Pure {
		return
	}
	for _, before := range first {
		r.again(ctx, p, before, "pure ")
	}
}

// again calls a hook once more and reports what differs from the call before. A delivery has
// an effect, whatever the plugin says, so it is not repeated. It returns what became of the call.
func (r *Report) again(ctx context.Context, p *plugin.Plugin, before plugin.Record,
	where string) (after plugin.Record) {
	info, known := hookpoints.Find(before.Point)
	if !known || before.Result == plugin.Failed || before.Point == hookpoints.PreSendMessage.Name {
		return after
	}
	where += string(before.Point)
	after, err := fire(ctx, p, info)
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
