package markdown

import (
	"bytes"
	"strings"
)

// codeBlock is a code block, which is drawn line by line.
type codeBlock struct {
	fence string // "" outside
	lines int    // how many are drawn
	blank int    // empty lines, which are not drawn at the end of the block
}

// mayEnd reports whether an incomplete line can still become the end of the block.
func (c *codeBlock) mayEnd(line []byte) bool { return isFenceOnly(bytes.TrimSpace(line), c.fence) }

// take returns what is drawn for a whole line; "" for the end of the block, and for empty
// lines as long as none follows that is not.
func (c *codeBlock) take(line string) string {
	if isFenceEnd(bytes.TrimSpace([]byte(line)), c.fence) {
		c.fence = ""
		return ""
	}
	line = clean(strings.TrimSuffix(line, "\r"))
	if strings.TrimSpace(line) == "" {
		c.blank++
		return ""
	}
	text := strings.Repeat("\n", c.blank) + code(line)[0] + "\n"
	c.lines, c.blank = c.lines+1, 0
	return text
}
