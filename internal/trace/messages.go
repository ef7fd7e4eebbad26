package trace

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// maxMessages bounds how many changed messages are named, maxAligned how many are
// compared with as many others.
const maxMessages, maxAligned = 100, 500

func messagesChanged(r *plugin.Record) []MessageChange {
	const messages = "/request_body/messages"
	if r.Point != hookpoints.PreAPIRequest.Name || !slices.Contains(r.Changed, messages) {
		return nil
	}
	before := gjson.ParseBytes(merge.At(r.Payload, messages)).Array()
	after := gjson.ParseBytes(merge.At(r.Answer, messages)).Array()
	latest := -1
	for i, m := range before {
		if m.Get("role").Str == "user" {
			latest = i
		}
	}
	list := differing(before, after)
	for i, c := range list {
		list[i].Latest = c.How != howAdded && c.Index == latest
	}
	return list[:min(len(list), maxMessages)]
}

const howChanged, howAdded, howRemoved = "changed", "added", "removed"

func differing(before, after []gjson.Result) (list []MessageChange) {
	was, is := textsOf(before), textsOf(after)
	same := func(i, j int) bool {
		return was[i] == is[j] && merge.Equal([]byte(before[i].Raw), []byte(after[j].Raw))
	}
	i, j := 0, 0
	for _, pair := range append(aligned(len(before), len(after), same), [2]int{len(before), len(after)}) {
		for ; i < pair[0] && j < pair[1] && role(before[i]) == role(after[j]); i, j = i+1, j+1 {
			list = append(list, MessageChange{Role: role(before[i]), Index: i, How: howChanged})
		}
		for ; i < pair[0]; i++ {
			list = append(list, MessageChange{Role: role(before[i]), Index: i, How: howRemoved})
		}
		for ; j < pair[1]; j++ {
			list = append(list, MessageChange{Role: role(after[j]), Index: j, How: howAdded})
		}
		i, j = pair[0]+1, pair[1]+1
	}
	return list
}

// textsOf returns the texts of messages, for a quick comparison.
func textsOf(messages []gjson.Result) []string {
	texts := make([]string, len(messages))
	for i, m := range messages {
		if texts[i] = role(m); m.Get("content").Type == gjson.String {
			texts[i] += " " + m.Get("content").Str
		}
	}
	return texts
}

func role(message gjson.Result) string { return message.Get("role").String() }

// aligned pairs the elements that two lists have in common, in order, as many as
// possible. Of very long lists only beginnings and ends are paired.
func aligned(n, m int, same func(i, j int) bool) (pairs [][2]int) {
	begin := 0
	for begin < n && begin < m && same(begin, begin) {
		pairs = append(pairs, [2]int{begin, begin})
		begin++
	}
	end := 0
	for end < n-begin && end < m-begin && same(n-1-end, m-1-end) {
		end++
	}
	if rows, columns := n-begin-end, m-begin-end; rows <= maxAligned && columns <= maxAligned {
		pairs = append(pairs, longest(begin, rows, columns, same)...)
	}
	for ; end > 0; end-- {
		pairs = append(pairs, [2]int{n - end, m - end})
	}
	return pairs
}

func longest(begin, rows, columns int, same func(i, j int) bool) (pairs [][2]int) {
	length := make([][]int, rows+1)
	for i := range length {
		length[i] = make([]int, columns+1)
	}
	equal := make([][]bool, rows)
	for i := rows - 1; i >= 0; i-- {
		equal[i] = make([]bool, columns)
		for j := columns - 1; j >= 0; j-- {
			equal[i][j] = same(begin+i, begin+j)
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if equal[i][j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < rows && j < columns; {
		switch {
		case equal[i][j]:
			pairs = append(pairs, [2]int{begin + i, begin + j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

const (
	// maxOption bounds the value of one option, in bytes, and maxOptions how many are
	// kept of a patch that is too large to be kept as a whole.
	maxOption, maxOptions = 4 << 10, 200
	// leftOutMark replaces the value of a larger one.
	leftOutMark = "[left out]"
)

func optionsOf(r *plugin.Record) json.RawMessage {
	if r.Point != hookpoints.PreAPIRequest.Name || len(r.Answer) <= maxPayload {
		return nil
	}
	options := map[string]json.RawMessage{}
	gjson.GetBytes(r.Answer, "request_body").ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "messages" || name == "tools":
		case len(value.Raw) > maxOption:
			options[name] = json.RawMessage(`"` + leftOutMark + `"`)
		default:
			options[name] = json.RawMessage(value.Raw)
		}
		return len(options) < maxOptions
	})
	raw, err := plugin.JSON(options)
	if err != nil || len(raw) > maxPayload {
		return nil
	}
	return raw
}

// maxPayload bounds the payload and the answer in one line, in bytes; of larger
// ones only the sizes are kept.
const maxPayload = 64 << 10
