package app

import (
	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// settings returns the agent's part of a configuration of the session.
func settings(s *Session, c config.Config) agent.Settings {
	var options []llm.Option
	for _, o := range c.API.Options() {
		options = append(options, llm.Option{Name: o.Name, Value: o.Value})
	}
	model, provider := c.Model, Host(c.BaseURL)
	if ModelOf(s).isDemo() {
		provider = "demo"
		if model == "" {
			model = "demo"
		}
	}
	return agent.Settings{
		Model: model, Provider: provider, Home: toldHome(s), ProjectRoot: s.Project.Root, Instructions: readInstructions(s),
		Dir: s.Project.Dir, Version: s.opts.Version, TrustTools: s.opts.Permissions.TrustTools,
		Options: options, UserName: c.Username, SystemPrompt: s.opts.SystemPrompt, Verbose: s.opts.Verbose,
		Reflection: c.ReflectionEnabled, ContextWindow: c.ContextWindowLimit,
		WarnPercent: c.WarnThresholdPercent, AutoCompact: c.AutoCompact,
		CompactPercent: c.AutoCompactThreshold, CompactDropPercent: c.RollingCompactDropPercentage,
		Include: c.Tools.Include, Exclude: c.Tools.Exclude, ExcludeCategories: categories(c.Tools.ExcludeCategories),
		NoTools:        s.opts.Permissions.NoToolCalls,
		CacheThreshold: c.ToolOutputCacheThreshold, CachePreview: c.ToolCachePreviewChars,
		MaxSteps: c.MaxToolRounds, MaxCalls: c.MaxCallsPerResponse,
		MaxFollowUps: c.MaxFollowUps, MaxRecursion: c.MaxRecursionDepth,
	}
}

// categories returns the categories of the configuration.
func categories(names []string) (list []tools.Category) {
	for _, name := range names {
		list = append(list, tools.Category(name))
	}
	return list
}
