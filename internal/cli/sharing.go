package cli

import (
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/doctor"
	storecmd "github.com/chibi-host/chibi/internal/cli/store"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
	"github.com/urfave/cli/v2"
)

// Sharing is what a program has for stores that machines share. The zero value is that of the
// plain program, which keeps files only: none of the code for such stores is linked into it.
type Sharing struct {
	app           storage.Sharing
	store, doctor func(*command.Env) []*cli.Command
}

// Share returns what a program needs to reach stores by drivers, and the commands about them.
func Share(drivers store.Drivers) Sharing {
	return Sharing{storage.Share(drivers), storecmd.Commands, doctor.SharedCommands}
}

// doctorIn lists the command doctor.
func (s Sharing) doctorIn(env *command.Env) []*cli.Command {
	if s.doctor != nil {
		return s.doctor(env)
	}
	return doctor.Commands(env)
}

// storeIn lists the commands about stores; in the plain program they say which program has
// them.
func (s Sharing) storeIn(env *command.Env) []*cli.Command {
	if s.store != nil {
		return s.store(env)
	}
	elsewhere := func(name, takes string, flags ...cli.Flag) *cli.Command {
		return &cli.Command{Name: name, ArgsUsage: takes, Usage: "chibi-cluster has it, see docs/CLUSTER.md", Flags: flags,
			Action: func(*cli.Context) error { return app.UsageError{Err: storage.ErrPlain} }}
	}
	value := func(name string) cli.Flag { return &cli.StringFlag{Name: name, Hidden: true} }
	mark := func(name string) cli.Flag { return &cli.BoolFlag{Name: name, Hidden: true} }
	return []*cli.Command{env.Group("store", "where contexts are kept, for many machines (in chibi-cluster)",
		[]*cli.Command{
			elsewhere("init", "", value("replicas"), value("max-output-bytes")),
			elsewhere("status", "", mark("json"), value("monitor")), elsewhere("copy", "FROM TO", mark("dry-run")),
			elsewhere("gc", ""), elsewhere("check", "", mark("json")), elsewhere("unlock", "CONTEXT"),
			elsewhere("settings", "CONTEXT", mark("replace"), mark("remove")),
		})}
}
