package app

import (
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/approved"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// checkRules reports a rule of the configuration that cannot be parsed, or an entry of its
// lists of URLs.
func checkRules(c config.Config) error {
	if _, err := permissions.NewRules(ruleSettings(c)); err != nil {
		return err
	}
	_, err := urlPolicy(c)
	return err
}

// HasRules reports whether the configuration has rules about tools.
func HasRules(c config.Config) bool {
	p := c.Permissions
	return len(p.Deny)+len(p.Ask)+len(p.Allow) > 0
}

// ruleSettings returns the rules of the configuration.
func ruleSettings(c config.Config) permissions.Settings {
	p := c.Permissions
	return permissions.Settings{Deny: written(p.Deny), Ask: written(p.Ask), Allow: written(p.Allow)}
}

// written returns rules, or entries of lists of URLs, with where they stand.
func written(rules config.Rules) (list []permissions.Written) {
	for _, r := range rules {
		list = append(list, permissions.Written{Text: r.Text, Where: r.Where})
	}
	return list
}

// urlPolicy returns the configuration's URL policy; nil: there is none.
func urlPolicy(c config.Config) (*permissions.URLPolicy, error) {
	p := c.URLPolicy
	return permissions.NewURLPolicy(permissions.URLSettings{Default: p.Default, DenyOverride: written(p.DenyOverride),
		AllowOverride: written(p.AllowOverride), Deny: written(p.Deny), Allow: written(p.Allow)})
}

// deniesURLs reports whether some URLs are not fetched.
func deniesURLs(p config.URLPolicy) bool {
	return p.Default == "deny" || len(p.Deny)+len(p.DenyOverride) > 0
}

// newRules makes the rules of a session.
func newRules(s *Session) (*permissions.Rules, error) {
	set := ruleSettings(s.Config)
	set.Root, set.Dir, set.ChibiHome, set.UserHome = s.Project.ToolRoot(), s.Project.Dir, s.Home, project.UserHome()
	set.WriteRoots = project.FullPaths(s.Config.FileToolsWritePaths)
	set.ReadRoots = append(project.FullPaths(s.Config.FileToolsAllowedPaths), set.WriteRoots...)
	set.AcceptEdits = s.opts.Permissions.AcceptEdits
	if m := s.opts.Within; m != nil { // what is allowed in the project of the run around is allowed there only
		set.Root, set.ReadRoots = m.Root, append(set.ReadRoots, set.Root)
	}
	return permissions.NewRules(set)
}

// needsGate reports whether any call has to be judged: without a tool of a category, a rule or list
// about categories, and a plugin that may want the person to be asked, none has. The session has
// the tools of its plugins.
func needsGate(s *Session) bool {
	return s.opts.Bridge != nil || s.Config.Tools.Coding || s.Config.Tools.Agents || HasRules(s.Config) ||
		len(s.Config.Tools.ExcludeCategories) > 0 || deniesURLs(s.Config.URLPolicy) ||
		s.Agent.Host.IsHeard(hookpoints.PreTool.Name) ||
		slices.ContainsFunc(s.Agent.Tools.Specs(), func(spec tools.Spec) bool { return spec.Category != "" })
}

// addGate gives the session's agent the gate that judges calls, and returns its rules; nil:
// there is nothing to judge.
func addGate(s *Session) (*permissions.Rules, error) {
	before := s.Agent.Gate
	if s.Agent.Gate = nil; !needsGate(s) {
		return nil, nil
	}
	rules, err := newRules(s)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	if s.Agent.Gate, err = newGate(s, rules); err != nil {
		return nil, err
	}
	s.Agent.Gate.Continue(before)
	return rules, nil
}

// newGate makes the gate that judges the calls of the session's model.
func newGate(s *Session, rules *permissions.Rules) (*permissions.Gate, error) {
	urls, err := urlPolicy(s.Config)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	gate := &permissions.Gate{
		Policy: permissions.WithURLs(rules, urls), Dir: s.Project.Dir, AccessOf: permissions.AccessOf,
		Commands: permissions.Commands, Offers: rules.Offers, WouldJudge: wouldJudge(s.Config, rules),
		TrustAll:  s.opts.Permissions.TrustTools,
		Keep:      func(rule string) error { return keepRule(s.Home, rule) },
		Approvals: approved.Open(s.Home),
	}
	if asked := asker(s); asked != nil {
		gate.Person = asked
	}
	if m := s.opts.Within; m != nil {
		gate.Person = nobody{m}
	}
	return gate, nil
}

// WouldJudge returns what names the rules of a session's configuration that would hold for a tool
// without a category if it had one.
func WouldJudge(s *Session) (func(tools.Spec, tools.Category) []string, error) {
	rules, err := newRules(s)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	return wouldJudge(s.Config, rules), nil
}

func wouldJudge(c config.Config, rules *permissions.Rules) func(tools.Spec, tools.Category) []string {
	return func(spec tools.Spec, category tools.Category) []string {
		list := rules.WouldJudge(spec, category)
		if slices.Contains(c.Tools.ExcludeCategories, string(category)) {
			list = append(list, "tools.exclude_categories of the configuration")
		}
		if category == tools.CategoryFetch && deniesURLs(c.URLPolicy) {
			list = append(list, "[url_policy] of the configuration")
		}
		return list
	}
}

// keepRule adds a rule that the person allows always to config.toml.
func keepRule(home, rule string) error {
	return Configuration(home).Rewrite(func(path string, data []byte) ([]byte, error) {
		return config.AllowRule(path, data, rule)
	})
}

// MayRun returns an error for a command that a command of the model has chibi run, a line or a program with its
// arguments, if a rule denies it or asks about it.
func MayRun(s *Session, words []string) error {
	if s.opts.Within == nil {
		return nil
	}
	line := words[0]
	for _, word := range words[1:] {
		line += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	rules, err := newRules(s)
	if err != nil {
		return UsageError{Err: err}
	}
	judged := rules.Judge(permissions.Call{Tool: tools.Spec{Name: "shell_exec", Category: tools.CategoryShell},
		Access: tools.Access{Command: line, Dir: s.Project.Dir}})
	if judged.Decision != permissions.Deny && judged.Decision != permissions.Ask {
		return nil
	}
	return UsageError{Err: s.opts.Within.Refusal(line, within.Row{Why: judged.By + " is about it",
		Instead: within.ByYourself})}
}

// nobody is the person within a command of a model: there, only the model could answer.
type nobody struct{ mark *within.Mark }

// Ask asks nobody.
func (n nobody) Ask(context.Context, permissions.Question) (permissions.Answer, error) {
	return permissions.Answer{}, permissions.Nobody("a command of the model cannot ask you" + n.mark.Ended())
}
