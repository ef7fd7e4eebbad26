package cli

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/urfave/cli/v2"
)

func (p *program) hookListCommand(ctx context.Context) *cli.Command {
	var asJSON bool
	return leaf(ctx, "list", "", "list the hook points",
		func(context.Context, []string) error { return p.hookList(asJSON) }, jsonFlag(&asJSON))
}

// hookList lists the hook points.
func (p *program) hookList(asJSON bool) error {
	var rows [][]string
	var list []fields
	for _, info := range hookpoints.All() {
		rows = append(rows, []string{string(info.Name), string(info.Mode), powers(info)})
		list = append(list, fields{"point": info.Name, "mode": info.Mode, "can_change": info.CanChange(),
			"can_block": info.CanBlock(), "when": info.When})
	}
	if asJSON {
		return p.printJSON(list)
	}
	return p.printColumns(rows)
}

// powers says in words what a plugin can do at a point.
func powers(info hookpoints.Info) string {
	switch {
	case info.CanBlock():
		return "can change and block"
	case info.CanChange():
		return "can change"
	}
	return "observes"
}

// hookShow explains one hook point.
func (p *program) hookShow(_ context.Context, args []string) error {
	info, err := findPoint(args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.screen.Stdout(), hookdoc.Text(info))
	return err
}

// hookSchema prints the JSON Schemas of one hook point as one object.
func (p *program) hookSchema(_ context.Context, args []string) error {
	info, err := findPoint(args[0])
	if err != nil {
		return err
	}
	payload, answer, err := hookdoc.Schema(info)
	if err != nil {
		return err
	}
	return p.printJSON(map[string]any{"payload": payload, "answer": answer})
}

func findPoint(name string) (hookpoints.Info, error) {
	if info, ok := hookpoints.Find(hookpoints.Name(name)); ok {
		return info, nil
	}
	return hookpoints.Info{}, usage("there is no hook point %q; chibi hook list names them all", name)
}
