package srcdoc

import "strings"

// BlockEnd is the marker with which a generated block ends.
const BlockEnd = "<!-- /generated -->"

// The marker with which a block begins has its name between these two.
const (
	blockBegin = "<!-- generated: "
	blockNamed = " -->\n"
)

// Block returns the marker with which the block of a name begins, a whole line.
func Block(name string) string { return blockBegin + name + blockNamed }

// Fill replaces the text of the block of a name. ok is false if the page has no such block,
// or it does not end.
func Fill(page, name, text string) (filled string, ok bool) {
	before, rest, begins := strings.Cut(page, Block(name))
	_, after, ends := strings.Cut(rest, BlockEnd)
	if !begins || !ends {
		return page, false
	}
	return before + Block(name) + text + BlockEnd + after, true
}

// Blocks lists the names of the blocks of a page.
func Blocks(page string) (names []string) {
	for line := range strings.Lines(page) {
		name, begins := strings.CutPrefix(line, blockBegin)
		if name, isBlock := strings.CutSuffix(name, blockNamed); begins && isBlock {
			names = append(names, name)
		}
	}
	return names
}
