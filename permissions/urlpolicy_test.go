package permissions

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// fetch is what a fetch of a URL would do whose host has these addresses; "" leaves a
// name that is not looked up, "-" one without an address.
func fetch(url, addresses string) tools.Access {
	a := tools.Access{URL: url}
	switch addresses {
	case "":
		a.Resolve = func(context.Context) []netip.Addr { return nil }
	case "-":
		a.Addresses = []netip.Addr{}
	default:
		for text := range strings.FieldsSeq(addresses) {
			a.Addresses = append(a.Addresses, netip.MustParseAddr(text))
		}
	}
	return a
}

func entries(texts ...string) (list []Written) {
	for _, text := range texts {
		list = append(list, Written{Text: text, Where: "config.toml:1"})
	}
	return list
}

func newURLPolicy(t *testing.T, s URLSettings) *URLPolicy {
	t.Helper()
	p, err := NewURLPolicy(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestURLPolicyDecidesByTheFirstListWithAnEntry(t *testing.T) {
	lists := newURLPolicy(t, URLSettings{
		DenyOverride:  entries("*://evil.example"),
		AllowOverride: entries("https://*.example/open/*", "preset:loopback"),
		Deny:          entries("https://closed.example", "preset:private_network", "preset:unparseable"),
		Allow:         entries("https://*", "http://10.0.0.7/*", "https://wiki.corp"),
	})
	for _, test := range []struct {
		url, addresses string
		want           Decision
		by, reason     string
	}{
		{"https://evil.example/open/x", "1.1.1.1", Deny,
			`the entry "*://evil.example" of [url_policy] deny_override`, ""},
		{"http://evil.example:81/", "1.1.1.1", Deny, "deny_override", ""},
		{"https://closed.example/open/x", "1.1.1.1", Allow,
			`the entry "https://*.example/open/*" of [url_policy] allow_override`, ""},
		{"https://closed.example/", "1.1.1.1", Deny, `of [url_policy] deny`, ""},
		{"https://other.example/", "1.1.1.1", Allow, `the entry "https://*" of [url_policy] allow`, ""},
		{"http://other.example/", "1.1.1.1", Undecided, "", ""},
		{"https://other.example/", "", Allow, "allow", ""}, // its address is judged later
		{"https://other.example/", "10.1.2.3", Deny, "preset:private_network", "other.example has the address " +
			"10.1.2.3 (private_network)"},
		{"https://wiki.corp/", "10.1.2.3", Deny, "preset:private_network", ""}, // deny comes before allow
		{"https://other.example/", "1.1.1.1 10.1.2.3", Deny, "preset:private_network", ""},
		{"https://wiki.corp/", "fd00::1", Allow, "https://wiki.corp", ""},
		{"https://other.example/", "fd00::1", Undecided, "", ""},
		{"https://other.example/", "1.1.1.1 fd00::1", Undecided, "", ""},
		{"https://other.example/", "-", Undecided, "", ""},
		{"https://wiki.corp/", "-", Allow, "https://wiki.corp", ""},
		{"https://wiki.corp/", "169.254.169.254", Undecided, "", ""},
		{"http://127.1:3000/", "", Allow, "preset:loopback", ""},
		{"http://[::ffff:7f00:1]/", "", Allow, "preset:loopback", ""},
		{"http://localhost/", "", Allow, "preset:loopback", ""},
		{"https://other.example/", "127.0.0.1", Allow, "preset:loopback", ""},
		{"https://other.example/", "127.0.0.1 1.1.1.1", Allow, "", ""}, // each by its own entry
		{"http://10.0.0.7/", "", Deny, "preset:private_network", "10.0.0.7 is not a public address " +
			"(private_network)"},
		{"http://169.254.169.254/", "", Undecided, "", ""},
		{"gopher://x/", "", Deny, "preset:unparseable", "chibi cannot read the URL"},
		{"", "", Undecided, "", ""},
	} {
		got := lists.Judge(fetch(test.url, test.addresses))
		if got.Decision != test.want || !strings.Contains(got.By, test.by) || !strings.Contains(got.Reason,
			test.reason) {
			t.Errorf("%s (%s): %+v, want %s by %s", test.url, test.addresses, got, test.want, test.by)
		}
	}
}

func TestURLPolicyDefault(t *testing.T) {
	for value, want := range map[string]Decision{"": Undecided, "allow": Undecided, "deny": Deny} {
		lists := newURLPolicy(t, URLSettings{Default: value, Allow: entries("https://a.example",
			"https://*.b.example")})
		if got := lists.Judge(fetch("https://other.example/", "1.1.1.1")); got.Decision != want {
			t.Errorf("%s: %+v", value, got)
		}
		if got := lists.Judge(fetch("https://a.example/", "1.1.1.1")); got.Decision != Allow {
			t.Errorf("%s: %+v", value, got)
		}
		if got := lists.Judge(fetch("https://a.b.example/", "127.0.0.1")); got.Decision != want {
			t.Errorf("%s, a name of many that leads home: %+v", value, got)
		}
	}
	if got := (*URLPolicy)(nil).Judge(fetch("https://a.example/", "")); got.Decision != Undecided {
		t.Errorf("no policy: %+v", got)
	}
}

func TestURLPolicyNamesAWrongEntry(t *testing.T) {
	for want, s := range map[string]URLSettings{
		`[url_policy] default is "ask"; want "allow" or "deny"`: {Default: "ask"},
		`config.toml:3: [url_policy] deny "preset:x": there is no preset "x"`: {
			Deny: []Written{{Text: "preset:x", Where: "config.toml:3"}}},
		`config.toml:1: [url_policy] allow "example.com": it does not say where the host ends`: {
			Allow: entries("example.com")},
	} {
		if _, err := NewURLPolicy(s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	newURLPolicy(t, URLSettings{Deny: entries("*tracker*"), Allow: entries("*")})
}

func TestADecisionNamesTheEntryAndItsPlace(t *testing.T) {
	lists := newURLPolicy(t, URLSettings{Deny: []Written{{"https://a.example", "config.toml:3"}}})
	want := `the entry "https://a.example" of [url_policy] deny in config.toml:3`
	if got := lists.Judge(fetch("https://a.example/", "1.1.1.1")); got.By != want {
		t.Errorf("by %s, want %s", got.By, want)
	}
}

func TestAURLIsAllowedOnlyIfBothRulesAndListsDo(t *testing.T) {
	lists := newURLPolicy(t, URLSettings{Allow: entries("https://a.example"), Deny: entries("https://b.example")})
	for _, test := range []struct {
		rule Decision
		url  string
		want Decision
	}{
		{Deny, "https://a.example/", Deny}, {Ask, "https://a.example/", Ask}, {Undecided, "https://a.example/",
			Allow},
		{Allow, "https://b.example/", Deny}, {Allow, "https://c.example/", Allow}, {Undecided, "https://c.example/",
			Undecided},
	} {
		p := WithURLs(fixed{judge: Judgement{Decision: test.rule}}, lists)
		if got := p.Judge(Call{Access: fetch(test.url, "1.1.1.1")}); got.Decision != test.want {
			t.Errorf("rule %q and %s: %+v, want %s", test.rule, test.url, got, test.want)
		}
	}
}

func TestAQuestionSaysThatAnAddressIsNotPublic(t *testing.T) {
	p := WithURLs(fixed{byDefault: Judgement{Decision: Ask, By: "the default for fetch"}}, nil)
	for addresses, want := range map[string]string{
		"1.1.1.1": "", "": "", "10.0.0.1": "a.example has the address 10.0.0.1 (private_network)", "-": "chibi " +
			"does not know the address of a.example",
	} {
		if got := p.Default(Call{Access: fetch("https://a.example/",
			addresses)}); got.Decision != Ask || got.Reason != want {
			t.Errorf("%s: %+v", addresses, got)
		}
	}
}

func TestANameIsLookedUpOnlyWhereThatCanMatter(t *testing.T) {
	undecided := says(Judgement{})
	answers := answers{{Allow: true}}
	allowing := Hooks{Judge: undecided.Judge, Answer: func(context.Context, Question) (Judgement, error) {
		return Judgement{Decision: Allow}, nil
	}}
	for name, test := range map[string]struct {
		gate   *Gate
		hooks  Hooks
		looked bool
		want   Decision
	}{
		"denied by a rule":    {&Gate{Policy: fixed{judge: Judgement{Decision: Deny}}}, undecided, false, Deny},
		"denied by a hook":    {&Gate{Policy: fixed{}}, says(Judgement{Decision: Deny}), false, Deny},
		"nobody can be asked": {&Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}}}, undecided, false, Deny},
		"allowed by a hook":   {&Gate{Policy: fixed{}}, says(Judgement{Decision: Allow}), true, Allow},
		"allowed by a rule":   {&Gate{Policy: fixed{judge: Judgement{Decision: Allow}}}, undecided, true, Allow},
		"allowed in the place of the person": {&Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}}}, allowing,
			true, Allow},
		"allowed by the person": {&Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}},
			Person: &answers}, undecided, true, Allow},
		"all tools are trusted": {&Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}}, TrustAll: true},
			undecided, true, Allow},
	} {
		looked := false
		a := tools.Access{URL: "https://a.example/", Resolve: func(context.Context) []netip.Addr {
			looked = true
			return []netip.Addr{netip.MustParseAddr("1.1.1.1")}
		}}
		got, err := test.gate.Decide(t.Context(), Call{Access: a}, test.hooks)
		if err != nil || got.Decision != test.want || looked != test.looked {
			t.Errorf("%s: %+v %v, looked up: %v", name, got, err, looked)
		}
	}
}

