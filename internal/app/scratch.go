package app

import (
	"fmt"
	"os"

	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/internal/workbench/scratch"
)

// MakeScratch makes a scratch home for plugins in place of the home that the options
// name. The caller removes it.
func MakeScratch(opts Options, purpose string) (*scratch.Home, error) {
	home, _ := Home(opts.Home) // none: there is nothing to protect
	made, err := scratch.Make(purpose, scratch.Real{User: project.UserHome(), Chibi: home})
	if err == nil && made.Unlinked != nil && opts.Output.Notice != nil {
		opts.Output.Notice(fmt.Sprintf("plugins run with an empty home directory, as chibi cannot read yours: %v",
			made.Unlinked))
	}
	return made, err
}

// In returns options with which plugins run in a scratch home, with more variables.
// chibi itself uses the home that the options name.
func (o PluginOptions) In(home *scratch.Home, more ...string) PluginOptions {
	base := o.Environ
	if base == nil {
		base = os.Environ()
	}
	o.Environ, o.Home = append(within.Elsewhere(home.Environ(base), home.Chibi), more...), home.Chibi
	return o
}

// RunIn runs the plugins of the session in a scratch home, with more variables, until
// leave is called.
func RunIn(s *Session, home *scratch.Home, more ...string) (leave func()) {
	before := s.opts.Plugins
	s.opts.Plugins = before.In(home, more...)
	return func() { s.opts.Plugins = before }
}
