// Package hook has the commands about hook points.
package hook

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about hook points.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("hook", "the moments at which chibi asks plugins", []*cli.Command{
		listCommand(env), fireCommand(env), runCommand(env), showCommand(env), schemaCommand(env),
	})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the hook points", Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(context.Context, []string) error {
			if asJSON {
				return listJSON(env.Out)
			}
			return list(env.Out)
		},
	})
}

// list lists the hook points for people.
func list(out *output.Printer) error {
	var rows [][]string
	for _, info := range hookpoints.All() {
		rows = append(rows, []string{string(info.Name), string(info.Mode), command.Powers(info)})
	}
	return out.Columns(rows)
}

// listJSON lists the hook points as JSON.
func listJSON(out *output.Printer) error {
	var list []output.Fields
	for _, info := range hookpoints.All() {
		list = append(list, output.Fields{"point": info.Name, "mode": info.Mode, "can_change": info.CanChange(),
			"can_block": info.CanBlock(), "when": info.When})
	}
	return out.JSON(list)
}

func showCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "show", Args: "POINT", About: "explain one hook point: what a plugin receives and may answer",
		Run: func(_ context.Context, args []string) error { return show(env.Out, args[0]) },
	})
}

// show explains one hook point.
func show(out *output.Printer, name string) error {
	info, err := command.FindPoint(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out.Screen.Stdout(), hookdoc.Text(info))
	return err
}

func schemaCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "schema", Args: "POINT", About: "print the JSON Schemas of a hook point's payload and answer",
		Run: func(_ context.Context, args []string) error { return schema(env.Out, args[0]) },
	})
}

// schema prints the JSON Schemas of one hook point as one object.
func schema(out *output.Printer, name string) error {
	info, err := command.FindPoint(name)
	if err != nil {
		return err
	}
	payload, answer, err := hookdoc.Schema(info)
	if err != nil {
		return err
	}
	return out.JSON(map[string]any{"payload": payload, "answer": answer})
}
