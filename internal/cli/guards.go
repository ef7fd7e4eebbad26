package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/plugin"
)

// missingGuard is a plugin whose failure blocks, as the configuration says, and
// that is not there.
type missingGuard struct{ name, why string }

// guardsError says that nothing may be asked or called without these guards.
type guardsError struct{ missing []missingGuard }

// Error names each guard, why it is missing, and what to do.
func (e *guardsError) Error() string {
	var lines, tables []string
	for _, m := range e.missing {
		lines = append(lines, fmt.Sprintf("the guard %q is missing: %s", m.name, m.why))
		tables = append(tables, "[plugins."+keyText(m.name)+"]")
	}
	lines = append(lines, fmt.Sprintf("No prompt is answered and no tool is called without it, as on_failure = "+
		"\"block\" under %s says.",
		strings.Join(tables, " and ")), "Put it back, or write enabled = false there, or use --no-hooks for this run.")
	return strings.Join(lines, "\n")
}

// admit refuses what asks the model or calls a tool while a guard is missing.
func (s *session) admit() error {
	if missing := s.missingGuards(); len(missing) > 0 {
		return &guardsError{missing}
	}
	return nil
}

// missingGuards lists the guards that the configuration asks for and that are not
// there, whatever the reason.
func (s *session) missingGuards() (missing []missingGuard) {
	for _, name := range slices.Sorted(maps.Keys(s.config.Plugins.ByName)) {
		set := s.config.Plugins.ByName[name]
		if !set.Enabled || !isRequired(set) || !s.expects(name) {
			continue
		}
		if why := s.whyMissing(name, set); why != "" {
			missing = append(missing, missingGuard{name, why})
		}
	}
	return missing
}

// isRequired reports whether a plugin's absence blocks, as its failure would.
func isRequired(set config.Plugin) bool { return set.OnFailure == "block" || len(requiredAt(set)) > 0 }

// requiredAt lists the single points at which a plugin's failure blocks.
func requiredAt(set config.Plugin) (points []hookpoints.Name) {
	for _, point := range slices.Sorted(maps.Keys(set.Hooks)) {
		if set.Hooks[point].OnFailure == "block" {
			points = append(points, point)
		}
	}
	return points
}

// expects reports whether a plugin of this name should be there in this run. A
// project's hook is expected where it is, or was approved.
func (s *session) expects(name string) bool {
	switch {
	case s.opts.noPlugins || s.opts.noHooks:
		return false
	case strings.HasPrefix(name, "recipe:") || strings.HasPrefix(name, "chibi:"):
		return false // they come with a recipe or a setting
	case strings.HasPrefix(name, projectHook):
		return s.foreign() && (s.hasPlugin(name) || s.project.approved(strings.TrimPrefix(name, projectHook)))
	case strings.HasPrefix(name, "kodelet:") || strings.HasPrefix(name, "kode:"):
		return s.foreign()
	}
	return true
}

// whyMissing says why a plugin is not there, "" if it is.
func (s *session) whyMissing(name string, set config.Plugin) string {
	i := slices.IndexFunc(s.loaded.Plugins, func(p plugin.Plugin) bool { return p.Name == name })
	if i >= 0 {
		if len(s.loaded.Plugins[i].Hooks) == 0 {
			return "it is there, but does not say at which hooks it wants to be asked"
		}
		for _, point := range requiredAt(set) {
			if !s.loaded.Plugins[i].Subscribes(point) {
				return fmt.Sprintf("it does not say that it wants to be asked at %s", point)
			}
		}
		return ""
	}
	for _, left := range s.loaded.LeftOut {
		switch left.Name {
		case name:
			if left.Untrusted {
				return left.Reason + "; see chibi trust"
			}
			return left.Reason
		case name + ".disabled", name + ".disable":
			return left.Reason
		}
	}
	return "there is no such plugin; chibi plugin list names them all"
}
