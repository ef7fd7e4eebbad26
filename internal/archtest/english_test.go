package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// phrase is a pattern of English that makes a reader stop, and what to write in its place.
type phrase struct{ pattern, instead string }

// phrases are what STYLE in CONTRIBUTING.md forbids. The subject of a sentence is who acts.
func phrases() []phrase {
	return []phrase{
		{`\b(is|are|was|were|be) (said|told|heard of|spoken of)\b`, "name who says it: chibi, the plugin, the server"},
		{`\b(is|are|was|were) (judged|asked about)\b`, "name who decides: chibi asks you, a rule allows"},
		{`\breading is\b|\bwriting is\b|\basking is\b`, "name who reads, writes or asks"},
		{`\b(that|those) of\b`, "say the noun again"},
		{`\bis that (of|for|from|in)\b|\bare those (of|for|from|in)\b`, "say the noun again"},
		{`\bof which any\b|\bof whom\b|\bthat of which\b`, "make two sentences"},
		{`(^|[.:;] )What [a-z' ]{3,40} (is|are|was|has|does not)\b`, "the Y that X, not what X"},
		{`\bis (a )?no [a-z]+\b|\bare no [a-z]+s\b`, "write not: is not a file; no only in there is no file"},
		{`\bcounts? as judged\b|\bis judged as\b`, "say what chibi decides"},
		{`\bone of (its|their) own\b`, "its own, or another one"},
		{`\bin no case\b|\bby no means\b`, "never, or not"},
		{`\bis to be (read|asked|told|said|done)\b`, "say who does it"},
		{`\bhas been said\b|\bwas said\b`, "name who said it"},
		{`\bis of no\b|\bare of no\b`, "has no"},
		{`\bas long as it does\b|\bso it is\b|\bso does it\b`, "say it in full"},
		{`\bbeside(s)? which\b|\bbeneath which\b|\bbehind which\b|\bbefore which\b`, "make two sentences"},
		{`\bis in any case\b|\bare in any case\b`, "always"},
		{`\bwhatsoever\b|\bthereof\b|\bthereby\b|\bwhereof\b|\bhereby\b|\bthereupon\b|\bwherein\b`, "the plain word"},
		{`\bit is (said|told|asked|known) that\b`, "name who says it"},
		{`\bletters of upper\b|\bsmall letters\b|\bgreat letters\b`, "in upper or lower case"},
		{`\bis (gone|away) then\b|\bis there then\b`, "say when first"},
		{`\bmay not be (read|asked|told)\b`, "cannot, or must not, by whom"},
		{`\bmuch the same\b|\bin like manner\b`, "the same"},
		{`\bnot any more\b|\bno more\b`, "not, or no longer"},
		{`\bif need be\b|\bas need be\b`, "if necessary"},
		{`\bwhat is not there\b|\bwhat is there\b`, "name the thing"},
		{`\bis left as it is\b|\bare left as they are\b`, "chibi does not change it"},
		{`\bis made anew\b|\bis written anew\b`, "chibi writes it again"},
		{`\bto the letter\b`, "exactly"},
		{`\bis none\b|\bare none\b`, "is not one; there is no"},
	}
}

// accepted are words that say what they mean although a pattern finds them.
var accepted = regexp.MustCompile(`\b[Tt]here (is|are) no(ne)?\b|\b(is|are) no longer\b`)

// reader finds phrases. any is all of them at once, as most lines have none.
type reader struct {
	any  *regexp.Regexp
	each []*regexp.Regexp
}

func newReader() (r reader) {
	var all []string
	for _, p := range phrases() {
		all = append(all, p.pattern)
		r.each = append(r.each, regexp.MustCompile(p.pattern))
	}
	r.any = regexp.MustCompile(strings.Join(all, "|"))
	return r
}

// check reports the phrases in a text without code.
func (r reader) check(t *testing.T, place, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		plain := accepted.ReplaceAllString(line, "")
		if !r.any.MatchString(plain) {
			continue
		}
		for i, p := range phrases() {
			if found := r.each[i].FindString(plain); found != "" {
				t.Errorf("%s: %s | %s: write %s", place, strings.TrimSpace(found), strings.TrimSpace(line), p.instead)
			}
		}
	}
}

// TestThePagesArePlainEnglish reads every page for the phrases.
func TestThePagesArePlainEnglish(t *testing.T) {
	r := newReader()
	root := os.DirFS("../..")
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<!--.*?-->")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		isPage := filepath.Ext(path) == ".md" && (filepath.Dir(path) == "." || strings.HasPrefix(path, "docs/") ||
			strings.HasPrefix(path, "examples/"))
		if err != nil || d.IsDir() || !isPage {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		r.check(t, path, code.ReplaceAllString(string(text), "CODE"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMessagesArePlainEnglish reads the comments and the texts of the program for the phrases.
func TestMessagesArePlainEnglish(t *testing.T) {
	r := newReader()
	for _, s := range sources(t) {
		for _, group := range s.syntax.Comments {
			r.check(t, s.line(group), group.Text())
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Count(lit.Value, " ") > 2 {
				r.check(t, s.line(lit), lit.Value)
			}
			return true
		})
	}
}
