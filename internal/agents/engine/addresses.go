package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// maxAddresses bounds the addresses of a call. The rest of the text becomes one last address, which nobody can
// read.
const maxAddresses = 50

// addressesIn returns the addresses that a call fetches, if the agent has some among other words (see
// [Dialect.AddressesIn]).
func addressesIn(name string, m Moment) (list []string) {
	all := gjson.ParseBytes(m.There.Input)
	if name == "" || m.Text(ToolCategory) != string(tools.CategoryFetch) || !all.Get(name).Exists() {
		return nil
	}
	if url := all.Get("url").Str; url != "" {
		list = append(list, url)
	}
	words := strings.FieldsFunc(all.Get(name).Str, isSpace)
	for i, word := range words {
		if len(list) == maxAddresses {
			return append(list, strings.Join(words[i:], " "))
		}
		if strings.Contains(word, "://") && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// isSpace reports whether a character is white space in JavaScript.
func isSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

// takeAddresses notes a call that fetches several addresses as a call for each. The first has the other arguments.
func takeAddresses(name string, m *Moment) {
	for i, address := range addressesIn(name, *m) {
		input := json.RawMessage("{}")
		if i == 0 {
			input = m.There.Input
		}
		if i == 0 && gjson.GetBytes(m.Values[ToolInput], "url").Str == address {
			continue // the url is already there
		}
		m.part(i).Values[ToolInput], _ = sjson.SetRawBytes(input, "url", strictjson.Quote(address))
	}
}

// changedAddress returns the agent's arguments after a plugin changed the arguments of the call for one address. It
// returns nil if the agent would then fetch something different.
func changedAddress(name string, m Moment, changed json.RawMessage) json.RawMessage {
	was, now := gjson.GetBytes(m.Values[ToolInput], "url").Str, gjson.GetBytes(changed, "url").Str
	want := addressesIn(name, m)
	if len(want) == 1 {
		want[0] = now
	}
	theirs, _ := sjson.DeleteBytes(slices.Clone(changed), "url")
	for _, member := range []string{"url", name} {
		own, isShown := gjson.GetBytes(m.There.Input, member), gjson.GetBytes(m.Values[ToolInput], member).Exists()
		if own.Exists() && (member == "url" || !isShown) {
			theirs, _ = sjson.SetRawBytes(theirs, member, []byte(own.Raw))
		}
		if text := gjson.GetBytes(theirs, member).Str; strings.Contains(text, was) {
			theirs, _ = sjson.SetRawBytes(theirs, member, strictjson.Quote(strings.ReplaceAll(text, was, now)))
		}
	}
	m.There.Input = theirs
	if !slices.Equal(addressesIn(name, m), want) {
		return nil
	}
	return theirs
}
