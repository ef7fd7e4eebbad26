package fetch

import (
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/tools"
)

func (p *plan) page(r *response) Page {
	text, isText := p.text(r)
	kind, _ := r.mediaType()
	page := Page{URL: r.place.url.String(), Status: status(r.StatusCode), Type: kind, Bytes: int64(len(r.body)),
		Title: r.title, Notes: r.notes, Text: text, IsText: isText}
	if r.redirects > 0 {
		page.From = p.first.url.String()
	}
	return page
}

// result is what the model is shown: where it came from and what it is, an empty line, the
// content.
func (p Page) result() tools.Result {
	head := []string{p.URL, p.Status + ", " + p.Type + ", " + size(p.Bytes)}
	if p.Bytes == 0 {
		head[1] = p.Status + ", no content"
	}
	if p.Title != "" {
		head = append(head, "title: "+p.Title)
	}
	if p.From != "" {
		head = append(head, "redirected from "+p.From)
	}
	for _, note := range p.Notes {
		head = append(head, "note: "+note)
	}
	return tools.Result{Text: strings.TrimRight(strings.Join(head, "\n")+"\n\n"+p.Text, "\n") + "\n"}
}

func (p *plan) text(r *response) (text string, isText bool) {
	if len(r.body) == 0 {
		return "", true
	}
	kind, charset := r.mediaType()
	if charset == "" && isHTML(kind) {
		charset = htmlCharset(r.body)
	}
	isUTF16 := strings.HasPrefix(charset, "utf-16")
	if isText = looksLikeText(kind, r.body) || isUTF16; !isText && !p.isRaw {
		r.note("this is not text; format raw returns it, as far as it is UTF-8")
		return "", false
	}
	d := decode(r.body, charset)
	if d.from != "" {
		r.note("converted from %s", d.from)
	}
	if d.invalid > 0 {
		r.note("U+FFFD stands for bytes that are not UTF-8: %s", size(int64(d.invalid)))
	}
	switch {
	case p.isRaw:
		return d.text, isText
	case isHTML(kind):
		return r.page(d.text), true
	}
	return strings.Map(printable, d.text), true
}

// page returns the text of a page.
func (r *response) page(source string) string {
	page := readPage(source, r.place.url)
	r.title = page.title
	if page.isCut {
		r.note("the page becomes longer as text than as HTML; the end is missing")
	}
	return page.text()
}

// printable drops characters that show nothing and can control what shows them:
// control characters but for tabs and newlines, and those that reorder or hide text.
func printable(r rune) rune {
	switch {
	case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // the latter join letters
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
