package cli

import (
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/term/screen"
)

func sessionOptions(env *command.Env, o *options, purpose app.Purpose) (app.Options, error) {
	out := env.Out
	keys, err := o.debug.Keys()
	opts := app.Options{
		Purpose: purpose, Home: o.home, Transient: o.transient != nil, Set: o.settings.Overrides(), Verbose: o.verbose,
		Store: app.StoreOptions{Sharing: o.sharing.app, URL: o.store},
		Wait:  o.wait, TrustProject: o.trustProject, Permissions: o.permissions.PermissionOptions,
		Version: version(),
		Model:   app.ModelOptions{LogRequests: keys.Requests, LogResponses: keys.Responses},
		Plugins: app.PluginOptions{
			None: o.noPlugins, NoHooks: o.noHooks, Stderr: out.Screen.Plugins(), RawStderr: out.Screen.Stderr(),
			Terminal: env.Stdin, Lend: out.Screen.Pause, IsPiped: out.Screen.IsPiped,
		},
		Trace:  app.TraceOptions{File: o.trace, Failed: func(text string) { out.Notef("%s", text) }},
		Output: chat.Output(out, answerFormat(out.Screen, o)),
	}
	opts.Permissions.Ask, opts.Permissions.Fill = ask, fill
	if opts.Within = env.Within; opts.Within != nil { // who could answer there is the model
		opts.Permissions.Ask, opts.Permissions.Fill = nil, nil
		opts.Plugins.Terminal, opts.Plugins.Lend, opts.Plugins.NoTerminal = nil, nil, true
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
		opts.Trace.Record = chat.Records(out)
	}
	if err != nil {
		return opts, err
	}
	if o.runSystemPrompt != nil && purpose != app.ToRead {
		text, err := operation.PromptText(out, o.runSystemPrompt[0])
		opts.SystemPrompt = &text
		return opts, err
	}
	return opts, nil
}

// answerFormat returns how answers are shown: rendered as Markdown on a terminal, unless
// --raw is given.
func answerFormat(s *screen.Screen, o *options) chat.Format {
	keys, _ := o.debug.Keys() // sessionOptions returns the error
	if keys.ForceMarkdown || s.OnTerminal && !o.raw {
		return chat.Markdown
	}
	return chat.Plain
}
