package trace

import (
	"bytes"
	"io"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/tidwall/gjson"
)

// maxTail bounds what is read of the end of a file to find its last lines, in bytes: at least
// one line of the largest size.
const maxTail = 256 << 10

// LastTurn returns the number of the last turn of a run in a file; 0: it has none, or the file
// cannot be read.
func LastTurn(path, run string) int {
	for _, line := range lastLines(path) {
		if gjson.GetBytes(line, "run").Str == run {
			return int(gjson.GetBytes(line, "turn").Int())
		}
	}
	return 0
}

// LastPrompt returns the last prompt of a run in a file, "" if it is not known.
func LastPrompt(path, run string) string {
	for _, line := range lastLines(path) {
		if gjson.GetBytes(line, "run").Str == run && gjson.GetBytes(line, "step.kind").Str == "prompt" {
			return gjson.GetBytes(line, "step.text").Str
		}
	}
	return ""
}

// lastLines returns the whole lines at the end of a file, the last one first.
func lastLines(path string) (lines [][]byte) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-maxTail)
	text, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if err != nil {
		return nil
	}
	for {
		end := bytes.LastIndexByte(text, '\n')
		if end < 0 {
			return lines
		}
		begin := bytes.LastIndexByte(text[:end], '\n')
		if begin < 0 && from > 0 {
			return lines // it is not whole
		}
		lines, text = append(lines, text[begin+1:end]), text[:begin+1]
	}
}
