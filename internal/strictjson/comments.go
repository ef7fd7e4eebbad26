package strictjson

import "bytes"

// WithoutComments returns JSON in the place of JSON with comments and commas before closing
// brackets, as settings files of other programs have them: they become spaces, so that
// everything else stays where it is. It does not require a valid text.
func WithoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1 // the last one, if nothing followed it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i, comma = i+1+stringEnd(out[i+1:]), -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := EndOfComment(out, i)
			blank(out[i:end])
			i = end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c > ' ':
			comma = -1
		}
	}
	return out
}

// EndOfComment returns the index behind the comment that begins at an index, with // or /*.
func EndOfComment(text []byte, begin int) int {
	mark, extra := "\n", 0
	if text[begin+1] == '*' {
		mark, extra = "*/", 2
	}
	length := bytes.Index(text[begin+2:], []byte(mark))
	if length < 0 {
		return len(text)
	}
	return begin + 2 + length + extra
}

// blank replaces a text by spaces, except for line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
