package app

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
)

// Model is the model that answers, as a configuration and options name it.
type Model struct {
	config config.Config
	path   string // of the configuration file
	demo   bool   // the options ask for the built-in one
	notice func(string)
	server *openai.Client // connected early; nil: it is not
}

// ModelOf returns the model of a session.
func ModelOf(s *Session) Model {
	return Model{s.Config, filepath.Join(s.Home, "config.toml"), s.opts.Model.Demo, s.person.notice, s.server}
}

// dialEarly begins to connect to the model's server, while plugins are loaded.
func dialEarly(ctx context.Context, s *Session) error {
	m := ModelOf(s)
	if s.opts.Model.Early && s.Config.Network.Early && !m.isDemo() && s.Config.Model != "" {
		s.server = m.Client()
		s.closers = append(s.closers, s.server)
		s.server.Dial(ctx)
	}
	return nil
}

// connect returns a client for the model, and what was opened for it, which is to be closed
// also after an error.
func (m Model) connect() (client llm.Client, closers []io.Closer, err error) {
	if m.isDemo() {
		return m.connectDemo()
	}
	server := m.server
	if server == nil {
		server = m.Client()
		closers = append(closers, server)
	}
	if m.config.Model == "" {
		err = UsageError{Err: fmt.Errorf("no model is configured for %s; set model = \"NAME\" in %s, or use "+
			"--set model=NAME", Host(m.config.BaseURL), m.path)}
	}
	return server, closers, err
}

// Client returns a client for the configured server, with one connection. The caller
// closes it.
func (m Model) Client() *openai.Client {
	c := m.config
	return &openai.Client{
		URL: c.BaseURL, Key: c.APIKey, Notify: m.notice, AnswerBytes: c.Limits.AnswerBytes,
		FirstByteTimeout: time.Duration(c.RequestFirstByteTimeoutMS) * time.Millisecond,
		IdleTimeout:      time.Duration(c.RequestIdleTimeoutMS) * time.Millisecond,
	}
}

// isDemo reports whether the built-in model answers.
func (m Model) isDemo() bool { return m.demo || !m.config.Configured() }

// connectDemo starts the built-in model, with a notice that it is not a real one.
func (m Model) connectDemo() (llm.Client, []io.Closer, error) {
	server, err := demo.Start()
	if err != nil {
		return nil, nil, fmt.Errorf("starting the demo model: %w", err)
	}
	client := &openai.Client{URL: server.URL, AnswerBytes: m.config.Limits.AnswerBytes}
	if !m.demo {
		why, do := m.WhyDemo()
		m.notice(why + ", the built-in demo model answers; " + do + " to use a real one")
	}
	return client, []io.Closer{server, client}, nil
}

// WhyDemo returns why the built-in model answers, and what to set to use a real one.
func (m Model) WhyDemo() (why, do string) {
	if m.config.Model != "" {
		return fmt.Sprintf("no key and no server are configured for the model %q", m.config.Model),
			"set api_key or base_url in " + m.path
	}
	return "no model is configured", "set api_key and model in " + m.path
}

// Host returns the part of a URL that tells people where it leads.
func Host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
