package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// Configure reads the configuration of the session's context again.
func Configure(ctx context.Context, s *Session) (err error) {
	if s.opts.Watched {
		s.stamp, s.global = stampOf(s), nil
	}
	if s.local, err = localConfig(ctx, s); err != nil {
		return err
	}
	if err := checkContext(s); err != nil {
		return UsageError{Err: err}
	}
	if s.Config, err = readConfig(s, s.opts.Set); err != nil {
		if s.local.IsShared && s.local.Check() != nil {
			err = fmt.Errorf("%w; chibi-cluster store settings replaces those settings", err)
		}
		return UsageError{Err: err}
	}
	if s.opts.Permissions.Coding {
		s.Config.Tools.Coding = true
	}
	if err := errors.Join(checkRules(s.Config), mcpservers.Check(configuredServers(s.Config))); err != nil {
		return UsageError{Err: err}
	}
	storage := s.Config.Storage
	s.Store.Storage = contexts.Storage{
		MaxEntries: storage.MaxEntries, MaxTokens: storage.MaxTokens, BytesPerToken: storage.BytesPerToken,
		MaxAge: time.Duration(storage.MaxAgeSeconds) * time.Second,
	}
	limits := s.Config.Limits
	s.Store.Limits = contexts.Limits{Note: limits.NoteBytes, Message: limits.MessageBytes, Inbox: limits.InboxBytes}
	s.Store.Demo = ModelOf(s).isDemo()
	s.Agent.Settings = settings(s, s.Config)
	return nil
}

// settings returns the agent's part of a configuration of the session.
func settings(s *Session, c config.Config) agent.Settings {
	var options []llm.Option
	for _, o := range c.API.Options() {
		options = append(options, llm.Option{Name: o.Name, Value: o.Value})
	}
	model, provider, isDemo := c.Model, Host(c.BaseURL), ModelOf(s).isDemo()
	if isDemo {
		provider = "demo"
		model = cmp.Or(model, "demo")
	}
	return agent.Settings{
		Model: model, Provider: provider, Demo: isDemo, KeepsNothing: s.opts.NoSave,
		Home: toldHome(s), ProjectRoot: s.Project.Root, Instructions: readInstructions(s),
		Dir: s.Project.Dir, Version: s.opts.Version, TrustTools: s.opts.Permissions.TrustTools,
		Options: options, UserName: c.Username, SystemPrompt: s.opts.SystemPrompt, Verbose: s.opts.Verbose,
		Reflection: c.ReflectionEnabled, ContextWindow: c.ContextWindowLimit,
		WarnPercent: c.WarnThresholdPercent, AutoCompact: c.AutoCompact,
		CompactPercent: c.AutoCompactThreshold, CompactDropPercent: c.RollingCompactDropPercentage,
		Include: c.Tools.Include, Exclude: c.Tools.Exclude, ExcludeCategories: categories(c.Tools.ExcludeCategories),
		NoTools: s.opts.Permissions.NoToolCalls, Strict: s.opts.Strict,
		CacheThreshold: c.ToolOutputCacheThreshold, CachePreview: c.ToolCachePreviewChars,
		MaxSteps: c.MaxToolRounds, MaxCalls: c.MaxCallsPerResponse,
		MailRetry: c.Mail.Retry, MaxFollowUps: c.MaxFollowUps, MaxRecursion: c.MaxRecursionDepth,
	}
}

// categories returns the categories of the configuration.
func categories(names []string) (list []tools.Category) {
	for _, name := range names {
		list = append(list, tools.Category(name))
	}
	return list
}

// withModel returns settings as the configuration has them for another model.
func withModel(s *Session, set agent.Settings, model string) (agent.Settings, error) {
	c, err := readConfig(s, append(slices.Clone(s.opts.Set), fmt.Sprintf("model=%q", model)))
	if err != nil {
		return set, err
	}
	other := settings(s, c)
	other.SystemPrompt = set.SystemPrompt
	return other, nil
}

// ChangeLocalConfig changes the local.toml of the session's context while nobody else does,
// and reads the configuration again. It returns an error of edit, or of reading the text
// afterwards, as a [UsageError].
func ChangeLocalConfig(ctx context.Context, s *Session, edit func(name string, text []byte) ([]byte, error)) error {
	var wrong error
	err := s.Context.ChangeLocalConfig(func(old string) (string, error) {
		var text []byte
		local := newLocal(s, old)
		if text, wrong = edit(local.Name, []byte(old)); wrong == nil {
			wrong = newLocal(s, string(text)).Check()
		}
		return string(text), wrong
	})
	switch {
	case wrong != nil:
		return UsageError{Err: wrong}
	case err != nil:
		return err
	}
	return Configure(ctx, s)
}
