package cli

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/urfave/cli/v2"
)

//go:embed completion
var completionScripts embed.FS

// completion prints the script for a shell.
func (p *program) completion(_ context.Context, args []string) error {
	script, err := completionScripts.ReadFile("completion/chibi." + args[0])
	if err != nil {
		return usage("there is no completion for %q; there is for bash, zsh and fish", args[0])
	}
	_, err = p.screen.Stdout().Write(script)
	return err
}

// complete prints what the last of the words may become, one a line. It says
// nothing about errors: a shell in the middle of a line has no place for them.
func (p *program) complete(ctx context.Context, words []string) error {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	c := completer{program: p, app: p.app(ctx), last: words[len(words)-1]}
	for _, word := range c.candidates(ctx, words[:len(words)-1]) {
		if strings.HasPrefix(word, c.last) {
			fmt.Fprintln(p.screen.Stdout(), word)
		}
	}
	return nil
}

// completer finds what a word may become.
type completer struct {
	*program
	app  *cli.App
	last string // the word that is being written
}

// candidates lists what may follow the words before.
func (c completer) candidates(ctx context.Context, before []string) []string {
	flags, rest := c.app.Flags, before
	for len(rest) > 0 {
		word := rest[0]
		if word == "--" {
			return nil
		}
		if !strings.HasPrefix(word, "-") {
			return c.afterCommand(ctx, rest)
		}
		f := cmdline.Ending(flags, word)
		rest = rest[1:]
		if f == nil || strings.Contains(word, "=") {
			continue
		}
		if f.Names()[0] == "home" && len(rest) > 0 {
			c.opts.home = rest[0]
		}
		for _, kind := range cmdline.Kinds(f) {
			if len(rest) == 0 || kind == cmdline.Rest {
				return c.words(ctx, kind)
			}
			rest = rest[1:]
		}
	}
	return append(c.commandNames(c.app.Commands), cmdline.NamesOf(flags)...)
}

// afterCommand lists what may follow words that begin with a command.
func (c completer) afterCommand(ctx context.Context, words []string) []string {
	commands := c.app.Commands
	for i, word := range words {
		at := slices.IndexFunc(commands, func(cmd *cli.Command) bool { return cmd.HasName(word) })
		if at < 0 {
			return nil // a prompt
		}
		found := commands[at]
		if len(found.Subcommands) == 0 {
			return c.arguments(ctx, found, words[:i+1], words[i+1:])
		}
		commands = found.Subcommands
	}
	return c.commandNames(commands)
}

// arguments lists what a command takes next.
func (c completer) arguments(ctx context.Context, found *cli.Command, path, words []string) []string {
	if len(words) > 0 {
		if f := cmdline.Ending(found.Flags, words[len(words)-1]); f != nil && len(cmdline.Kinds(f)) > 0 {
			if f.Names()[0] == "context" {
				return c.contextNames(false)
			}
			return c.words(ctx, cmdline.Kinds(f)[0])
		}
	}
	own, _ := cmdline.SplitCommand(words, found.Flags)
	list := cmdline.NamesOf(found.Flags)
	takesWords := strings.Fields(found.ArgsUsage)
	next := len(own.Words)
	if last := len(takesWords) - 1; last >= 0 && strings.HasSuffix(takesWords[last], "...") {
		next = min(next, last)
	}
	if next >= len(takesWords) {
		return list
	}
	switch strings.Trim(takesWords[next], "[].") {
	case "NAME", "OLD":
		return append(c.contextNames(path[len(path)-1] == "switch"), list...)
	case "PLUGIN":
		list = append(list, c.pluginNames()...)
	case "TOOL":
		list = append(list, c.toolNames(ctx, false)...)
	case "POINT":
		list = append(list, pointNames()...)
	case "RECIPE":
		list = append(list, c.recipeNames()...)
	case "FILE":
		if found.Name == "trace" {
			list = append(list, "explain")
		}
	case "ABOUT":
		if own.Words[0] == "explain" {
			list = append(list, c.traceNames()...)
		}
	case "ID":
		list = append(list, c.cachedIDs()...)
	case "SHELL":
		list = append(list, "bash", "zsh", "fish")
	}
	return list
}

