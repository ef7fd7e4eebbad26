package urls

import (
	"fmt"
	"strconv"
	"strings"
)

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

// escape writes a path or a query in one way: it escapes only characters that must be, and the
// digits behind percent signs are capitals. A percent sign that escapes nothing becomes %25.
func escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c, escaped := text[i], false
		if c == '%' && i+2 < len(text) {
			if value, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c, escaped = byte(value), true
				i += 2
			}
		}
		if isUnreserved(c) || !escaped && strings.IndexByte("/?:@!$&'()*+,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// isUnreserved reports characters that mean the same whether they are escaped or not.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
