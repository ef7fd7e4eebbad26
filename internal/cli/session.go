package cli

import (
	"context"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/operation"
)

// session is a home opened for one run of the command line.
type session struct {
	*program
	*app.Session
}

// request is what the flags ask of a session for a purpose.
func (p *program) request(purpose app.Purpose) (app.Options, error) {
	o := &p.opts
	keys, _ := o.debug.Keys() // checked where they matter
	opts := app.Options{
		Purpose: purpose, Home: o.home, Transient: o.transient != nil, Set: o.settings.Overrides(), Verbose: o.verbose,
		Wait: o.wait, TrustProject: o.trustProject,
		Model: app.ModelOptions{LogRequests: keys.Requests, LogResponses: keys.Responses},
		Plugins: app.PluginOptions{
			None: o.noPlugins, NoHooks: o.noHooks, Stderr: p.screen.Plugins(), RawStderr: p.screen.Stderr(),
			Terminal: p.stdin, Lend: p.screen.Pause,
		},
		Trace:  app.TraceOptions{File: o.trace, Failed: func(text string) { p.out.Notef("%s", text) }},
		Output: chat.Output(p.out, answerFormat(p, keys)),
	}
	for _, wanted := range [][]string{o.switchTo, o.transient} {
		if wanted == nil {
			continue
		}
		if opts.Context = wanted[0]; opts.Context == "" {
			return opts, app.UsageError{Err: contexts.ValidName("")}
		}
	}
	if o.recipe != nil {
		opts.Recipe = o.recipe[0]
	}
	if o.verbose {
		opts.Trace.Record = chat.Records(p.out)
	}
	if o.runSystemPrompt != nil && purpose != app.ToRead {
		text, err := operation.PromptText(p.out, o.runSystemPrompt[0])
		opts.SystemPrompt = &text
		return opts, err
	}
	return opts, nil
}

// answerFormat is how answers are shown: on a terminal as Markdown, unless --raw.
func answerFormat(p *program, keys operation.DebugKeys) chat.Format {
	if keys.ForceMarkdown || p.screen.OnTerminal && !p.opts.raw {
		return chat.Markdown
	}
	return chat.Plain
}

// open opens a session for a purpose, with what change makes of the options.
func (p *program) open(ctx context.Context, purpose app.Purpose, change func(*app.Options)) (*session, error) {
	opts, err := p.request(purpose)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&opts)
	}
	s, err := app.Open(ctx, opts)
	return &session{p, s}, err
}

// openWithoutPlugins opens what is needed to read a home, and asks no plugins.
func (p *program) openWithoutPlugins() (*session, error) {
	return p.open(context.Background(), app.ToRead, nil)
}
