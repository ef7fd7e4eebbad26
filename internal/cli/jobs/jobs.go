// Package jobs has the commands about processes that a model's commands left running.
package jobs

import (
	"context"
	"strconv"
	"time"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/jobs"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// patience is how long a process has to end by itself.
const patience = 2 * time.Second

// Commands lists the command jobs.
func Commands(env *command.Env) []*cli.Command {
	list := env.Command(command.Spec{
		Name: "list", About: "list processes that the model's commands left running, with their ids",
		Run: func(context.Context, []string) error { return list(env) },
	})
	end := env.Command(command.Spec{
		Name: "end", Args: "ID...", About: "end such processes, and everything that they started",
		Examples: []string{"chibi jobs end 4711"},
		Run:      func(ctx context.Context, args []string) error { return end(ctx, env, args) },
	})
	group := env.Group("jobs", "processes that the model's commands left running", []*cli.Command{list, end})
	group.Action = list.Action
	return []*cli.Command{group}
}

// list prints the jobs.
func list(env *command.Env) error {
	all, err := jobs.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		env.Out.Notice("no command of the model has left anything running")
		return nil
	}
	rows := [][]string{{"ID", "STARTED", "COMMAND", "IN"}}
	for _, j := range all {
		rows = append(rows, []string{strconv.Itoa(j.PID), humanize.Time(j.Started),
			term.Visible(j.Command), term.Visible(j.Dir)}) // whoever starts a job chooses both
	}
	return env.Out.Columns(rows)
}

// end ends jobs.
func end(ctx context.Context, env *command.Env, ids []string) error {
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		if err != nil {
			return command.Usage("%q is not the id of a process; chibi jobs lists them", id)
		}
		bounded, cancel := context.WithTimeout(ctx, patience)
		err = jobs.End(bounded, pid)
		cancel()
		if err != nil {
			return err
		}
		env.Out.Notef("process %d has ended", pid)
	}
	return nil
}
