package strictjson

import (
	"bytes"
	"fmt"
)

// countDepth returns an error if objects and arrays nest more than limit deep. It counts
// brackets outside of strings in one pass.
func countDepth(data []byte, limit int) error {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringEnd(data[i+1:]) + 1
		case '{', '[':
			if depth++; depth > limit {
				return fmt.Errorf("it nests %w: more than %d objects and arrays in each other", ErrDepth, limit)
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// stringEnd returns the index of the closing quotation mark in the text after the opening
// one; the length of the text if there is none.
func stringEnd(text []byte) int {
	for from := 0; ; {
		next := bytes.IndexByte(text[from:], '"')
		if next < 0 {
			return len(text)
		}
		escapes := 0
		for i := from + next - 1; i >= from && text[i] == '\\'; i-- {
			escapes++
		}
		from += next + 1
		if escapes%2 == 0 {
			return from - 1
		}
	}
}
