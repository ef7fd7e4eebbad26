package app

import (
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
)

// Connect sets the agent up for the configured model, or for the built-in one if none
// is configured; then a notice says so. Later calls do nothing.
func (s *Session) Connect() error {
	if err := Admit(s); err != nil {
		return err
	}
	if s.Agent.Model != nil {
		return nil
	}
	s.Agent.Output = s.opts.Output
	s.Agent.Output.Event = func(step agent.Event) {
		s.tracer.step(step)
		if s.person.Event != nil {
			s.person.Event(step)
		}
	}
	if err := connectModel(s); err != nil {
		return err
	}
	if log := s.opts.Model; log.LogRequests || log.LogResponses {
		s.Agent.Model = loggingClient{s.Agent.Model, recordLog(s), log}
	}
	return nil
}

func connectModel(s *Session) error {
	if isDemo(s) {
		return connectDemo(s)
	}
	client := ModelClient(s)
	s.closers = append(s.closers, client)
	s.Agent.Model = client
	if s.Config.Model == "" {
		return UsageError{fmt.Errorf("no model is configured for %s; set model = \"NAME\" in %s/config.toml, or use "+
			"--set model=NAME", Host(s.Config.BaseURL), s.Home)}
	}
	return nil
}

// ModelClient returns a client for the configured server, with one connection. The
// caller closes it.
func ModelClient(s *Session) *openai.Client {
	return &openai.Client{
		URL: s.Config.BaseURL, Key: s.Config.APIKey, Notify: s.person.notice, AnswerBytes: s.Config.Limits.AnswerBytes,
		FirstByteTimeout: time.Duration(s.Config.RequestFirstByteTimeoutMS) * time.Millisecond,
		IdleTimeout:      time.Duration(s.Config.RequestIdleTimeoutMS) * time.Millisecond,
	}
}

// isDemo reports whether the built-in model answers.
func isDemo(s *Session) bool { return s.opts.Model.Demo || !s.Config.Configured() }

// connectDemo starts the built-in model, with a notice that it is not a real one.
func connectDemo(s *Session) error {
	server, err := demo.Start()
	if err != nil {
		return fmt.Errorf("starting the demo model: %w", err)
	}
	client := &openai.Client{URL: server.URL, AnswerBytes: s.Config.Limits.AnswerBytes}
	s.closers = append(s.closers, client, server)
	s.Agent.Model = client
	if s.opts.Model.Demo {
		return nil
	}
	why, do := WhyDemo(s)
	s.person.notice(why + ", the built-in demo model answers; " + do + " to use a real one")
	return nil
}

// WhyDemo returns why the built-in model answers, and what to set to use a real one.
func WhyDemo(s *Session) (why, do string) {
	path := filepath.Join(s.Home, "config.toml")
	if s.Config.Model != "" {
		return fmt.Sprintf("no key and no server are configured for the model %q", s.Config.Model),
			"set api_key or base_url in " + path
	}
	return "no model is configured", "set api_key and model in " + path
}

// Host returns the part of a URL that tells people where it leads.
func Host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
