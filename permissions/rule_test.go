package permissions

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestARuleThatCannotBeParsedIsNamedWithItsPlace(t *testing.T) {
	for rule, want := range map[string]string{
		"shell_exec(git":               "a parenthesis is not closed",
		"shell_exec(git) x":            "there is text behind the closing parenthesis",
		"shell_exec)":                  "a parenthesis is closed that was not opened",
		"shell_exec()":                 "there is nothing in the parentheses; write shell_exec for all calls",
		"":                             "it does not begin with the name of a tool or a category",
		"(git *)":                      "it does not begin with the name of a tool or a category",
		"shell exec(git)":              `' ' cannot be in the name of a tool`,
		`shell_exec(echo "a)`:          "a quote is not closed",
		`shell(echo a\)`:               "it ends with a backslash",
		"shell_exec(curl * | sh)":      `'|' ends a command, and a rule is about one command`,
		"shell(make && make install)":  `'&' ends a command`,
		"shell(make > out)":            `'>' ends a command`,
		"read(!secret)":                "a rule cannot be turned round by !; write one in another list",
		"read(../secret)":              "a pattern cannot contain .. as a part",
		"read(a[)":                     "a bracket is not closed",
		"read(~root/x)":                "only ~/ stands for a home directory, and only for yours",
		"fetch_url(example.com)":       "a rule about URLs has domain:HOST or domain:*.HOST in its parentheses",
		"fetch_url(domain:)":           "domain: needs a host behind it",
		"fetch(domain:https://a.b/)":   "domain: takes only a host, without scheme and path",
		"fetch(domain:localhost:8080)": "the rule holds for all its ports",
		"fetch(domain:a.*.b)":          "in a domain, * can only be the first part",
		"fetch(domain:a b)":            "domain: needs a host",
		"agent(x)":                     "rules about such tools have no parentheses; write agent",
		"mcp(x)":                       "rules about such tools have no parentheses; write mcp",
	} {
		_, err := NewRules(Settings{Deny: []Written{{"shell", "config.toml:6"}, {rule, "config.toml:7"}}})
		place := "config.toml:7: [permissions] deny "
		if err == nil || !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", rule, err, want)
		}
	}
	_, err := NewRules(Settings{Deny: []Written{{"shell_exec(git", "--deny"}}})
	if want := `--deny "shell_exec(git": a parenthesis is not closed`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = NewRules(Settings{Allow: []Written{{"*", `--allow "*"`}}})
	want := `--allow "*": allow names one tool; only names that begin with mcp__ can have a *`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestARuleNamesAToolOrItsCategory(t *testing.T) {
	bash := tools.Spec{Name: "bash", Category: tools.CategoryShell}
	remote := func(tool string, category tools.Category) tools.Spec { // of the server "a", with a name of at most 64 bytes
		name := "mcp__a__" + tool
		return tools.Spec{Name: name[:min(len(name), 64)], Category: category, Remote: &tools.Remote{Server: "a", Tool: tool}}
	}
	for _, test := range []struct {
		rule string
		spec tools.Spec
		want bool
	}{
		{"bash", bash, true},
		{"shell", bash, true},
		{"shell_exec", bash, false},
		{"read", bash, false},
		{"b*", bash, true},
		{"*", bash, true},
		{"shell", tools.Spec{Name: "shell"}, true},
		{"shell", tools.Spec{Name: "shell", Category: tools.CategoryRead}, false},
		{"read", tools.Spec{Name: "shell", Category: tools.CategoryRead}, true},
		{"mcp", tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}, true},
		{"mcp__a__b", tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}, true},
		{"mcp__a", tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}, true},
		{"mcp__a__*", tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}, true},
		{"mcp", remote("b", tools.CategoryShell), true},
		{"shell", remote("b", tools.CategoryShell), true},
		{"read", remote("b", tools.CategoryShell), false},
		{"mcp", tools.Spec{Name: "sh", Category: tools.CategoryShell}, false},
		{"mcp__a__" + strings.Repeat("b", 80), remote(strings.Repeat("b", 80), tools.CategoryMCP), true},
		{"mcp__a__" + strings.Repeat("b", 79) + "*", remote(strings.Repeat("b", 80), tools.CategoryMCP), true},
		{"mcp__a__" + strings.Repeat("b", 79), remote(strings.Repeat("b", 80), tools.CategoryMCP), false},
		{"mcp__b", remote("b", tools.CategoryMCP), false},
		{"mcp__a__c*", tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}, false},
		{"weather", tools.Spec{Name: "weather"}, true},
	} {
		r := rulesOf(t, []string{test.rule}, nil, nil)
		if got := !r.Offers(test.spec); got != test.want {
			t.Errorf("%s names %s of category %q: %v", test.rule, test.spec.Name, test.spec.Category, got)
		}
		call := Call{Tool: test.spec, Access: tools.Access{Command: "ls", Path: "/a", Real: "/a"}}
		if got := r.Judge(call); (got.Decision == Deny) != test.want {
			t.Errorf("%s judges %s: %+v", test.rule, test.spec.Name, got)
		}
	}
	if r := rulesOf(t, []string{"bash(git *)"}, nil, nil); !r.Offers(bash) {
		t.Error("a tool is not offered of which only some calls are denied")
	}
}

