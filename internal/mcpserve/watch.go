package mcpserve

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/app"
)

// defaultLook is the default of Options.Look. Editors save in too many ways for
// notifications of the system.
const defaultLook = time.Second

// Watch loads the plugins again whenever their folder or the configuration has changed since they
// were loaded, and has been left alone since the last look, and then calls changed. It returns when
// ctx ends. It reports a configuration that it cannot read, for instance, and keeps the loaded plugins.
// Without Options.Watched, changes count from its beginning.
func (v *Tools) Watch(ctx context.Context, changed func()) {
	ticker := time.NewTicker(cmp.Or(v.opts.Look, defaultLook))
	defer ticker.Stop()
	s := v.generation().session
	read, now := app.Stamps(s)
	loaded := cmp.Or(read, now)
	for last := loaded; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, now := app.Stamps(s)
		if now == loaded || now != last {
			last = now
			continue
		}
		loaded = now
		if err := v.Renew(ctx); err != nil {
			s.Agent.Output.Notice(fmt.Sprintf("the plugins were not loaded again: %v", err))
			continue
		}
		read, _ = app.Stamps(v.generation().session)
		loaded = cmp.Or(read, now)
		changed()
	}
}
