package fetch

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/tools"
)

// result returns what the model is shown: where it came from and what it is, an empty
// line, the content.
func (p *plan) result(r *response) tools.Result {
	text := p.text(r)
	kind, _ := r.mediaType()
	head := []string{r.place.url.String(), status(r.StatusCode) + ", " + kind + ", " + size(int64(len(r.body)))}
	if len(r.body) == 0 {
		head[1] = status(r.StatusCode) + ", no content"
	}
	if r.title != "" {
		head = append(head, "title: "+r.title)
	}
	if r.redirects > 0 {
		head = append(head, fmt.Sprintf("redirected from %s", p.first.url))
	}
	for _, note := range r.notes {
		head = append(head, "note: "+note)
	}
	return tools.Result{Text: strings.TrimRight(strings.Join(head, "\n")+"\n\n"+text, "\n") + "\n"}
}

// text returns the body as the call wants it.
func (p *plan) text(r *response) string {
	if len(r.body) == 0 {
		return ""
	}
	kind, charset := r.mediaType()
	if charset == "" && isHTML(kind) {
		charset = htmlCharset(r.body)
	}
	isUTF16 := strings.HasPrefix(charset, "utf-16")
	if !isText(kind, r.body) && !isUTF16 && !p.isRaw {
		r.note("this is not text; format raw returns it, as far as it is UTF-8")
		return ""
	}
	d := decode(r.body, charset)
	if d.from != "" {
		r.note("converted from %s", d.from)
	}
	if d.invalid > 0 {
		r.note("U+FFFD stands for what is not UTF-8: %s", size(int64(d.invalid)))
	}
	switch {
	case p.isRaw:
		return d.text
	case isHTML(kind):
		return r.page(d.text)
	}
	return strings.Map(printable, d.text)
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
