package permissions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// URLSettings is a table [url_policy]. An entry is preset:CLASS, or a pattern of URLs, see
// [urls.ParsePattern].
type URLSettings struct {
	// Default is for URLs that no entry matches: "allow" or "" leaves them to rules, hooks
	// and the person, "deny" refuses them.
	Default string
	// The first of these lists that has an entry for a URL decides.
	DenyOverride, AllowOverride, Deny, Allow []Written
}

// URLPolicy judges fetches, by lists. It is immutable. A nil policy has no
// opinion.
type URLPolicy struct {
	entries  []urlEntry // in the order of deciding
	isClosed bool       // what no entry matches is denied
}

type urlEntry struct {
	urls.Pattern
	allows bool
	by     string // what it is, as part of a sentence
}

// NewURLPolicy makes a policy. An error names the entry that cannot be read.
func NewURLPolicy(s URLSettings) (*URLPolicy, error) {
	if !slices.Contains([]string{"", "allow", "deny"}, s.Default) {
		return nil, fmt.Errorf("[url_policy] default is %q; want \"allow\" or \"deny\"", s.Default)
	}
	p := &URLPolicy{isClosed: s.Default == "deny"}
	for _, list := range []struct {
		name    string
		allows  bool
		entries []Written
	}{
		{"deny_override", false, s.DenyOverride}, {"allow_override", true, s.AllowOverride},
		{"deny", false, s.Deny}, {"allow", true, s.Allow},
	} {
		for _, entry := range list.entries {
			pattern, err := readEntry(entry, list.allows)
			if err != nil {
				return nil, fmt.Errorf("%s: [url_policy] %s %q: %w", entry.Where, list.name, entry.Text, err)
			}
			by := fmt.Sprintf("the entry %q of [url_policy] %s in %s", entry.Text, list.name, entry.Where)
			p.entries = append(p.entries, urlEntry{pattern, list.allows, by})
		}
	}
	return p, nil
}

// readEntry reads an entry of a list. What allows says where the host ends, so that no
// other host can have the rest of the pattern in its paths.
func readEntry(entry Written, allows bool) (urls.Pattern, error) {
	pattern, err := urls.ParsePattern(entry.Text)
	if err == nil && allows && pattern.IsWhole() && entry.Text != "*" {
		err = errors.New("it does not say where the host ends; write for example https://example.com/*")
	}
	return pattern, err
}

// Judge returns what the lists say about a fetch. Where a host has several
// addresses, all must be allowed, and one that is denied is enough.
func (p *URLPolicy) Judge(a tools.Access) Judgement {
	if p == nil || a.URL == "" {
		return Judgement{}
	}
	target := TargetOf(a)
	judged := Judgement{Decision: Allow}
	for _, class := range target.classes {
		j := p.judge(target, class)
		if j.Decision == Deny {
			return j
		}
		if judged.Decision == Allow {
			judged = j
		}
	}
	return judged
}

// judge returns what the first entry for a URL says, or the default.
func (p *URLPolicy) judge(t Target, class urls.Class) Judgement {
	for _, e := range p.entries {
		switch {
		case !e.allows && e.MatchesDenied(t.url, class):
			if e.IsPreset() {
				return Judgement{Decision: Deny, By: e.by, Reason: t.Reason}
			}
			return Judgement{Decision: Deny, By: e.by}
		case e.allows && e.Matches(t.url, class) && e.Opens(t.url, class):
			return Judgement{Decision: Allow, By: e.by}
		}
	}
	if p.isClosed {
		return Judgement{Decision: Deny, Reason: t.Reason, By: "default = \"deny\" of [url_policy]"}
	}
	return Judgement{}
}

// WithURLs adds a policy for URLs to the rules: the stricter of both counts, and a
// question about an address that is not public says so.
func WithURLs(rules Policy, lists *URLPolicy) Policy { return withURLs{rules, lists} }

type withURLs struct {
	Policy
	lists *URLPolicy
}

func (w withURLs) Judge(c Call) Judgement {
	return Strictest(w.Policy.Judge(c), w.lists.Judge(c.Access))
}

func (w withURLs) Default(c Call) Judgement {
	j := w.Policy.Default(c)
	if target := TargetOf(c.Access); j.Decision == Ask && j.Reason == "" && target.IsSensitive() {
		j.Reason = target.Reason
	}
	return j
}
