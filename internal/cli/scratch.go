package cli

import (
	"fmt"
	"os"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/workbench/scratch"
)

// scratchHome makes a scratch home that stands for the person's.
func (p *program) scratchHome(purpose string) (*scratch.Home, error) {
	home, _ := config.Home(p.opts.home, os.Getenv) // none: there is nothing to protect
	made, err := scratch.Make(purpose, scratch.Real{User: userHome(), Chibi: home})
	if err == nil && made.Unlinked != nil {
		p.notice(fmt.Sprintf("plugins are run with an empty home directory, as yours cannot be read: %v", made.Unlinked))
	}
	return made, err
}

// enterScratch has plugins run in a new scratch home until leave is called. chibi
// itself goes on in the person's.
func (p *program) enterScratch(purpose string) (leave func(), err error) {
	made, err := p.scratchHome(purpose)
	if err != nil {
		return nil, err
	}
	back := p.runIn(made)
	return func() {
		back()
		made.Remove()
	}, nil
}

// runIn has plugins run in a scratch home, with more variables, until leave is
// called.
func (p *program) runIn(made *scratch.Home, more ...string) (leave func()) {
	env, home := p.pluginEnv, p.pluginHome
	base := env
	if base == nil {
		base = os.Environ()
	}
	p.pluginEnv, p.pluginHome = append(made.Environ(base), more...), made.Chibi
	return func() { p.pluginEnv, p.pluginHome = env, home }
}

// toldHome is the home that plugins are told.
func (s *session) toldHome() string {
	if s.pluginHome != "" {
		return s.pluginHome
	}
	return s.home
}
