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
	// maxNesting bounds the nesting of its lists and maps, and maxIndent the
	// indentation of a line.
	maxNesting = 50
	maxIndent  = 100
	// maxActions bounds how many actions a body has: they nest, too.
	maxActions = 10_000
)

// lineError is an error in a line of a front matter.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// bounded checks the tokens of a front matter before the YAML parser reads it, because the
// parser does not bound nesting, and nested aliases expand exponentially.
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
			return &lineError{at, "chibi reads no anchors and aliases (& and *); put texts that begin so in quotes"}
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
			return &lineError{at, fmt.Sprintf("lists and maps are nested more than %d deep", maxNesting)}
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
