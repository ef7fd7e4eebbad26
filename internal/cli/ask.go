package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
)

// enter makes the run's context the one that is used: for good with -c, for
// this run with -C.
func (s *session) enter(ctx context.Context) error {
	transient := s.opts.transient != nil
	if s.isNew {
		s.notice(fmt.Sprintf("the new context is %q", s.agent.Context.Name()))
	}
	if s.opts.switchTo != nil && !transient {
		if _, err := s.store.Switch(s.agent.Context.Name()); err != nil {
			return err
		}
	}
	return s.agent.Switched(ctx, agent.Switch{From: s.from, Transient: transient})
}

// ask takes a prompt to the model.
func (s *session) ask(ctx context.Context, prompt string) error {
	return s.answering(ctx, func(ctx context.Context) (string, error) { return s.agent.Prompt(ctx, prompt) })
}

// answering has a prompt answered while nobody else can use the context.
func (s *session) answering(ctx context.Context, answer func(context.Context) (string, error)) error {
	if err := s.admit(); err != nil {
		return err
	}
	return s.owning(ctx, s.agent.Context.Name(), func(*session) error {
		if _, err := answer(ctx); err != nil {
			return err
		}
		if s.opts.transient != nil {
			return nil
		}
		return s.store.Touch(s.agent.Context.Name())
	})
}

// connect sets the agent up for the configured model, or for the demo model if
// none is. It does so once.
func (s *session) connect() error {
	if s.agent.Model != nil {
		return nil
	}
	if err := s.admit(); err != nil {
		return err
	}
	keys, err := s.opts.debugKeys()
	if err != nil {
		return err
	}
	s.agent.Output = s.output(keys.forceMarkdown)
	if err := s.connectModel(); err != nil {
		return err
	}
	if keys.requests || keys.responses {
		s.agent.Model = loggingClient{s.agent.Model, s.agent.Context, keys, func(err error) { s.notice(err.Error()) }}
	}
	return nil
}

func (s *session) connectModel() error {
	if s.isDemo() {
		return s.connectDemo()
	}
	client := s.modelClient()
	s.closers = append(s.closers, client)
	s.agent.Model = client
	if s.config.Model == "" {
		return usage("no model is configured for %s; set model = \"NAME\" in %s/config.toml, or use --set model=NAME",
			host(s.config.BaseURL), s.home)
	}
	return nil
}

// modelClient speaks to the configured server, over one connection.
func (s *session) modelClient() *openai.Client {
	return &openai.Client{
		URL: s.config.BaseURL, Key: s.config.APIKey, Notify: s.notice, AnswerBytes: s.config.Limits.AnswerBytes,
		FirstByteTimeout: time.Duration(s.config.RequestFirstByteTimeoutMS) * time.Millisecond,
		IdleTimeout:      time.Duration(s.config.RequestIdleTimeoutMS) * time.Millisecond,
	}
}

// isDemo says that the built-in model answers.
func (s *session) isDemo() bool { return s.offline || !s.config.Configured() }

// connectDemo starts the built-in model and says that it is not a real one.
func (s *session) connectDemo() error {
	server, err := demo.Start()
	if err != nil {
		return fmt.Errorf("starting the demo model: %w", err)
	}
	client := &openai.Client{URL: server.URL, AnswerBytes: s.config.Limits.AnswerBytes}
	s.closers = append(s.closers, client, server)
	s.agent.Model = client
	if s.offline {
		return nil
	}
	why, do := s.whyDemo()
	s.notice(why + ", the built-in demo model answers; " + do + " to use a real one")
	return nil
}

// whyDemo says why the built-in model answers, and what is to be set.
func (s *session) whyDemo() (why, do string) {
	path := filepath.Join(s.home, "config.toml")
	if s.config.Model != "" {
		return fmt.Sprintf("no key and no server are configured for the model %q", s.config.Model),
			"set api_key or base_url in " + path
	}
	return "no model is configured", "set api_key and model in " + path
}

// settings are the agent's part of the configuration.
func (s *session) settings() agent.Settings {
	c := s.config
	var options []llm.Option
	for _, o := range c.API.Options() {
		options = append(options, llm.Option{Name: o.Name, Value: o.Value})
	}
	model, provider := c.Model, host(c.BaseURL)
	if s.isDemo() {
		provider = "demo"
		if model == "" {
			model = "demo"
		}
	}
	return agent.Settings{
		Model: model, Provider: provider, Home: s.toldHome(), ProjectRoot: s.project.root,
		Options: options, UserName: c.Username, SystemPrompt: s.systemPrompt, Verbose: s.opts.verbose,
		Reflection: c.ReflectionEnabled, ContextWindow: c.ContextWindowLimit,
		WarnPercent: c.WarnThresholdPercent, AutoCompact: c.AutoCompact,
		CompactPercent: c.AutoCompactThreshold, CompactDropPercent: c.RollingCompactDropPercentage,
		Include: c.Tools.Include, Exclude: c.Tools.Exclude,
		CacheThreshold: c.ToolOutputCacheThreshold, CachePreview: c.ToolCachePreviewChars,
		MaxSteps: c.MaxToolRounds, MaxCalls: c.MaxCallsPerResponse,
		MaxFollowUps: c.MaxFollowUps, MaxRecursion: c.MaxRecursionDepth,
	}
}

// output shows the answer on standard output and all else on standard error. On
// a terminal the answer is rendered as Markdown, unless --raw.
func (s *session) output(forceMarkdown bool) agent.Output {
	out := agent.Output{Notice: s.notice, Waiting: s.screen.waiting, Event: func(step agent.Event) {
		s.tracer.step(step)
		s.happening(step)
	}}
	if s.opts.verbose {
		out.Detail = func(text string) { s.detail("%s", text) }
	}
	switch {
	case s.opts.jsonOutput:
		out.Entry = func(e contexts.Entry) { s.printJSONLine(e) }
	case forceMarkdown || s.screen.shared && !s.opts.raw:
		s.renderMarkdown(&out)
	default:
		out.Text = func(delta string) { io.WriteString(s.screen.Answer(), delta) }
	}
	return out
}

// printJSON prints a value as indented JSON.
func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.screen.Stdout())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printJSONLine prints a value as one line of JSON.
func (p *program) printJSONLine(v any) error {
	enc := json.NewEncoder(p.screen.Stdout())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// host is the part of a URL that tells people where it leads.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
