package fetch

import (
	"html"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/permissions/urls"
	tokens "golang.org/x/net/html"
)

// page turns HTML into text. It has no tree: its depth is bounded by what it counts.
type page struct {
	writer
	base   urls.URL
	title  string
	hidden string // the element whose content is left out until it ends
	depth  int    // elements of that name in each other
	lists  []int  // the open lists: the number of the next item, -1 without numbers
	cells  int    // in this row of a table
}

const (
	maxIndent = 8  // nested lists that look different
	maxLists  = 64 // that are counted
	maxTitle  = 300
)

// readPage reads HTML as browsers take it apart. Scripts, styles and what else is not
// shown are left out; headings, lists, tables, code and links become Markdown.
func readPage(source string, base urls.URL) *page {
	p := &page{base: base, writer: writer{most: 2*len(source) + 64<<10}}
	z := tokens.NewTokenizer(strings.NewReader(source))
	for !p.isCut {
		kind := z.Next()
		if kind == tokens.ErrorToken {
			break
		}
		// Text and TagAttr of the tokenizer would bring its table of names into the
		// program, which is made at each start.
		raw := string(z.Raw())
		switch kind {
		case tokens.TextToken:
			p.content(raw)
		case tokens.StartTagToken, tokens.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if tag == "noscript" {
				z.NextIsNotRawText()
			}
			p.start(tag, raw, kind == tokens.SelfClosingTagToken)
		case tokens.EndTagToken:
			name, _ := z.TagName()
			p.end(string(name))
		}
	}
	p.closeLink()
	return p
}

// content takes text between tags.
func (p *page) content(raw string) {
	switch {
	case p.hidden == "title":
		if p.title == "" {
			title := strings.Join(strings.Fields(strings.Map(printable, html.UnescapeString(raw))), " ")
			p.title = clip.Text(title, maxTitle)
		}
	case p.hidden == "":
		p.write(html.UnescapeString(raw))
	}
}

// isHidden reports elements whose content is not shown.
func isHidden(tag string) bool {
	switch tag {
	case "script", "style", "template", "title", "svg", "math", "iframe", "noembed", "noframes", "canvas", "select",
		"datalist":
		return true
	}
	return false
}

func (p *page) start(tag, raw string, closesItself bool) {
	switch {
	case p.hidden == tag && !closesItself:
		p.depth++
		return
	case p.hidden != "" && !p.isBrokenOut(tag):
		return
	case isHidden(tag) && closesItself && (tag == "svg" || tag == "math"):
		return
	case isHidden(tag):
		p.hidden, p.depth = tag, 1
		return
	}
	p.hidden = ""
	switch tag {
	case "base":
		if to, err := p.base.Join(attribute(raw, "href")); err == nil {
			p.base = to
		}
	case "a":
		p.closeLink()
		p.openLink(attribute(raw, "href"))
	case "img":
		if alt := strings.TrimSpace(attribute(raw, "alt")); alt != "" {
			p.write("[image: " + alt + "]")
		}
	default:
		p.block(tag)
	}
}

// isBrokenOut reports whether a tag ends the hidden element, because it cannot be inside:
// a block in a drawing, a formula or a choice.
func (p *page) isBrokenOut(tag string) bool {
	switch p.hidden {
	case "svg", "math", "select", "datalist":
		return gap(tag) > 0
	}
	return false
}

func (p *page) end(tag string) {
	if p.hidden != "" {
		if p.hidden == tag {
			if p.depth--; p.depth == 0 {
				p.hidden = ""
			}
		}
		return
	}
	switch tag {
	case "a":
		p.closeLink()
	case "pre":
		p.endCode()
	case "code", "kbd", "samp":
		p.endMark()
	case "ul", "ol", "menu":
		if len(p.lists) > 0 {
			p.lists = p.lists[:len(p.lists)-1]
		}
		p.endBlock(p.listGap())
	default:
		p.endBlock(gap(tag))
	}
}

// block begins an element that is shown in a place of its own, or marks one in a line.
func (p *page) block(tag string) {
	switch tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.endBlock(2)
		p.prefix = strings.Repeat("#", int(tag[1]-'0')) + " "
	case "br":
		p.lineBreak()
	case "hr":
		p.newline(2)
		p.write("---")
		p.newline(2)
	case "pre":
		p.beginCode()
	case "code", "kbd", "samp":
		p.beginMark()
	case "ul", "menu":
		p.beginList(-1)
	case "ol":
		p.beginList(1)
	case "li":
		p.item()
	case "tr":
		p.endBlock(1)
		p.cells = 0
	case "td", "th":
		if p.cells++; p.cells > 1 {
			p.write(" | ")
		}
	default:
		p.newline(gap(tag))
	}
}

// gap returns how many line ends separate an element from others; 0 for one in a line.
func gap(tag string) int {
	switch tag {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "ul", "ol", "menu", "dl", "article",
		"section",
		"header", "footer", "main", "nav", "aside", "figure", "form", "fieldset", "details", "hr":
		return 2
	case "div", "li", "dt", "dd", "tr", "caption", "figcaption", "summary", "address", "center", "legend":
		return 1
	}
	return 0
}

func (p *page) beginList(first int) {
	p.newline(p.listGap())
	if len(p.lists) < maxLists {
		p.lists = append(p.lists, first)
	}
}

// listGap separates a list from what is around it, unless that is a list.
func (p *page) listGap() int {
	if len(p.lists) > 0 {
		return 1
	}
	return 2
}

func (p *page) item() {
	p.endBlock(1)
	p.prefix = "- "
	if n := len(p.lists); n > 0 {
		if number := &p.lists[n-1]; *number >= 0 {
			p.prefix = strconv.Itoa(*number) + ". "
			*number++
		}
		p.prefix = strings.Repeat("  ", min(n, maxIndent)-1) + p.prefix
	}
}

// openLink begins a link, if it leads to something that can be fetched.
func (p *page) openLink(reference string) {
	reference = strings.TrimSpace(reference)
	if reference == "" || strings.HasPrefix(reference, "#") {
		return
	}
	if to, err := p.base.Join(reference); err == nil {
		p.link = to.String()
	}
}
