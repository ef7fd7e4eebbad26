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

// Whole is how many bytes of a piece of UTF-8 end with a whole character: all, or
// all but the beginning of a last one whose end is not there.
func Whole(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(data) - n
			}
			break
		}
	}
	return len(data)
}