func TestOfTwoRulesThatContradictTheStricterHolds(t *testing.T) {
	for _, test := range []struct {
		deny, ask, allow []string
		want             Decision
	}{
		{[]string{"shell(git *)"}, nil, []string{"shell_exec(git status)"}, Deny},
		{nil, []string{"shell_exec"}, []string{"shell_exec(git status)"}, Ask},
		{[]string{"shell_exec(git status)"}, []string{"shell"}, []string{"shell"}, Deny},
		{nil, []string{"shell(git *)"}, []string{"shell_exec(git status)"}, Ask},
		{nil, nil, []string{"shell_exec(git status)"}, Allow},
		{nil, nil, nil, Undecided},
	} {
		r := rulesOf(t, test.deny, test.ask, test.allow)
		if got := r.Judge(shellCall("git status", "/project")); got.Decision != test.want {
			t.Errorf("deny %v, ask %v, allow %v: %+v", test.deny, test.ask, test.allow, got)
		}
	}
}

func TestAJudgementNamesTheRuleAndItsPlace(t *testing.T) {
	r, err := NewRules(Settings{
		Deny:  []Written{{"shell(rm *)", "config.toml:3"}, {"shell(git push*)", "contexts/work/local.toml:1"}},
		Allow: []Written{{"shell(rm *)", "--allow"}, {"shell(git *)", `--allow "shell(git *)"`}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"rm x":       `the rule "shell(rm *)" of config.toml:3`,
		"git push":   `the rule "shell(git push*)" of contexts/work/local.toml:1`,
		"git status": `the rule "shell(git *)" of --allow`,
	} {
		if got := r.Judge(shellCall(command, "")); got.By != want {
			t.Errorf("%s: %+v, want %s", command, got, want)
		}
	}
}

func TestARuleForAToolOfUnknownKindIsNeverWeaker(t *testing.T) {
	page := tools.Spec{Name: "page", Category: tools.CategoryFetch}
	none := tools.Spec{Name: "page"}
	url := tools.Access{URL: "https://example.com/"}
	for _, test := range []struct {
		deny, allow []string
		spec        tools.Spec
		want        Decision
	}{
		{[]string{"page(example.com)"}, []string{"page"}, page, Ask},
		{nil, []string{"page(example.com)"}, page, Undecided},
		{[]string{"page(example.com)"}, nil, none, Ask},
		{nil, []string{"page(example.com)"}, none, Undecided},
		{[]string{"page(domain:example.com)"}, nil, page, Deny},
	} {
		got := rulesOf(t, test.deny, nil, test.allow).Judge(Call{Tool: test.spec, Access: url})
		if got.Decision != test.want {
			t.Errorf("deny %v, allow %v, %q: %+v, want %s", test.deny, test.allow, test.spec.Category, got, test.want)
		}
	}
}

func TestRulesAboutDomains(t *testing.T) {
	fetch := tools.Spec{Name: "fetch_url", Category: tools.CategoryFetch}
	for _, test := range []struct {
		host, url string
		want      certainty
	}{
		{"example.com", "https://example.com/a", certain},
		{"example.com", "https://EXAMPLE.com.:8443/", certain},
		{"example.com", "https://www.example.com/", no},
		{"example.com", "https://example.com@evil.org/", possible},
		{"example.com", "https://evil.org/example.com", no},
		{"*.example.com", "https://a.b.example.com/", certain},
		{"*.example.com", "https://example.com/", no},
		{"*.example.com", "https://notexample.com/", no},
		{"*", "https://example.com/", certain},
		{"127.0.0.1", "http://0x7f.1/", certain},
		{"::1", "http://[0:0:0:0:0:0:0:1]:80/", certain},
		{"example.com", "https://exämple.com/", no},
		{"exämple.com", "https://XN--exmple-cua.com/", certain},
		{"example.com", "::", possible},
		{"example.com", "", possible},
	} {
		call := Call{Tool: fetch, Access: tools.Access{URL: test.url}}
		rule := "fetch_url(domain:" + test.host + ")"
		denied := map[certainty]Decision{certain: Deny, possible: Ask, no: Undecided}[test.want]
		if got := rulesOf(t, []string{rule}, nil, nil).Judge(call); got.Decision != denied {
			t.Errorf("%s denies %s: %+v", rule, test.url, got)
		}
		allowed := map[certainty]Decision{certain: Allow, possible: Undecided, no: Undecided}[test.want]
		if got := rulesOf(t, nil, nil, []string{rule}).Judge(call); got.Decision != allowed {
			t.Errorf("%s allows %s: %+v", rule, test.url, got)
		}
	}
}

func TestARuleForManyDomainsAllowsPublicAddressesOnly(t *testing.T) {
	fetch := tools.Spec{Name: "fetch_url", Category: tools.CategoryFetch}
	private, public := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("93.184.216.34")
	for _, test := range []struct {
		rule    string
		address netip.Addr
		want    Decision
	}{
		{"fetch_url(domain:wiki.example.com)", private, Allow},
		{"fetch_url(domain:*.example.com)", private, Undecided},
		{"fetch_url(domain:*)", private, Undecided},
		{"fetch_url", private, Undecided},
		{"fetch_url(domain:*.example.com)", public, Allow},
		{"fetch_url", public, Allow},
	} {
		access := tools.Access{URL: "https://wiki.example.com/", Addresses: []netip.Addr{test.address}}
		got := rulesOf(t, nil, nil, []string{test.rule}).Judge(Call{Tool: fetch, Access: access})
		if got.Decision != test.want {
			t.Errorf("%s and %s: %+v, want %s", test.rule, test.address, got, test.want)
		}
	}
}

func TestADeniedAddressIsDeniedByTheNamesThatHaveIt(t *testing.T) {
	call := Call{Tool: tools.Spec{Name: "fetch_url", Category: tools.CategoryFetch}, Access: tools.Access{
		URL: "https://wiki.example.com/", Addresses: []netip.Addr{netip.MustParseAddr("1.2.3.4"),
			netip.MustParseAddr("::ffff:10.0.0.1")}}}
	for rule, want := range map[string]Decision{"fetch(domain:10.0.0.1)": Deny, "fetch(domain:10.0.0.2)": Undecided} {
		if got := rulesOf(t, []string{rule}, nil, nil).Judge(call); got.Decision != want {
			t.Errorf("%s: %+v", rule, got)
		}
	}
	allowing := rulesOf(t, nil, nil, []string{"fetch(domain:10.0.0.1)"})
	if got := allowing.Judge(call); got.Decision != Undecided {
		t.Errorf("a permission for an address is none for a name: %+v", got)
	}
}