func TestWhatANameResolvesToIsJudged(t *testing.T) {
	lists := newURLPolicy(t, URLSettings{Allow: entries("https://*")})
	g := Gate{Policy: WithURLs(fixed{byDefault: Judgement{Decision: Ask}}, lists)}
	for address, want := range map[string]Decision{"1.1.1.1": Allow, "127.0.0.1": Deny,
		"::ffff:169.254.169.254": Deny} {
		a := tools.Access{URL: "https://a.example/", Resolve: func(context.Context) []netip.Addr {
			return []netip.Addr{netip.MustParseAddr(address)}
		}}
		if got, err := g.Decide(t.Context(), Call{Access: a}, says(Judgement{})); err != nil || got.Decision != want {
			t.Errorf("%s: %+v %v, want %s", address, got, err, want)
		}
	}
}

func TestARedirectIsJudgedWithoutAQuestion(t *testing.T) {
	ask := fixed{byDefault: Judgement{Decision: Ask}, rule: "fetch_url(domain:a.example)"}
	asks := fixed{judge: Judgement{Decision: Ask}, rule: ask.rule}
	allows := fixed{judge: Judgement{Decision: Allow}}
	person := &answers{{Allow: true, Scope: ThisRun}}
	answered := map[string]bool{ask.rule: true}
	for name, test := range map[string]struct {
		gate    *Gate
		address string
		want    Decision
		looked  bool
	}{
		"nobody said anything": {&Gate{Policy: ask, Person: person}, "1.1.1.1", Undecided, false},
		"a rule asks":          {&Gate{Policy: asks, Person: person}, "1.1.1.1", Ask, false},
		"a rule allows it":     {&Gate{Policy: allows}, "1.1.1.1", Allow, true},
		"a rule denies it": {&Gate{Policy: fixed{judge: Judgement{Decision: Deny}}, TrustAll: true},
			"1.1.1.1", Deny, false},
		"all tools are trusted":            {&Gate{Policy: ask, TrustAll: true}, "1.1.1.1", Allow, true},
		"trusted, but not public":          {&Gate{Policy: ask, TrustAll: true}, "169.254.169.254", Undecided, true},
		"allowed for this run":             {&Gate{Policy: asks, granted: answered}, "1.1.1.1", Allow, true},
		"allowed for this run, not public": {&Gate{Policy: asks, granted: answered}, "10.0.0.1", Ask, true},
	} {
		looked := false
		c := Call{Access: tools.Access{URL: "https://a.example/", Resolve: func(context.Context) []netip.Addr {
			looked = true
			return []netip.Addr{netip.MustParseAddr(test.address)}
		}}}
		got, err := test.gate.Follow(t.Context(), c, says(Judgement{}).Judge)
		if err != nil || got.Decision != test.want || looked != test.looked {
			t.Errorf("%s: %+v %v, want %q; looked up: %v", name, got, err, test.want, looked)
		}
	}
	if len(*person) != 1 {
		t.Error("the person was asked about a redirect")
	}
}
