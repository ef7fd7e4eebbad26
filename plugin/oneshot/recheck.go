package oneshot

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// recheck is a probe that can be run again later.
type recheck struct {
	probe Probe
	read  func(stdout []byte) (Rules, error)
	why   Due
}

func (p *Prober) add(r recheck) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
}

// recheckGrace is how long an executable that is asked in the background may take to end
// when the run ends: nobody waits for its answer.
const recheckGrace = 20 * time.Millisecond

// Recheck runs the executables again whose remembered answers are due for a check, one after the
// other, until ctx ends. It ends one that has not answered by then, and keeps its remembered
// answer. The next run asks one again that answered before and fails now.
func (p *Prober) Recheck(ctx context.Context) {
	for _, r := range p.due() {
		if ctx.Err() != nil {
			return
		}
		if runner, ok := r.probe.Runner.(process.Runner); ok {
			runner.Grace = recheckGrace
			r.probe.Runner = runner
		}
		r.probe.File.Info = nil // it may have changed since
		r.probe.Required = r.probe.Required || r.why != Failed
		p.run(ctx, r.probe, r.read)
	}
}

// due lists what is due, the most urgent first, by name.
func (p *Prober) due() (list []recheck) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.asked {
		if r.why = p.memory.Due(r.probe.File); r.why != NotDue {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b recheck) int {
		return cmp.Or(cmp.Compare(a.why, b.why), cmp.Compare(a.probe.Name, b.probe.Name))
	})
	return list
}

// notice reports that an executable cannot be remembered.
func (p *Prober) notice(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(p.notices, plugin.Notice{Plugin: name, Text: "it described itself differently than before, " +
		"although its file is the same; chibi asks it at every start from now on, until its file changes"})
}

// Notices returns notices for people about remembered answers, once.
func (p *Prober) Notices() []plugin.Notice {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.notices
	p.notices = nil
	return list
}
