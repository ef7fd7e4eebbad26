package check

import (
	"fmt"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// UnusableParameters lists the tools of a loaded plugin whose parameters are not a
// valid schema, so that the arguments of their calls are not checked.
func UnusableParameters(p *plugin.Plugin) (list []string) {
	for _, t := range p.Tools {
		if _, err := tools.Compile(t.Spec().Parameters); err != nil {
			list = append(list, fmt.Sprintf("%v: %v; its calls are not checked", t.Spec(), err))
		}
	}
	return list
}
