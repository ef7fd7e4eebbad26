package cli

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
	"github.com/chibi-host/chibi/internal/workbench/cases"
	"github.com/chibi-host/chibi/internal/workbench/scratch"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// errTests is how tests end that failed, which was printed.
var errTests = errors.New("tests failed, see above")

func (p *program) testCommand(ctx context.Context) *cli.Command {
	var verbose bool
	return withExample(leaf(ctx, "test", "[FILE]...", "run the cases of *"+cases.Suffix+
		" files; those in the plugins folder without a name", func(ctx context.Context, args []string) error {
		return p.pluginTest(ctx, args, verbose)
	}, &cli.BoolFlag{Name: "all", Usage: "name the cases that pass too", DisableDefaultText: true, Destination: &verbose}),
		"chibi plugin test my-filter"+cases.Suffix, "chibi trace --cases my-filter > my-filter"+cases.Suffix)
}

// pluginTest runs files of cases and prints like go test.
func (p *program) pluginTest(ctx context.Context, args []string, verbose bool) error {
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.Close()
	files, err := s.caseFiles(args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		if len(args) == 0 {
			args = []string{s.Loader().Dir()}
		}
		return fmt.Errorf("there are no files *%s in %s", cases.Suffix, strings.Join(args, ", "))
	}
	opts, err := p.request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.MakeScratch(opts, "test")
	if err != nil {
		return err
	}
	defer home.Remove()
	failed := false
	for _, path := range files {
		ok, err := s.testFile(ctx, path, home, verbose)
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

// caseFiles are the files that a person means: files, those in folders, or those
// of plugins in the plugins folder.
func (s *session) caseFiles(args []string) (files []string, err error) {
	if len(args) == 0 {
		args = []string{s.Loader().Dir()}
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist) && arg != s.Loader().Dir():
			own := s.ownCases(arg)
			if len(own) == 0 {
				return nil, fmt.Errorf("there is no file %s, and none %s%s in %s", arg, arg, cases.Suffix, s.Loader().Dir())
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

// ownCases are the files with the cases of a plugin in the plugins folder: beside
// it, or in its folder.
func (s *session) ownCases(name string) (files []string) {
	for _, path := range []string{filepath.Join(s.Loader().Dir(), name+cases.Suffix),
		filepath.Join(s.Loader().Dir(), name, name+cases.Suffix)} {
		if _, err := os.Stat(path); err == nil {
			files = append(files, path)
		}
	}
	return files
}

// testFile runs the cases of one file.
func (s *session) testFile(ctx context.Context, path string, home *scratch.Home, verbose bool) (ok bool, err error) {
	out := s.screen.Stdout()
	begun := time.Now()
	f, err := cases.Read(path)
	if err != nil {
		fmt.Fprintf(out, "%s\t%s\n\t%v\n", s.paint("error", "FAIL"), path, err)
		return false, nil
	}
	ok = true
	for _, c := range f.Cases {
		o, err := s.testCase(ctx, f, c, home)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return false, err
		}
		if len(o.Wrong) > 0 {
			ok = false
			fmt.Fprintf(out, "%s %s/%s (%.2fs)\n", s.paint("error", "--- FAIL:"), f.Plugin, o.Name, o.Took.Seconds())
			for _, wrong := range o.Wrong {
				fmt.Fprintf(out, "    %s\n", wrong)
			}
		} else if verbose {
			fmt.Fprintf(out, "--- PASS: %s/%s (%.2fs)\n", f.Plugin, o.Name, o.Took.Seconds())
		}
	}
	word := s.paint("ok", "ok  ")
	if !ok {
		word = s.paint("error", "FAIL")
	}
	fmt.Fprintf(out, "%s\t%s\t%.3fs\t(%s)\n", word, f.Plugin, time.Since(begun).Seconds(),
		english.Plural(len(f.Cases), "case", ""))
	return ok, nil
}

// testCase loads the plugin as the case wants it, in a scratch home without what
// earlier cases have left there, and runs the case.
func (s *session) testCase(ctx context.Context, f cases.File, c cases.Case,
	home *scratch.Home) (_ cases.Outcome, err error) {
	if err := home.Renew(); err != nil {
		return cases.Outcome{}, err
	}
	defer app.RunIn(s.Session, home, pairs(c.Env)...)()
	name := "default"
	if c.Context != "" {
		name = c.Context
	}
	opts := s.Loader().Native()
	opts.Only, opts.AllowLinks = []string{f.Plugin}, []string{"/"}
	if opts.Dir, err = s.folderOf(f); err != nil {
		return cases.Outcome{}, err
	}
	opts.Context, opts.Spool, opts.Reserved = name, nil, nil
	opts.Runner.Stderr = nil
	loaded, err := native.Load(ctx, opts)
	switch {
	case err != nil:
		return cases.Outcome{}, err
	case len(loaded.Plugins) == 0:
		why := fmt.Sprintf("there is no plugin %q beside the file or in %s", f.Plugin, s.Loader().Dir())
		if len(loaded.LeftOut) > 0 {
			why = "the plugin is left out: " + loaded.LeftOut[0].Reason
		}
		return cases.Outcome{Name: c.Name, Wrong: []string{why}}, nil
	}
	return c.Run(ctx, &loaded.Plugins[0]), nil
}

// folderOf is the folder that holds the plugin of a file with cases: that of the
// file, the one above if the file is in the plugin's own folder, or the plugins
// folder.
func (s *session) folderOf(f cases.File) (string, error) {
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
		return s.Loader().Dir(), nil
	}
	return beside, nil
}

// pairs are variables as KEY=VALUE.
func pairs(variables map[string]string) (list []string) {
	for name, value := range variables {
		list = append(list, name+"="+value)
	}
	return list
}
