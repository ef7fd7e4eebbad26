package merge

import "github.com/tidwall/gjson"

// maxNesting bounds how deep a value may nest, as in encoding/json: deeper ones
// would exhaust the stack of whoever reads them.
const maxNesting = 10000

// valid says whether text is JSON of a reasonable depth.
func valid(text []byte) bool { return shallow(text) && gjson.ValidBytes(text) }

// shallow says whether brackets outside of strings nest within the bound.
func shallow(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}
