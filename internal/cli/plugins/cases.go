package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/workbench/cases"
	"github.com/chibi-host/chibi/internal/workbench/scratch"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

var errTests = errors.New("tests failed, see above")

func testCommand(env *command.Env) *cli.Command {
	var verbose bool
	return env.Command(command.Spec{
		Name: "test", Args: "[FILE]...",
		About: "run the cases of *" + cases.Suffix + " files; without FILE, those in the plugins directory",
		Flags: []cli.Flag{command.Switch(&verbose, "all", "also name the cases that pass")},
		Examples: []string{"chibi plugin test my-filter" + cases.Suffix,
			"chibi trace --cases my-filter > my-filter" + cases.Suffix},
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			return runTests(ctx, env, s, tests{args, verbose})
		},
	})
}

type tests struct {
	args    []string // files, directories or names of plugins
	verbose bool
}

// runTests runs files of cases and prints as go test does.
func runTests(ctx context.Context, env *command.Env, s *app.Session, t tests) error {
	if len(t.args) == 0 {
		t.args = []string{s.Loader().Dir()}
	}
	files, err := caseFiles(s.Loader().Dir(), t.args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("there are no files *%s in %s", cases.Suffix, strings.Join(t.args, ", "))
	}
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.MakeScratch(opts, "test")
	if err != nil {
		return err
	}
	defer home.Remove()
	r := runner{session: s, home: home, out: env.Out, verbose: t.verbose}
	failed := false
	for _, path := range files {
		ok, err := r.testFile(ctx, path)
		if err != nil {
			return err
		}
		failed = failed || !ok
	}
	if failed {
		return errTests
	}
	return nil
}

type runner struct {
	session *app.Session
	home    *scratch.Home
	out     *output.Printer
	verbose bool // print the cases that pass too
}

func (r runner) testFile(ctx context.Context, path string) (ok bool, err error) {
	out, paint := r.out.Screen.Stdout(), r.out.Paint
	begun := time.Now()
	f, err := cases.Read(path)
	if err != nil {
		fmt.Fprintf(out, "%s\t%s\n\t%v\n", paint("error", "FAIL"), path, err)
		return false, nil
	}
	ok = true
	for _, c := range f.Cases {
		o, err := r.testCase(ctx, f, c)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return false, err
		}
		if len(o.Wrong) > 0 {
			ok = false
			fmt.Fprintf(out, "%s %s/%s (%.2fs)\n", paint("error", "--- FAIL:"), f.Plugin, o.Name, o.Took.Seconds())
			for _, wrong := range o.Wrong {
				fmt.Fprintf(out, "    %s\n", wrong)
			}
		} else if r.verbose {
			fmt.Fprintf(out, "--- PASS: %s/%s (%.2fs)\n", f.Plugin, o.Name, o.Took.Seconds())
		}
	}
	word := paint("ok", "ok  ")
	if !ok {
		word = paint("error", "FAIL")
	}
	fmt.Fprintf(out, "%s\t%s\t%.3fs\t(%s)\n", word, f.Plugin, time.Since(begun).Seconds(),
		english.Plural(len(f.Cases), "case", ""))
	return ok, nil
}

// testCase loads the plugin as the case wants it, in a scratch home without what
// earlier cases have left there, and runs the case.
func (r runner) testCase(ctx context.Context, f cases.File, c cases.Case) (_ cases.Outcome, err error) {
	if err := r.home.Renew(); err != nil {
		return cases.Outcome{}, err
	}
	s := r.session
	defer app.RunIn(s, r.home, pairs(c.Env)...)()
	opts := s.Loader().Native()
	opts.Only, opts.AllowLinks = []string{f.Plugin}, []string{"/"}
	if opts.Dir, err = pluginDir(f, s.Loader().Dir()); err != nil {
		return cases.Outcome{}, err
	}
	opts.Context, opts.Spool, opts.Reserved = c.ContextName(), nil, nil
	opts.Runner.Stderr = nil
	loaded, err := native.Load(ctx, opts)
	switch {
	case err != nil:
		return cases.Outcome{}, err
	case len(loaded.Plugins) == 0:
		why := fmt.Sprintf("there is no plugin %q beside the file or in %s", f.Plugin, s.Loader().Dir())
		if len(loaded.Skipped) > 0 {
			why = "the plugin is left out: " + loaded.Skipped[0].Reason
		}
		return cases.Outcome{Name: c.Name, Wrong: []string{why}}, nil
	}
	return c.Run(ctx, &loaded.Plugins[0]), nil
}

func pairs(variables map[string]string) (list []string) {
	for name, value := range variables {
		list = append(list, name+"="+value)
	}
	return list
}

func caseFiles(plugins string, args []string) (files []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist) && arg != plugins:
			own := ownCases(plugins, arg)
			if len(own) == 0 {
				return nil, fmt.Errorf("there is no file %s, and none %s%s in %s", arg, arg, cases.Suffix, plugins)
			}
			files = append(files, own...)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case info.IsDir():
			for _, pattern := range []string{"*" + cases.Suffix, "*/*" + cases.Suffix} {
				found, err := filepath.Glob(filepath.Join(arg, pattern))
				if err != nil {
					return nil, err
				}
				files = append(files, found...)
			}
		default:
			files = append(files, arg)
		}
	}
	return files, nil
}

func ownCases(plugins, name string) (files []string) {
	for _, path := range []string{filepath.Join(plugins, name+cases.Suffix),
		filepath.Join(plugins, name, name+cases.Suffix)} {
		if _, err := os.Stat(path); err == nil {
			files = append(files, path)
		}
	}
	return files
}

// pluginDir returns the directory that has the plugin of a file with cases: the directory of the
// file, the one above if the file is in the plugin's own directory, or the plugins
// directory.
func pluginDir(f cases.File, plugins string) (string, error) {
	beside, err := filepath.Abs(filepath.Dir(f.Path))
	if err != nil {
		return "", err
	}
	if filepath.Base(beside) == f.Plugin {
		if _, err := os.Stat(filepath.Join(beside, f.Plugin)); err == nil {
			return filepath.Dir(beside), nil
		}
	}
	if _, err := os.Stat(filepath.Join(beside, f.Plugin)); err != nil {
		return plugins, nil
	}
	return beside, nil
}
