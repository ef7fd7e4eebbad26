package permissions

import (
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestWhatNobodyDecides(t *testing.T) {
	const readInside, readOutside = "the default for read inside the roots", "the default for read outside the roots"
	inside, outside := tools.Access{Path: "/project/a", Real: "/project/a"}, tools.Access{Path: "/a", Real: "/a"}
	for _, test := range []struct {
		category tools.Category
		access   tools.Access
		root     string
		want     Decision
		by       string
	}{
		{tools.CategoryRead, inside, "/project", Allow, readInside},
		{tools.CategorySearch, inside, "/project", Allow, "the default for search inside the roots"},
		{tools.CategoryRead, tools.Access{Path: "/more/a", Real: "/more/a"}, "/project", Allow, readInside},
		{tools.CategoryRead, outside, "/project", Ask, readOutside},
		{tools.CategorySearch, outside, "/project", Ask, "the default for search outside the roots"},
		{tools.CategoryRead, tools.Access{Path: "/project/a", Real: "/a"}, "/project", Ask, readOutside},
		{tools.CategoryRead, tools.Access{Path: "/a", Real: "/project/a"}, "/project", Ask, readOutside},
		{tools.CategoryRead, tools.Access{}, "/project", Ask, readOutside},
		{tools.CategoryRead, inside, "", Ask, readOutside},
		{tools.CategoryWrite, inside, "/project", Ask, "the default for write"},
		{tools.CategoryEdit, inside, "/project", Ask, "the default for edit"},
		{tools.CategoryShell, tools.Access{Command: "ls"}, "/project", Ask, "the default for shell"},
		{tools.CategoryFetch, tools.Access{URL: "http://a"}, "/project", Ask, "the default for fetch"},
		{tools.CategoryMCP, tools.Access{}, "/project", Ask, "the default for mcp"},
		{tools.CategoryAgent, tools.Access{}, "/project", Allow, "the default for agent"},
		{"", tools.Access{}, "/project", Allow, "the default for tools without a category"},
	} {
		r, err := NewRules(Settings{Root: test.root, Dir: "/project", ReadRoots: []string{"/more"}})
		if err != nil {
			t.Fatal(err)
		}
		call := Call{Tool: tools.Spec{Name: "x", Category: test.category}, Access: test.access}
		if got := r.Judge(call); got.Decision != Undecided {
			t.Errorf("%s: judged %+v", test.category, got)
		}
		if got := r.Default(call); got.Decision != test.want || got.By != test.by {
			t.Errorf("%s %s: %+v, want %s", test.category, test.access.Path, got, test.by)
		}
	}
}

// TestWhatNobodyDecidesAboutAToolOfAServer: the stricter default counts, and who is named is
// who decided.
func TestWhatNobodyDecidesAboutAToolOfAServer(t *testing.T) {
	r := rulesOf(t, nil, nil, nil)
	inside := tools.Access{Path: "/project/a", Real: "/project/a"}
	const trusted = "MCP server s, which is trusted and says that the tool only reads"
	for _, test := range []struct {
		category tools.Category
		readOnly bool
		want     Decision
		by       string
	}{
		{tools.CategoryMCP, false, Ask, "the default for mcp"}, {tools.CategoryMCP, true, Allow, trusted},
		{"", false, Ask, "the default for mcp"}, {"", true, Allow, trusted},
		{tools.CategoryRead, false, Ask, "the default for mcp"},
		{tools.CategoryRead, true, Allow, "the default for read inside the roots"},
		{tools.CategoryShell, true, Ask, "the default for shell"},
		{tools.CategoryAgent, false, Ask, "the default for mcp"},
	} {
		call := Call{Tool: tools.Spec{Name: "mcp__s__t", Category: test.category,
			Remote: &tools.Remote{Server: "s", Tool: "t", ReadOnly: test.readOnly}}, Access: inside}
		call.Access.Dir = "/project"
		if got := r.Default(call); got.Decision != test.want || got.By != test.by {
			t.Errorf("%s, %v: %+v; want %s by %s", test.category, test.readOnly, got, test.want, test.by)
		}
	}
}

func TestACommandOutsideTheRootsIsAskedWithTheReason(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"shell(ls)"})
	g := Gate{Policy: r}
	got, err := g.Decide(t.Context(), shellCall("ls", "/elsewhere"), says(Judgement{}))
	want := "it would run in /elsewhere, and rules allow commands inside the roots only; a person must allow it, and " +
		"there is no terminal to ask at; --trust-tools allows it for one run"
	if err != nil || got.Decision != Deny || got.Reason != want {
		t.Errorf("%+v %v", got, err)
	}
	if got := r.Default(shellCall("ls", "/project/sub")); got.Reason != "" {
		t.Errorf("inside: %+v", got)
	}
}
