package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/toolbox"
	plugincheck "github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize/english"
)

func installedPlugins(_ context.Context, s *app.Session) []finding {
	if _, err := installed.Read(s.Home); err != nil {
		return []finding{failure(err.Error(), "remove the file; the plugins are not removed")}
	}
	return nil
}

// exposedKeys finds plugins whose tools receive the model's key or what opens the store. A tool that runs
// commands, such as "env", shows it to the model.
func exposedKeys(_ context.Context, s *app.Session) []finding {
	variables := s.Loader().KeyVariables()
	var names []string
	for _, p := range s.Loaded.Plugins {
		if len(p.Tools) > 0 && p.Origin.Protocol == native.Protocol && !app.HidesKey(s.Config, p.Name) {
			names = append(names, p.Name)
		}
	}
	if len(variables) == 0 || len(names) == 0 {
		return nil
	}
	return []finding{warning(
		fmt.Sprintf("the tools of %s %s receive keys or passwords in %s; a tool that runs commands can show them to "+
			"the model",
			english.PluralWord(len(names), "plugin", ""), strings.Join(names, ", "), strings.Join(variables, ", ")),
		"to hide them from all plugins, set hide_key = true under [plugins] in "+filepath.Join(s.Home, "config.toml")+
			"; to hide them from one plugin, under [plugins.NAME]")}
}

func skippedPlugins(_ context.Context, s *app.Session) (found []finding) {
	reported := map[finding]bool{} // the hooks of one file have one reason
	for _, l := range s.Loaded.Skipped {
		text := fmt.Sprintf("plugin %q is left out: %s", l.Name, l.Reason)
		switch {
		case l.Required: // it is among the missing guards
		case l.Untrusted:
			one := warning(fmt.Sprintf("the hook %s came with this directory, and chibi does not run it: %s", l.Origin.Path,
				l.Reason), "chibi trust")
			if l.Origin.Line > 0 {
				one.Text = fmt.Sprintf("the hooks in %s came with this directory, and chibi does not run them: %s", l.Origin.Path,
					l.Reason)
			}
			if !reported[one] {
				found = append(found, one)
			}
			reported[one] = true
		case s.Loaded.BuiltIn(l.Name):
			text, _, _ = strings.Cut(text, "; remove the plugin") // the advice stands once
			found = append(found, warning(text, "chibi plugin disable "+term.ShellWord(l.Name)))
		case l.Reportable && l.Origin.Line > 0:
			found = append(found, failure(text, "correct it there, or chibi plugin list"))
		case l.Reportable:
			found = append(found, failure(text, checkCommand(l.Name)+", or chibi plugin list"))
		}
	}
	return found
}

func checkCommand(name string) string { return "chibi plugin check " + term.ShellWord(name) }

func pluginNotices(_ context.Context, s *app.Session) (found []finding) {
	for _, n := range s.Loaded.Notices {
		fix := checkCommand(n.Plugin)
		if _, isAgent := agents.NameOf(n.Plugin); isAgent {
			fix = "chibi plugin list"
			if theirs.SaysUnused(n) {
				continue // the check of agents' hooks says it
			}
		}
		found = append(found, warning(n.String(), fix))
	}
	return found
}

func uncheckedTools(_ context.Context, s *app.Session) (found []finding) {
	for i := range s.Loaded.Plugins {
		p := &s.Loaded.Plugins[i]
		for _, text := range plugincheck.UnusableParameters(p) {
			found = append(found, warning(text, checkCommand(p.Name)))
		}
	}
	return found
}

// unseenTools finds tools that seem to do what guards and rules are about, and have no category.
func unseenTools(_ context.Context, s *app.Session) (found []finding) {
	for _, unseen := range toolbox.Of(s.Agent, s.Loaded.Plugins).Unseen() {
		one := warning(fmt.Sprintf("%v %v", unseen.Tool, unseen), unseen.Remedy())
		if len(unseen.By) > 0 {
			one.Level = levelError
		}
		found = append(found, one)
	}
	return found
}

func differedPlugins(_ context.Context, s *app.Session) (found []finding) {
	for _, p := range s.Loader().Differed(s.Loaded.Plugins) {
		fix := "let it always print the same; chibi remembers it again when its file changes"
		if p.Origin.Protocol == native.Protocol {
			fix = `if its --schema depends on more than its file, write "cache": false into it; otherwise ` + fix
		}
		found = append(found, warning(fmt.Sprintf("plugin %q described itself in different ways, although its file is the "+
			"same; chibi asks it at every start", p.Name), fix))
	}
	return found
}

func loadedPlugins(_ context.Context, s *app.Session) []finding {
	count := len(external(s.Loaded.Plugins))
	if count == 0 {
		return nil
	}
	return []finding{fine(english.Plural(count, "plugin", "") + " loaded")}
}

func external(plugins []plugin.Plugin) []plugin.Plugin {
	return slices.DeleteFunc(slices.Clone(plugins), func(p plugin.Plugin) bool {
		return p.Origin.Protocol == app.BuiltIn
	})
}

// missingGuards finds guards that are required, by the configuration or by themselves, and are
// not loaded.
func missingGuards(_ context.Context, s *app.Session) (found []finding) {
	for _, m := range app.GuardsOf(s).Missing() {
		found = append(found, failure(
			fmt.Sprintf("the guard %q is missing: %s; chibi answers no prompt without it", m.Name, m.Why),
			m.Remedy()))
	}
	return found
}

func openGuards(_ context.Context, s *app.Session) (found []finding) {
	for _, p := range s.Loaded.Plugins {
		failsOpen := func(point hookpoints.Name) bool { return p.FailureAt(point) != plugin.Block }
		if slices.ContainsFunc(p.Guards, failsOpen) {
			found = append(found, warning(fmt.Sprintf("the guard %q fails open: its failure does not block", p.Name),
				fmt.Sprintf(`to make its failure block, set "on_failure": "block" in its --schema, or `+
					`[plugins.%s] on_failure = "block" in config.toml`, guards.KeyText(p.Name))))
		}
	}
	return found
}

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
	return []finding{warning("chibi keeps no plugins between runs: "+err.Error(), "chibi plugin keeper stop")}
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
