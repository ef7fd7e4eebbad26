package recipes

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxHead bounds a front matter in bytes.
	maxHead = 64 << 10
	// maxNesting bounds how deep its lists and maps lie in each other, and
	// maxIndent how far a line is indented.
	maxNesting = 50
	maxIndent  = 100
	// maxActions bounds how many actions a body has: they nest, too.
	maxActions = 10_000
)

// lineError says what is wrong with a line of a front matter.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// bounded looks at the words of a front matter before the YAML reader does: that
// one follows nesting without a bound, and an alias of an alias of an alias
// makes very much of very little.
func bounded(head string) error {
	if len(head) > maxHead {
		return &lineError{1, fmt.Sprintf("the front matter is larger than %d KiB", maxHead>>10)}
	}
	flow, inLine, line := 0, 0, 0
	for _, word := range lexer.Tokenize(head) {
		at := word.Position.Line
		if at != line {
			line, inLine = at, 0
			if word.Position.Column > maxIndent && flow == 0 {
				return &lineError{at, fmt.Sprintf("a line is indented by more than %d", maxIndent)}
			}
		}
		switch word.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return &lineError{at, "anchors and aliases (& and *) are not read here; put texts that begin so in quotes"}
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType, token.TagType:
			if flow == 0 {
				inLine++
			}
		}
		if flow > maxNesting || inLine > maxNesting {
			return &lineError{at, fmt.Sprintf("more than %d lists and maps lie in each other", maxNesting)}
		}
	}
	return nil
}

// boundedBody bounds how deep a body can nest.
func boundedBody(body string) error {
	if strings.Count(body, "{{") > maxActions {
		return fmt.Errorf("its body has more than %d actions ({{...}})", maxActions)
	}
	return nil
}
