package trace

import (
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
)

// TestThePageEscapesEachText reads the page's template: each action that writes something
// escapes it, except a number.
func TestThePageEscapesEachText(t *testing.T) {
	page, err := template.ParseFS(page, "page.html")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	var walk func(parse.Node)
	branch := func(n *parse.BranchNode) {
		walk(n.List)
		if n.ElseList != nil {
			walk(n.ElseList)
		}
	}
	walk = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			for _, inner := range n.Nodes {
				walk(inner)
			}
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.ActionNode:
			written++
			if text := n.String(); !strings.HasPrefix(text, "{{html ") && text != "{{.Percent}}" {
				t.Errorf("%s is not escaped; write it as {{html ...}}", text)
			}
		case *parse.TextNode, *parse.CommentNode:
		default:
			t.Errorf("%T in the template is not known to this test", n)
		}
	}
	walk(page.Root)
	if written < 10 {
		t.Errorf("the template writes only %d values", written)
	}
}

// TestHostileTextsStayTexts: what plugins and models write cannot leave its place on the page.
func TestHostileTextsStayTexts(t *testing.T) {
	const hostile = `</pre><script>alert(1)</script>" onclick='x'>&`
	page, err := template.ParseFS(page, "page.html")
	if err != nil {
		t.Fatal(err)
	}
	row := viewRow{At: hostile, Time: hostile, Percent: 5, Payload: hostile, Answer: hostile,
		Row:     Row{Mark: hostile, Point: hostile, Who: hostile, Text: hostile},
		Changes: []viewChange{{hostile, hostile, hostile, hostile}}}
	plain := row
	plain.Payload, plain.Answer = "", ""
	var b strings.Builder
	view := view{Title: hostile, Prompt: hostile, Sentences: []string{hostile}, Rows: []viewRow{row, plain}}
	if err := page.Execute(&b, []any{view}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "alert(1)</script>") || strings.Contains(b.String(), `" onclick`) {
		t.Errorf("a text has left its place:\n%s", b.String())
	}
}
