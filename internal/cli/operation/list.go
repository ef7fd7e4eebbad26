package operation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/dustin/go-humanize"
)

// Listing are the flags of a list of contexts.
type Listing struct {
	contexts.Selection
	// Asked is true if contexts are listed.
	Asked bool
	wrong string // a value of --limit that is not a number of contexts
}

// Limited is the flag --limit.
func (l *Listing) Limited() *cmdline.Flag {
	return &cmdline.Flag{Name: "limit", Takes: cmdline.Word("N", cmdline.Number), Members: []string{"flags.limit"},
		About: "list the first N contexts by name, or with --newest the N that were used last", Into: func(text string) {
			n, err := strconv.Atoi(text)
			if l.Limit, l.wrong = n, ""; err != nil || n < 1 {
				l.wrong = text
			}
		}}
}

// Used is the flag --newest.
func (l *Listing) Used() *cmdline.Flag {
	return &cmdline.Flag{Name: "newest", Members: []string{"flags.newest"}, Into: cmdline.Switch(&l.Newest),
		About: "list the contexts that were used last, by name, with the time of their last use"}
}

// Check returns an error if the flags make no sense.
func (l *Listing) Check() error {
	switch {
	case l.wrong != "":
		return output.Usage("--limit takes a number of contexts, such as 50; got %q", l.wrong)
	case l.Limit > 0 && !l.Asked:
		return output.Usage("--limit is for -L, which is not given")
	case l.Newest && !l.Asked:
		return output.Usage("--newest is for -L, which is not given")
	}
	return nil
}

// ContextInfo is a context in a list of contexts, as JSON.
type ContextInfo struct {
	Name         string     `json:"name"`
	Current      bool       `json:"current"`
	Active       bool       `json:"active"`
	Mail         bool       `json:"mail"`
	FailedMail   int        `json:"failed_mail,omitempty"`
	Created      *time.Time `json:"created_at,omitempty"`
	LastActivity *time.Time `json:"last_activity_at,omitempty"`
}

func describeContext(info contexts.Info) ContextInfo {
	c := ContextInfo{Name: info.Name, Current: info.Current, Active: info.Locked, Mail: info.Mail,
		FailedMail: info.FailedMail}
	if !info.Created.IsZero() {
		c.Created = &info.Created
	}
	if !info.LastActivity.IsZero() {
		c.LastActivity = &info.LastActivity
	}
	return c
}

// ContextInfos describes contexts of the home.
func ContextInfos(ctx context.Context, s *app.Session, sel contexts.Selection) ([]ContextInfo, error) {
	infos, err := s.Store.Select(ctx, sel)
	list := []ContextInfo{}
	for _, info := range infos {
		list = append(list, describeContext(info))
	}
	return list, err
}

// ListContexts prints contexts, with a star at the current one.
func ListContexts(ctx context.Context, run Run, sel contexts.Selection) error {
	list, err := ContextInfos(ctx, run.Session, sel)
	if err != nil {
		return err
	}
	var lines []string
	for _, info := range list {
		mark, state := " ", ""
		if info.Current {
			mark = "*"
		}
		if info.Active {
			state += " [active]"
		}
		if info.Mail {
			state += " [mail]"
		}
		if info.FailedMail > 0 {
			state += fmt.Sprintf(" [%d failed]", info.FailedMail)
		}
		if sel.Newest && info.LastActivity != nil {
			state += "  " + humanize.Time(*info.LastActivity)
		}
		lines = append(lines, mark+" "+info.Name+state)
	}
	return run.Out.Answer("list_contexts", list, strings.Join(lines, "\n"))
}
