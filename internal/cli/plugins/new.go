package plugins

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

type newFlags struct {
	lang, dir string
	hooks     []string
	tool      bool
	category  string
	resident  bool
}

func newCommand(env *command.Env) *cli.Command {
	var f newFlags
	return env.Command(command.Spec{
		Name: "new", Args: "PLUGIN",
		About: "write the beginning of a plugin: working, with the fields of its hooks in comments",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lang", Usage: "write it in `LANGUAGE`: " + english.WordSeries(scaffold.Languages(), "or"),
				Value: "sh", Destination: &f.lang},
			&cmdline.Flag{Name: "hook", Takes: cmdline.Word("POINT", cmdline.Point), Into: cmdline.List(&f.hooks),
				About: "subscribe it to the hook POINT; you can give it several times"},
			command.Switch(&f.tool, "tool", "make it a tool, with a description that tells the model what it does"),
			&cli.StringFlag{Name: "category", Usage: "make it a tool that permission rules know as `CATEGORY`: " +
				scaffold.CategoryNames(), Destination: &f.category},
			command.Switch(&f.resident, "resident", "it is started once per session and answers all events in one process"),
			&cli.StringFlag{Name: "dir", Usage: "write it into `DIRECTORY`, not into the plugins directory",
				Destination: &f.dir},
		},
		Examples: []string{"chibi plugin new my-filter --lang python --hook pre_api_tools", "chibi plugin new dice --tool"},
		Run: func(ctx context.Context, args []string) error {
			files, err := newFiles(args[0], f)
			if err != nil {
				return err
			}
			return env.With(ctx, app.ToRead, func(s *app.Session) error {
				return writeNew(env, s, newPlugin{args[0], f.dir, files})
			})
		},
	})
}

func newFiles(name string, f newFlags) ([]scaffold.File, error) {
	f.tool = f.tool || f.category != ""
	if f.tool && slices.Contains(builtin.Names(), name) {
		return nil, command.Usage("chibi has a tool %q built in, and would use that; take a different name", name)
	}
	plan := scaffold.Plan{Name: name, Lang: f.lang, Tool: f.tool, Category: tools.Category(f.category),
		Resident: f.resident}
	for _, point := range f.hooks {
		info, err := command.FindPoint(point)
		if err != nil {
			return nil, err
		}
		plan.Hooks = append(plan.Hooks, info)
	}
	files, err := plan.Files()
	if err != nil {
		return nil, app.UsageError{Err: err}
	}
	return files, nil
}

type newPlugin struct {
	name  string
	dir   string // "": the plugins directory
	files []scaffold.File
}

func writeNew(env *command.Env, s *app.Session, p newPlugin) error {
	dir := cmp.Or(p.dir, s.Loader().Dir())
	target := filepath.Join(dir, p.name)
	if err := within.CheckWrite(env.Within, "chibi plugin new", target); err != nil {
		return err
	}
	if disk.IsTaken(target) {
		return fmt.Errorf("%s is there already; remove it, or take a different name", target)
	}
	for _, file := range p.files {
		if err := disk.WriteFile(filepath.Join(dir, file.Path), []byte(file.Text), file.Mode); err != nil {
			return fmt.Errorf("writing the plugin: %w", err)
		}
	}
	checked := p.name
	if p.dir != "" {
		checked = target
	}
	return env.Out.Say("Wrote %s; try it: chibi plugin check %s", target, checked)
}
