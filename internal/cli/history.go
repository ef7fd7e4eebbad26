package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

// historyOperations show contexts and what was said in them.
func historyOperations() []row {
	number := cmdline.Value{Word: "N", Kind: cmdline.Number, Member: "count"}
	showLogCommand := &cmdline.Command{Names: []string{"show_log"}, Answers: "entries"}
	return []row{
		{&cmdline.Flag{Name: "list-current-context", Letters: "l", About: "show the current context",
			Command: &cmdline.Command{Names: []string{"list_current_context"},
				Data: "`name`, `current`, `active`, `mail`, `created_at`, `last_activity_at`, `messages`, `summary`, `todos`, " +
					"`goals`"}},
			operation{role: shows, phase: phaseShow, run: onCurrent(func(ctx context.Context, s *session, name, _ string) error {
				return s.showContext(ctx, name, false)
			})}},
		{&cmdline.Flag{Name: "list-contexts", Letters: "L", About: "list all contexts",
			Command: &cmdline.Command{Names: []string{"list_contexts"},
				Data: "a list of `name`, `current`, `active`, `mail`, `created_at`, `last_activity_at`"}},
			operation{role: shows, phase: phaseShow, run: func(ctx context.Context, s *session, _ cmdline.Given) error {
				return s.listContexts(ctx, false)
			}}},
		{&cmdline.Flag{Name: "show-current-log", Letters: "g", Takes: []cmdline.Value{number}, Command: showLogCommand,
			About: "show the last N entries, the first N if it is -N, all if it is 0"},
			operation{role: shows, phase: phaseShow, run: onCurrent(showLog("-g"))}},
		{&cmdline.Flag{Name: "show-log", Letters: "G", Command: showLogCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}, number}},
			operation{role: shows, phase: phaseShow, run: onNamed(showLog("-G"))}},
	}
}

// showLog prints the last n entries of a context's whole transcript, the first
// -n if n is negative, all if it is 0.
func showLog(flag string) onContext {
	return func(ctx context.Context, s *session, name, number string) error {
		n, err := count(flag, number)
		if err != nil {
			return err
		}
		q := contexts.Query{Last: max(0, n), First: max(0, -n)}
		return s.printHistory(ctx, name, q, false)
	}
}

// count reads the number of entries of a flag.
func count(flag, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, usage("%s takes a number of entries, such as 10, or -10 for the first ten, or 0 for all; it got %q",
			flag, text)
	}
	return n, nil
}

// historyFlags are the flags of the command history.
type historyFlags struct {
	context, since, until, grep string
	last, first                 int
	json                        bool
}

// defaultLast is how many entries the command history shows if it is not told.
const defaultLast = 20

func (p *program) historyCommand(ctx context.Context) *cli.Command {
	var f historyFlags
	return leaf(ctx, "history", "", "show what was said, from the whole transcript",
		func(ctx context.Context, _ []string) error {
			q, err := f.query(time.Now())
			if err != nil {
				return err
			}
			return p.within(ctx, func(s *session) error {
				name := s.Name()
				if f.context != "" {
					if name, err = app.Existing(ctx, s.Session, f.context); err != nil {
						return err
					}
				}
				return s.printHistory(ctx, name, q, f.json)
			})
		},
		&cli.StringFlag{Name: "context", Usage: "the context `NAME` instead of the current one", Destination: &f.context},
		&cli.IntFlag{Name: "last", Usage: "the last `N` entries, 0 for all", Value: -1,
			DefaultText: "20, if nothing else is asked for", Destination: &f.last},
		&cli.IntFlag{Name: "first", Usage: "the first `N` entries", DefaultText: "all", Destination: &f.first},
		&cli.StringFlag{Name: "since", Usage: "entries since `TIME`: 2026-11-21, \"2026-11-21 14:30\", 2h, 3d, today, " +
			"yesterday", Destination: &f.since},
		&cli.StringFlag{Name: "until", Usage: "entries until `TIME`", Destination: &f.until},
		&cli.StringFlag{Name: "grep", Usage: "entries that contain `TEXT`, in upper or lower case", Destination: &f.grep},
		&cli.BoolFlag{Name: "json", Usage: "print the entries as JSON lines", DisableDefaultText: true, Destination: &f.json},
	)
}

