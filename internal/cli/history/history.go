// Package history has the commands about the transcript: history shows it, retry
// repeats a prompt that got no answer.
package history

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands history and retry.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{
		historyCommand(env),
		env.Command(command.Spec{
			Name: "retry", About: "send the latest prompt again, if it got no answer",
			Examples: []string{"chibi retry", "chibi -C draft retry"},
			Works: func(ctx context.Context, s *app.Session, _ []string) error {
				if err := s.Connect(); err != nil {
					return err
				}
				defer app.Cleanup(ctx, s)
				return s.Answer(ctx, s.Agent.Retry)
			},
		}),
	}
}

type flags struct {
	context, since, until, grep string
	last, first                 int
	json, full                  bool
}

func historyCommand(env *command.Env) *cli.Command {
	var f flags
	return env.Command(command.Spec{
		Name: "history", Args: "[NAME]", About: "show the whole transcript of a context, or a part of it",
		Flags: []cli.Flag{
			&cmdline.Flag{Name: "context", Takes: cmdline.Word("NAME", cmdline.Context), Into: cmdline.Last(&f.context),
				About: "the context NAME, as without --context"},
			&cli.IntFlag{Name: "last", Usage: "the last `N` entries, 0 for all", Value: -1,
				DefaultText: "20, without other limits", Destination: &f.last},
			&cli.IntFlag{Name: "first", Usage: "the first `N` entries", DefaultText: "all", Destination: &f.first},
			&cli.StringFlag{Name: "since", Usage: "entries since `TIME`: 2026-11-21, \"2026-11-21 14:30\", 2h, 3d, today, " +
				"yesterday", Destination: &f.since},
			&cli.StringFlag{Name: "until", Usage: "entries until `TIME`", Destination: &f.until},
			&cli.StringFlag{Name: "grep", Usage: "entries that contain `TEXT`, ignoring case", Destination: &f.grep},
			command.Switch(&f.full, "full", "print all of each tool call, its output, and the times"),
			command.Switch(&f.json, "json", "print the entries as JSON lines"),
		},
		Run: func(ctx context.Context, words []string) error { return show(ctx, env, f, words) },
	})
}

func show(ctx context.Context, env *command.Env, f flags, words []string) error {
	if f.context != "" {
		words = append(words, f.context)
	}
	if len(words) > 1 {
		return command.Usage("history shows one context, not %s and %s", words[0], words[1])
	}
	q, err := f.query(time.Now())
	if err != nil {
		return err
	}
	return env.Manage(ctx, func(s *app.Session) error {
		name, err := command.ContextName(ctx, s, words)
		if err != nil {
			return err
		}
		return operation.PrintHistory(ctx, operation.Run{Session: s, Out: env.Out},
			operation.History{Context: name, Query: q, JSON: f.json, Full: f.full,
				Times: f.full || env.Out.Screen.OnTerminal})
	})
}

func (f flags) query(now time.Time) (q contexts.Query, err error) {
	q = contexts.Query{First: max(0, f.first), Last: max(0, f.last), Text: f.grep}
	if q.First > 0 && q.Last > 0 {
		return q, command.Usage("--first and --last cannot be used together")
	}
	if q.Since, err = parseTime("--since", f.since, now, false); err != nil {
		return q, err
	}
	if q.Until, err = parseTime("--until", f.until, now, true); err != nil {
		return q, err
	}
	if f.last < 0 && q.First == 0 && q.Since.IsZero() && q.Until.IsZero() && q.Text == "" {
		q.Last = operation.DefaultLast
	}
	return q, nil
}

// parseTime parses a point in time: a date, a date with a time, an age, today or
// yesterday. A date alone means the beginning of that day, or its end if end is set.
func parseTime(flag, text string, now time.Time, end bool) (time.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	whole := func(day time.Time) time.Time {
		if end {
			return day.AddDate(0, 0, 1).Add(-time.Second)
		}
		return day
	}
	switch text {
	case "":
		return time.Time{}, nil
	case "today":
		return whole(midnight), nil
	case "yesterday":
		return whole(midnight.AddDate(0, 0, -1)), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return whole(day), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04",
		"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	var days float64
	var unit rune
	if n, _ := fmt.Sscanf(text, "%f%c", &days, &unit); n == 2 && (unit == 'd' || unit == 'w') {
		if unit == 'w' {
			days *= 7
		}
		return now.Add(-time.Duration(days * 24 * float64(time.Hour))), nil
	}
	if age, err := time.ParseDuration(text); err == nil {
		return now.Add(-age), nil
	}
	return time.Time{}, command.Usage("%s %q is not a time; write 2026-11-21, \"2026-11-21 14:30\", an age such as 90m, "+
		"2h, 3d or 1w, today or yesterday", flag, text)
}
