package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize/english"
)

// keptPlugins says whether a keeper runs, and which plugins it holds. What stands in its
// place is a finding if the configuration wants one.
func keptPlugins(s *app.Session) []finding {
	status, err := keeper.StatusOf(s.Home)
	isWanted := s.Config.Plugins.KeepFor() > 0 && keeper.Offered
	var foreign *keeper.ForeignError
	switch {
	case err == nil:
		return []finding{fine(keeperText(status))}
	case !isWanted:
		return nil
	case errors.Is(err, keeper.ErrNone):
		return []finding{fine("no keeper is running; the next run that asks a resident plugin starts one")}
	case errors.As(err, &foreign):
		return []finding{warning(err.Error(), "rm "+term.ShellWord(foreign.Path))}
	}
	return []finding{warning("plugins are not kept between runs: "+err.Error(), "chibi plugin keeper stop")}
}

func keeperText(status keeper.Status) string {
	var names []string
	for _, held := range status.Processes {
		names = append(names, term.Name(held.Plugin))
	}
	text := fmt.Sprintf("a keeper is running (process %d) and holds %s", status.Pid,
		english.Plural(len(names), "process", "processes"))
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}
