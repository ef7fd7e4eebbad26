package app

import (
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/google/uuid"
)

// kode takes Kode's hooks from the configuration.
func (l *Loader) kode() plugin.Loaded {
	if !l.opts.Plugins.asksOthers() {
		return plugin.Loaded{}
	}
	opts := kode.Options{
		Dir: l.home, UserHome: project.UserHome(), WorkDir: l.project.Dir, Session: uuid.NewString(), Runner: l.Runner(),
		Overrides: l.overrides(), Idle: l.opts.Purpose == ToManage, TrustTools: l.opts.Permissions.TrustTools,
	}
	for _, h := range l.config.Kode.List() {
		opts.Hooks = append(opts.Hooks, kode.Hook{Event: h.Event, Exec: h.Exec, Args: h.Args, Timeout: ms(h.TimeoutMS)})
	}
	return kode.Load(opts)
}
