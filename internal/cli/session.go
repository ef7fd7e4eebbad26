package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin"
)

// session is a home opened for one run of the command line.
type session struct {
	*program
	*app.Session
}

// request is what the flags ask of a session, for a run that asks the model or
// calls a tool.
func (p *program) request() app.Options {
	o := &p.opts
	keys, _ := o.debugKeys() // checked where they matter
	opts := app.Options{
		Home: o.home, Transient: o.transient != nil, Set: o.overrides(), Verbose: o.verbose, Wait: o.wait,
		TrustProject: o.trustProject,
		Model:        app.ModelOptions{LogRequests: keys.requests, LogResponses: keys.responses},
		Plugins: app.PluginOptions{
			None: o.noPlugins, NoHooks: o.noHooks, Stderr: p.screen.Plugins(false), RawStderr: p.screen.Plugins(true),
			Terminal: p.stdin, Lend: p.screen.pause,
		},
		Trace:  app.TraceOptions{File: o.trace, Failed: func(text string) { p.screen.notef("%s", text) }},
		Output: p.output(keys.forceMarkdown),
	}
	for _, wanted := range [][]string{o.switchTo, o.transient} {
		if wanted != nil {
			opts.Context = wanted[0]
		}
	}
	if o.recipe != nil {
		opts.Recipe = o.recipe[0]
	}
	if o.verbose {
		opts.Trace.Record = func(r plugin.Record) { p.screen.line(describe(r)) }
	}
	return opts
}

// reading is request for a run that reads the home and asks no plugins.
func (p *program) reading() app.Options {
	opts := p.request()
	opts.Purpose = app.ToRead
	return opts
}

// open opens a session.
func (p *program) open(ctx context.Context, opts app.Options) (*session, error) {
	for _, wanted := range [][]string{p.opts.switchTo, p.opts.transient} {
		if wanted != nil && wanted[0] == "" {
			return nil, app.UsageError{Err: contexts.ValidName("")}
		}
	}
	if p.opts.runSystemPrompt != nil && opts.Purpose != app.ToRead {
		text, err := p.promptText(p.opts.runSystemPrompt[0])
		if err != nil {
			return nil, err
		}
		opts.SystemPrompt = &text
	}
	s, err := app.Open(ctx, opts)
	return &session{p, s}, err
}

// openWithoutPlugins opens what is needed to read a home, and asks no plugins.
func (p *program) openWithoutPlugins() (*session, error) {
	return p.open(context.Background(), p.reading())
}

// within opens a session for a command, which is a run with its own start and
// end, and neither asks the model nor calls a tool.
func (p *program) within(ctx context.Context, do func(*session) error) error {
	opts := p.request()
	opts.Purpose = app.ToManage
	return p.during(ctx, opts, do)
}

// working is within for a command that asks the model or calls a tool.
func (p *program) working(ctx context.Context, do func(*session) error) error {
	return p.during(ctx, p.request(), do)
}

func (p *program) during(ctx context.Context, opts app.Options, do func(*session) error) error {
	s, err := p.open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s.Session)
	return s.Run(ctx, func() error { return do(s) })
}

// owning does something while nobody else can use a context.
func (s *session) owning(ctx context.Context, name string,
	do func(context.Context, *session) error) error {
	return s.WithLock(ctx, name, func(held context.Context, t *app.Session) error {
		return do(held, &session{s.program, t})
	})
}

// output shows the answer on standard output and all else on standard error. On
// a terminal the answer is rendered as Markdown, unless --raw.
func (p *program) output(forceMarkdown bool) agent.Output {
	out := agent.Output{Notice: p.notice, Waiting: p.screen.waiting, Event: p.happening}
	if p.opts.verbose {
		out.Detail = func(text string) { p.detail("%s", text) }
	}
	switch {
	case p.opts.jsonOutput:
		out.Entry = func(e contexts.Entry) { p.printJSONLine(e) }
	case forceMarkdown || p.screen.shared && !p.opts.raw:
		p.renderMarkdown(&out)
	default:
		out.Text = func(delta string) { io.WriteString(p.screen.Answer(), delta) }
	}
	return out
}

// detail prints a remark for a person who wants to know more.
func (p *program) detail(format string, args ...any) {
	if p.opts.verbose {
		p.screen.line("[" + fmt.Sprintf(format, args...) + "]")
	}
}

// notice prints a sentence for the person, once.
func (p *program) notice(text string) {
	if !p.said[text] {
		p.said[text] = true
		p.screen.notef("%s", text)
	}
}
