// Package clip cuts texts between characters, never within one.
package clip

import "unicode/utf8"

// Text is a text of at most so many characters; of a longer one the beginning, and
// "..." behind it.
func Text(text string, most int) string {
	count := 0
	for i := range text {
		if count == most {
			return text[:i] + "..."
		}
		count++
	}
	return text
}

// Bytes is the beginning of a text: at most so many bytes, in whole characters.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:Whole(text[:most])]
}

// Whole is how many bytes of a piece of UTF-8 end with a whole character: all, or
// all but the beginning of a last one whose end is not there.
func Whole[T string | []byte](data T) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := []byte(data[len(data)-n:]); utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(data) - n
			}
			break
		}
	}
	return len(data)
}