// query is what the flags ask for.
func (f historyFlags) query(now time.Time) (q contexts.Query, err error) {
	q = contexts.Query{First: max(0, f.first), Last: max(0, f.last), Text: f.grep}
	if q.First > 0 && q.Last > 0 {
		return q, usage("--first and --last exclude each other")
	}
	if q.Since, err = parseTime("--since", f.since, now, false); err != nil {
		return q, err
	}
	if q.Until, err = parseTime("--until", f.until, now, true); err != nil {
		return q, err
	}
	if f.last < 0 && q.First == 0 && q.Since.IsZero() && q.Until.IsZero() && q.Text == "" {
		q.Last = defaultLast
	}
	return q, nil
}

// parseTime reads a point in time: a date, a date with a time, an age, today or
// yesterday. A date alone is its begin, or its end if end is set.
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
	return time.Time{}, usage("%s %q is not a time; write 2026-11-21, \"2026-11-21 14:30\", an age as 90m, 2h, 3d or "+
		"1w, today or yesterday", flag, text)
}

// printHistory prints entries as they are read. What is not conversation is
// shown with -v only, and does not count without it.
func (s *session) printHistory(ctx context.Context, name string, q contexts.Query, asJSON bool) error {
	c, err := s.Store.Context(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	if !s.opts.verbose && !asJSON {
		q.Keep = func(e contexts.Entry) bool { return isConversation(e.Type) }
	}
	answers := contexts.Answers{Each: func(e contexts.Entry, unanswered bool) bool {
		if asJSON || s.opts.jsonOutput {
			err = s.printJSONLine(e)
		} else {
			_, err = fmt.Fprint(s.screen.Stdout(), entryText(e, unanswered, s.opts.verbose))
		}
		return err == nil
	}}
	each := answers.Add
	if isPart := q.First > 0 || q.Text != "" || !q.Since.IsZero() || !q.Until.IsZero(); isPart { // answers may be left out
		each = func(e contexts.Entry) bool { return answers.Each(e, false) }
	}
	if err := c.History(ctx, q, each); err != nil {
		return err
	}
	answers.End()
	return err
}

func isConversation(t contexts.Type) bool {
	return t == contexts.TypeMessage || t == contexts.TypeToolCall || t == contexts.TypeToolResult
}

// entryText is an entry for people, in the format of the original.
func entryText(e contexts.Entry, unanswered, verbose bool) string {
	switch {
	case e.Type == contexts.TypeMessage:
		note := ""
		if e.Metadata != nil && e.Metadata.Interrupted {
			note = " (interrupted)"
		}
		if unanswered {
			note = " (no answer)"
		}
		return fmt.Sprintf("[%s]: %s%s\n\n", strings.ToUpper(e.From), e.Content, note)
	case e.Type == contexts.TypeToolCall && verbose:
		return fmt.Sprintf("[TOOL CALL: %s]\n%s\n\n", e.To, e.Content)
	case e.Type == contexts.TypeToolCall:
		return fmt.Sprintf("[TOOL: %s] %s\n", e.To, term.Clip(strings.Join(strings.Fields(e.Content), " "), 60))
	case e.Type == contexts.TypeToolResult && verbose:
		return fmt.Sprintf("[TOOL RESULT: %s]\n%s\n\n", e.From, e.Content)
	case e.Type == contexts.TypeToolResult:
		return fmt.Sprintf("  \u2192 %s\n", size(len(e.Content)))
	}
	return fmt.Sprintf("[%s]: %s\n\n", strings.ToUpper(string(e.Type)), e.Content)
}

// size is a number of bytes as the original shows it.
func size(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%db", n)
	}
	return fmt.Sprintf("%.1fkb", float64(n)/1024)
}
