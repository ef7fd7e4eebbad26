package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func statusCommand(env *command.Env) *cli.Command {
	var asJSON bool
	var monitor string
	return env.Command(command.Spec{
		Name: "status", About: "say which store it is, whether it answers, how large it is, and what endangers it",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "monitor", Destination: &monitor,
				Usage: "also ask the monitoring port of a NATS server at `URL` how it writes to disk"},
			command.JSONFlag(&asJSON),
		},
		Examples: []string{"chibi-cluster store status", "chibi-cluster store status --monitor http://127.0.0.1:8222"},
		Run: func(ctx context.Context, _ []string) error {
			s, err := statusOf(ctx, env, monitor)
			switch {
			case err != nil:
				return err
			case asJSON:
				return env.Out.JSON(s)
			}
			return printStatus(env.Out, s)
		},
	})
}

type status struct {
	Engine      string   `json:"engine"`
	Place       string   `json:"place"`
	Home        string   `json:"home,omitempty"`
	Format      int      `json:"format,omitempty"`
	Contexts    *int     `json:"contexts,omitempty"`
	RoundTripMS float64  `json:"round_trip_ms"`
	ClockMS     *int64   `json:"clock_ahead_ms,omitempty"`
	Push        bool     `json:"push"`
	WhyNoPush   string   `json:"why_no_push,omitempty"`
	Servers     []server `json:"servers"`
	Parts       []part   `json:"parts"`
	Warnings    []string `json:"warnings"`
}

type server struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Current bool   `json:"current"`
	Lag     uint64 `json:"lag,omitempty"`
	// SilentSeconds is for how long the other servers have not heard from it.
	SilentSeconds float64 `json:"silent_seconds,omitempty"`
}

type part struct {
	Name     string `json:"name"`
	Records  uint64 `json:"records"`
	Bytes    int64  `json:"bytes"`
	Limit    int64  `json:"limit,omitempty"`
	Replicas int    `json:"replicas,omitempty"`
}

// statusOf asks the store, or counts the contexts of a home of files.
func statusOf(ctx context.Context, env *command.Env, monitor string) (status, error) {
	p, err := placeAt(env, "")
	if err != nil {
		return status{}, err
	}
	if p.IsShared() {
		s, err := p.Status(ctx, monitor)
		return describe(p, s), err
	}
	if monitor != "" {
		return status{}, command.Usage("store status --monitor is about servers, and contexts are files in %s", p)
	}
	c, err := p.Contents(ctx)
	if err != nil {
		return status{}, err
	}
	defer c.Close()
	names, err := c.Names(ctx)
	count := len(names)
	return status{Engine: "files", Place: p.String(), Contexts: &count,
		WhyNoPush: "chibi looks for mail in intervals", Servers: []server{}, Parts: []part{}, Warnings: []string{}}, err
}

func describe(p storage.Place, s store.Status) status {
	d := status{Engine: s.Engine, Place: p.String(), Home: s.Home, Format: s.Format, Push: s.Push, WhyNoPush: s.WhyNot,
		RoundTripMS: float64(s.RoundTrip.Microseconds()) / 1000, Servers: []server{}, Parts: []part{},
		Warnings: append([]string{}, s.Warnings...)}
	if ahead := s.Skew.Milliseconds(); s.HasSkew {
		d.ClockMS = &ahead
	}
	for _, one := range s.Servers {
		d.Servers = append(d.Servers, server{one.Name, one.Role, one.Current, one.Lag, one.Silent.Seconds()})
	}
	for _, one := range s.Parts {
		d.Parts = append(d.Parts, part(one))
	}
	return d
}

func printStatus(out *output.Printer, s status) error {
	rows := [][]string{{"store", s.Place}, {"engine", s.Engine}}
	if s.Contexts != nil {
		rows = append(rows, []string{"contexts", strconv.Itoa(*s.Contexts)})
		return out.Columns(rows)
	}
	push := "the store announces mail at once"
	if !s.Push {
		push = "chibi looks for mail in intervals: " + s.WhyNoPush
	}
	trip := time.Duration(s.RoundTripMS * float64(time.Millisecond)).Round(10 * time.Microsecond)
	rows = append(rows, []string{"home", s.Home}, []string{"format", strconv.Itoa(s.Format)},
		[]string{"round trip", trip.String()}, []string{"push", push})
	for _, one := range s.Servers {
		rows = append(rows, []string{"server", one.Name + ", " + one.Role + state(one)})
	}
	for _, one := range s.Parts {
		rows = append(rows, []string{"part", one.Name + ": " + size(one)})
	}
	if err := out.Columns(rows); err != nil {
		return err
	}
	for _, text := range s.Warnings {
		fmt.Fprintf(out.Screen.Stdout(), "%s  %s\n", out.Paint("warning", "warning"), text)
	}
	return nil
}

func state(s server) string {
	switch {
	case s.Current:
		return ", current"
	case s.SilentSeconds > 0:
		return fmt.Sprintf(", silent for %.0f s", s.SilentSeconds)
	case s.Lag > 0:
		return fmt.Sprintf(", behind by %s", english.Plural(int(s.Lag), "operation", ""))
	}
	return ", not current"
}

func size(p part) string {
	text := fmt.Sprintf("%s, %s", english.Plural(int(p.Records), "record", ""), humanize.IBytes(uint64(max(p.Bytes, 0))))
	if p.Limit > 0 {
		text += " of " + humanize.IBytes(uint64(p.Limit))
	}
	if p.Replicas > 0 {
		text += ", on " + english.Plural(p.Replicas, "server", "")
	}
	return text
}
