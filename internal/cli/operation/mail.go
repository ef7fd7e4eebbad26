package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
)

// MailRows are the operations that let the model process mail.
func MailRows() []Row {
	return []Row{
		{&cmdline.Flag{Name: "check-all-inboxes", Letters: "b",
			About: "let the model process the waiting mail of every context",
			Command: &cmdline.Command{Names: []string{"check_all_inboxes"}, Answers: "entries, then a result",
				Data: "`contexts`: the contexts whose mail the model processed"}},
			Operation{Role: Joins, Phase: PhaseMail, Needs: NeedsAnswer,
				Run: processAllMail}},
		{&cmdline.Flag{Name: "check-inbox-for", Letters: "B",
			Command: &cmdline.Command{Names: []string{"check_inbox"}, Answers: "entries, then a result",
				Data: "`contexts`: the same, or none"},
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}}},
			Operation{Role: Joins, Phase: PhaseMail, Needs: NeedsAnswer,
				Run: onNamed(noWord(processOneMail))}},
	}
}

func processAllMail(ctx context.Context, run Run, _ cmdline.Given) error {
	names, err := run.Session.Store.Names(ctx)
	if err != nil {
		return err
	}
	had, dealt := false, []string{}
	var lacking error
	for _, name := range names {
		if !run.Session.Store.HasMail(ctx, name) {
			continue
		}
		had = true
		some, err := processMail(ctx, run, name)
		if _, ok := errors.AsType[*contexts.LockedError](err); ok {
			run.Out.Notice(err.Error()) // its mail is delivered with the next prompt there
			continue
		}
		if err != nil && !app.IsDelivered(err) {
			return err
		}
		if lacking = cmp.Or(lacking, err); some {
			dealt = append(dealt, name)
		}
	}
	if !had {
		run.Out.Notice("no context has mail")
	}
	return cmp.Or(dealtWith(run, "check_all_inboxes", dealt), lacking)
}

func processOneMail(ctx context.Context, run Run, name string) error {
	some, err := processMail(ctx, run, name)
	switch {
	case err != nil && !app.IsDelivered(err):
		return err
	case !some:
		return dealtWith(run, "check_inbox", []string{})
	}
	return cmp.Or(dealtWith(run, "check_inbox", []string{name}), err)
}

func dealtWith(run Run, operation string, names []string) error {
	return run.Out.Done(operation, output.Fields{"contexts": names},
		fmt.Sprintf("Contexts whose mail was processed: %d", len(names)))
}

// processMail lets the model process the mail of one context, with that context's
// configuration and plugins, and reports whether there was any.
func processMail(ctx context.Context, run Run, name string) (some bool, err error) {
	t := run.Session
	if name != run.Session.Name() {
		if t, err = run.Session.For(ctx, name); err != nil {
			return false, err
		}
		defer t.Close()
		if err := t.Load(ctx); err != nil {
			return false, err
		}
	}
	mail, err := t.Context.Mail(ctx)
	if err == nil && len(mail) > 0 {
		some, err = app.AnswerMail(ctx, t)
	}
	if err == nil && !some {
		run.Out.Notice("context \"" + name + "\" has no mail")
	}
	return some, err
}
