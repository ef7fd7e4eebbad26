package complete

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin/native"
)

// sources supplies the completions. Sources that cannot be read supply none.
type sources struct {
	env  *command.Env
	home string // the value of --home in the words before; "": not given
}

// typable returns the names that can be typed into any shell without quotes: a shell may
// insert a word without quoting it, and names of files are not trusted.
func typable(names []string) []string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-"
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || name[0] == '-' || strings.Trim(name, letters) != ""
	})
}

func (s sources) request() (app.Options, error) {
	opts, err := s.env.Request(app.ToRead)
	if s.home != "" {
		opts.Home = s.home
	}
	return opts, err
}

// read lists words that are read from a home; it asks no plugin unless list loads them.
func (s sources) read(ctx context.Context, list func(context.Context, *app.Session) []string) []string {
	opts, err := s.request()
	if err != nil {
		return nil
	}
	opts.Plugins.NativeOnly = true // no hook is asked for a word
	session, err := app.Open(ctx, opts)
	if err != nil {
		return nil
	}
	defer session.Close()
	return typable(list(ctx, session))
}

func newContexts() []string { return []string{"new", "new:"} }

// contextNames lists the contexts, "-" for the previous one, and more words.
func (s sources) contextNames(ctx context.Context, more []string) []string {
	opts, err := s.request()
	if err != nil {
		return nil
	}
	store, shut, err := app.OpenStore(ctx, opts)
	if err != nil {
		return nil
	}
	defer shut()
	list, err := store.Names(ctx)
	if err != nil {
		return nil
	}
	state, err := store.State(ctx)
	if err == nil && !slices.Contains(list, state.Current) {
		list = append(list, state.Current)
		slices.Sort(list)
	}
	list = typable(list)
	if state.Previous != "" {
		list = append(list, "-")
	}
	return append(list, more...)
}

// toolNames lists tools, and the plugins that -p accepts too. This asks plugins for their
// schemas, with the usual timeout.
func (s sources) toolNames(ctx context.Context, withPlugins bool) []string {
	return s.read(ctx, func(ctx context.Context, session *app.Session) (list []string) {
		if session.Load(ctx) != nil {
			return nil
		}
		for _, spec := range session.Agent.Tools.Specs() {
			list = append(list, spec.Name)
		}
		for _, p := range session.Loaded.Plugins {
			if withPlugins && len(p.Tools) > 0 && !slices.Contains(list, p.Name) {
				list = append(list, p.Name)
			}
		}
		return list
	})
}

func traceNames(_ context.Context, s *app.Session) []string {
	_, path, err := app.TracesOf(s).Last()
	if err != nil {
		return nil
	}
	turns, _, err := trace.ReadFile(path)
	if err != nil || len(turns) == 0 {
		return nil
	}
	return turns[len(turns)-1].Names()
}

func cachedIDs(ctx context.Context, s *app.Session) (list []string) {
	cached, _ := s.Cache().List(ctx)
	for _, e := range cached {
		list = append(list, e.ID)
	}
	return list
}

func (s sources) unsentIDs() (list []string) {
	opts, err := s.request()
	if err != nil {
		return nil
	}
	home, err := app.Home(opts.Home)
	if err != nil {
		return nil
	}
	for _, u := range contexts.HostOf(home).Unsent() {
		list = append(list, u.Name)
	}
	return typable(list)
}

func serverNames(_ context.Context, s *app.Session) []string {
	return slices.Sorted(maps.Keys(s.Config.MCP))
}

// serverTools lists the tools that an MCP server had when it was asked last, by its own names.
func (s sources) serverTools(ctx context.Context, server string) []string {
	return s.read(ctx, func(_ context.Context, session *app.Session) (list []string) {
		servers := app.MCPOf(session)
		found, err := servers.Find(server)
		if err != nil {
			return nil
		}
		if e, _ := servers.Remembered(found); e.List != nil {
			for _, d := range e.List.Tools {
				list = append(list, d.Name)
			}
		}
		return list
	})
}

func recipeNames(_ context.Context, s *app.Session) (list []string) {
	for _, l := range app.RecipesOf(s).List() {
		if l.Err == nil && !slices.Contains(list, l.Name) {
			list = append(list, l.Name)
		}
	}
	return list
}

// pluginNames lists the files of the plugins directory, without asking them.
func pluginNames(_ context.Context, s *app.Session) (list []string) {
	dir := s.Loader().Dir()
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if looksLikePlugin(filepath.Join(dir, e.Name())) {
			list = append(list, e.Name())
		}
	}
	return list
}

// looksLikePlugin reports whether an entry of the plugins directory is meant to be
// one: not hidden, not disabled, not a text or data.
func looksLikePlugin(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return true // a broken link
	}
	name, ext := filepath.Base(path), filepath.Ext(path)
	return !strings.HasPrefix(name, ".") && ext != native.DisabledSuffix && ext != ".toml" && ext != ".md" &&
		(info.IsDir() || info.Mode()&0o111 != 0 || ext != "")
}

func settings() (list []string) {
	for _, key := range config.SettableKeys() {
		list = append(list, key+"=")
	}
	return list
}
