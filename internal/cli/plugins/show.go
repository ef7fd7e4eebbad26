package plugins

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

func showCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "show", Args: "PLUGIN",
		About:    "show what a plugin can see and do, where it came from, and whether it has changed",
		Flags:    []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Examples: []string{"chibi plugin show my-filter"},
		Run:      func(ctx context.Context, args []string) error { return show(ctx, env, args[0]) },
	})
}

func show(ctx context.Context, env *command.Env, name string) error {
	s, err := openAskingAgain(ctx, env, app.ToRead)
	if err != nil {
		return err
	}
	defer s.Close()
	if isForeign(name) {
		return showForeign(ctx, env, s, name)
	}
	if name, err = fileName(ctx, env, s, name); err != nil {
		return err
	}
	runs, err := describe(env, s, name)
	switch {
	case err != nil:
		return err
	case runs:
		return showSchema(ctx, env, s, name)
	}
	_, err = ask(ctx, env, s, name)
	return err
}

func showForeign(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	p, left, err := findLoaded(ctx, s, name)
	switch {
	case err != nil:
		return err
	case left != nil:
		return fmt.Errorf("%s is left out: %s", name, whyLeftOut(left.Reason, left.Untrusted))
	}
	out := env.Out.Screen.Stdout()
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(p.Origin.Path))
	showPowers(out, p)
	return nil
}

// describe shows what is known of a plugin without running it, and reports whether
// every run of chibi runs it already.
func describe(env *command.Env, s *app.Session, name string) (runs bool, err error) {
	out := env.Out.Screen.Stdout()
	dir := directory(env, s)
	if !dir.Has(name) {
		return false, command.Usage("there is no plugin %q in %s; chibi plugin list names them all", name, dir.Path)
	}
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(dir.File(name)))
	showOrigin(env, dir, name)
	_, leftOut := native.Find(s.Loader().Native(), name)
	if leftOut != nil {
		fmt.Fprintf(out, "  note   %s\n", term.Line(leftOut.Reason))
	}
	if real, unusable := native.Find(optionsToShow(s.Loader().Native(), name), name); unusable == nil {
		showExecutable(out, real)
	}
	return leftOut == nil, nil
}

func showOrigin(env *command.Env, dir installed.Dir, name string) {
	out := env.Out.Screen.Stdout()
	path := dir.File(name)
	if hash, err := installed.Hash(path); err == nil {
		fmt.Fprintf(out, "  hash   %s\n", hash[:16])
	}
	list, err := installed.Read(dir.Home)
	if err != nil {
		env.Out.Notice(err.Error())
		return
	}
	if one, known := list[name]; known {
		fmt.Fprintf(out, "  from   %s, installed %s\n", term.Name(one.Source), humanize.Time(one.At))
		if one.Changed(path) {
			fmt.Fprintf(out, "  note   it has changed since it was installed, its hash was %s\n",
				one.SHA256[:min(16, len(one.SHA256))])
		}
	}
}

const maxDescribed = 1 << 20

func showExecutable(out io.Writer, path string) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDescribed))
	if err != nil {
		return
	}
	how := "a program"
	if line, _, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(line, "#!") {
		how = "a script for " + strings.TrimSpace(strings.TrimPrefix(line, "#!"))
	}
	fmt.Fprintf(out, "  runs   %s (%s)\n", term.Name(path), term.Name(how))
	var names []string
	for _, name := range hookpoints.Names() {
		if strings.Contains(string(text), name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "  text   names %s\n", strings.Join(names, ", "))
	}
}

// isForeign reports whether a name belongs to a hook of another program, such as
// kodelet:guard.
func isForeign(name string) bool { return strings.Contains(name, ":") }

// findLoaded finds a plugin by its name or one in its schema, or why it is left out.
func findLoaded(ctx context.Context, s *app.Session, name string) (*plugin.Plugin, *plugin.SkippedPlugin, error) {
	if err := s.Load(ctx); err != nil {
		return nil, nil, err
	}
	if p := plugin.Find(s.Loaded.Plugins, name); p != nil {
		return p, nil, nil
	}
	for i := range s.Loaded.Skipped {
		if left := &s.Loaded.Skipped[i]; left.Name == name || slices.Contains(left.Called, name) {
			return nil, left, nil
		}
	}
	return nil, nil, command.NoPlugin(s.Loaded, name)
}

func whyLeftOut(reason string, untrusted bool) string {
	if untrusted {
		return reason + "; approve it with: chibi trust"
	}
	return reason
}
