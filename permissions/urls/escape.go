package urls

import "strings"

// canonicalPath is a path without dot segments, escaped in one way.
func canonicalPath(path string) string {
	var kept []string
	parts := strings.Split(strings.TrimPrefix(escape(path), "/"), "/")
	for i, part := range parts {
		switch part {
		case ".", "..":
			if part == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if i == len(parts)-1 {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, part)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// escape writes a path or a query in one way: what need not be escaped is not, what must
// be is, and the digits behind percent signs are capitals. A percent sign that escapes
// nothing becomes %25.
func escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c, escaped := text[i], false
		if c == '%' {
			if value, ok := hexByte(text[i+1:]); ok {
				c, escaped = value, true
				i += 2
			}
		}
		if isUnreserved(c) || !escaped && strings.IndexByte("/?:@!$&'()*+,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

const hexDigits = "0123456789ABCDEF"

// isUnreserved reports characters that mean the same whether they are escaped or not.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// hexByte reads the two digits behind a percent sign.
func hexByte(text string) (byte, bool) {
	if len(text) < 2 {
		return 0, false
	}
	high := strings.IndexByte(hexDigits, upper(text[0]))
	low := strings.IndexByte(hexDigits, upper(text[1]))
	return byte(high<<4 | low), high >= 0 && low >= 0
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