// words lists the words of a kind that a flag takes.
func (c completer) words(ctx context.Context, kind cmdline.Kind) []string {
	switch kind {
	case cmdline.Context:
		return c.contextNames(false)
	case cmdline.NewContext:
		return c.contextNames(true)
	case cmdline.Thing:
		return inspectable()
	case cmdline.Setting:
		var list []string
		for _, key := range config.SettableKeys() {
			list = append(list, key+"=")
		}
		return list
	case cmdline.DebugKey:
		var list []string
		for _, key := range knownDebugKeys() {
			list = append(list, key.written())
		}
		return list
	case cmdline.Plugin:
		return c.pluginNames()
	case cmdline.Point:
		return pointNames()
	case cmdline.Recipe:
		return c.recipeNames()
	case cmdline.Tool, cmdline.PluginOrTool:
		return c.toolNames(ctx, kind == cmdline.PluginOrTool)
	}
	return nil
}

func (c completer) contextNames(mayBeNew bool) []string {
	home, err := app.Home(c.opts.home)
	if err != nil {
		return nil
	}
	store, err := contexts.Open(home)
	if err != nil {
		return nil
	}
	list, err := store.Names(context.Background())
	if err != nil {
		return nil
	}
	state, err := store.State(context.Background())
	if err == nil && !slices.Contains(list, state.Current) {
		list = append(list, state.Current)
		slices.Sort(list)
	}
	list = typable(list)
	if state.Previous != "" {
		list = append(list, "-")
	}
	if mayBeNew {
		list = append(list, "new", "new:")
	}
	return list
}

// typable are the names that can be typed into any shell as they are: a shell
// may insert a word without quoting it, and names of files come from anywhere.
func typable(names []string) []string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-"
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || name[0] == '-' || strings.Trim(name, letters) != ""
	})
}

// toolNames lists tools, and the plugins that -p finds too. Plugins are asked
// for that, bounded in time as always.
func (c completer) toolNames(ctx context.Context, withPlugins bool) []string {
	s, err := c.open(ctx, app.ToRead, func(opts *app.Options) {
		opts.Plugins.NativeOnly = true // no hook is asked for a word
	})
	if err != nil {
		return nil
	}
	defer s.Close()
	if s.Load(ctx) != nil {
		return nil
	}
	var list []string
	for _, spec := range s.Agent.Tools.Specs() {
		list = append(list, spec.Name)
	}
	for _, p := range s.Loaded.Plugins {
		if withPlugins && len(p.Tools) > 0 && !slices.Contains(list, p.Name) {
			list = append(list, p.Name)
		}
	}
	return typable(list)
}

// traceNames lists what trace explain can be asked about.
func (c completer) traceNames() []string {
	_, turns, err := c.traceTurns(nil)
	if err != nil {
		return nil
	}
	return typable(turns[len(turns)-1].Names())
}

// cachedIDs lists the large tool outputs of the current context.
func (c completer) cachedIDs() (list []string) {
	s, err := c.openWithoutPlugins()
	if err != nil {
		return nil
	}
	defer s.Close()
	cached, _ := s.Cache().List()
	for _, e := range cached {
		list = append(list, e.ID)
	}
	return typable(list)
}

func pointNames() (list []string) {
	for _, info := range hookpoints.All() {
		list = append(list, string(info.Name))
	}
	return list
}

// pluginNames lists the files of the plugins folder, without asking them.
func (c completer) pluginNames() (list []string) {
	s, err := c.openWithoutPlugins()
	if err != nil {
		return nil
	}
	defer s.Close()
	entries, _ := os.ReadDir(s.Loader().Dir())
	for _, e := range entries {
		if s.looksLikePlugin(e.Name()) {
			list = append(list, e.Name())
		}
	}
	return typable(list)
}

func (c completer) recipeNames() (list []string) {
	s, err := c.openWithoutPlugins()
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, l := range app.Library(s.Session).List() {
		if l.Err == nil && !slices.Contains(list, l.Name) {
			list = append(list, l.Name)
		}
	}
	return typable(list)
}

func (c completer) commandNames(commands []*cli.Command) []string {
	var list []string
	for _, cmd := range commands {
		if !cmd.Hidden {
			list = append(list, cmd.Name)
		}
	}
	return list
}

// looksLikePlugin reports whether an entry of the plugins folder is meant to be
// one: not hidden, not disabled, not a text or data.
func (s *session) looksLikePlugin(name string) bool {
	info, err := os.Stat(filepath.Join(s.Loader().Dir(), name))
	if err != nil {
		return true // a broken link
	}
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".disabled") && filepath.Ext(name) != ".toml" &&
		filepath.Ext(name) != ".md" &&
		(info.IsDir() || info.Mode()&0o111 != 0 || filepath.Ext(name) != "")
}
