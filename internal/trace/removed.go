package trace

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// removedMark replaces a word that a plugin has removed.
	removedMark = "[removed]"
	// shortestWord is the length of the shortest word that is searched for: shorter
	// ones are too common.
	shortestWord = 2
	// maxRemoved bounds the words that are searched for; if more were removed in a
	// turn, none of its texts are kept.
	maxRemoved = 50_000
	// maxCompared bounds the texts before and after that are compared, in bytes; of
	// a turn with a larger change no texts are kept.
	maxCompared = 4 << 20
	// longestPhrase and maxPhrases bound the phrases that are searched for.
	longestPhrase, maxPhrases = 256, 64
)

type removed struct {
	words   map[string]bool
	sorted  []string // the words, once they are searched; nil: not yet
	phrases []string
	kept    map[string]bool // words that stay in a final text
	// all is set if there are too many to search for.
	all bool
}

func (r *removed) isEmpty() bool { return len(r.words) == 0 && len(r.phrases) == 0 && !r.all }

// add records what is in the text before and nowhere in the one after.
func (r *removed) add(before, after string) {
	if r.all || before == after {
		return
	}
	if len(before)+len(after) > maxCompared {
		r.all = true
		return
	}
	r.sorted = nil
	stays := map[string]bool{}
	eachWord(after, func(_, _ int, word string) { stays[strings.Clone(word)] = true })
	if r.kept == nil {
		r.kept = map[string]bool{}
	}
	if len(r.kept)+len(stays) <= maxRemoved {
		maps.Copy(r.kept, stays)
	}
	if r.words == nil {
		r.words = map[string]bool{}
	}
	eachWord(before, func(_, _ int, word string) {
		if len(word) >= shortestWord && !stays[word] && !r.all {
			r.words[strings.Clone(word)] = true
			r.all = len(r.words) > maxRemoved
		}
	})
	phrase := between(before, after)
	if utf8.RuneCountInString(phrase) > shortestWord && len(phrase) <= longestPhrase && len(r.phrases) < maxPhrases &&
		!strings.Contains(after, phrase) {
		r.phrases = append(r.phrases, strings.Clone(phrase))
	}
}

// ran are the arguments that calls of a turn ran with after plugins changed them.
type ran struct {
	words map[string]bool
	text  strings.Builder
}

func (r *ran) add(after string) {
	if r.words == nil {
		r.words = map[string]bool{}
	}
	if r.text.Len()+len(after) > maxCompared {
		return
	}
	r.text.WriteString(after + "\n")
	eachWord(after, func(_, _ int, word string) { r.words[word] = true })
}

// and returns this and what was taken out in earlier turns, except words that calls of this turn
// ran with: a plugin decided about those anew.
func (r *removed) and(earlier *removed, now *ran) removed {
	both := removed{words: maps.Clone(r.words), phrases: slices.Clone(r.phrases), kept: r.kept, all: r.all || earlier.all}
	if both.words == nil {
		both.words = map[string]bool{}
	}
	for word := range earlier.words {
		if !now.words[word] {
			both.words[word] = true
		}
	}
	text := now.text.String()
	for _, phrase := range earlier.phrases {
		if !strings.Contains(text, phrase) {
			both.phrases = append(both.phrases, phrase)
		}
	}
	return both
}

func between(before, after string) string {
	begin := 0
	for begin < len(before) && begin < len(after) && before[begin] == after[begin] {
		begin++
	}
	for begin > 0 && begin < len(before) && !utf8.RuneStart(before[begin]) {
		begin--
	}
	before, after = before[begin:], after[begin:]
	end := 0
	for end < len(before) && end < len(after) && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(before[len(before)-end]) {
		end--
	}
	return strings.TrimSpace(before[:len(before)-end])
}

func (r *removed) text(text string) string {
	if r.all {
		return removedMark
	}
	for _, phrase := range r.phrases {
		text = strings.ReplaceAll(text, phrase, removedMark)
	}
	var b strings.Builder
	done := 0
	eachWord(text, func(begin, end int, word string) {
		n := r.known(text, begin, word)
		if n < 0 && r.isBegin(word, text[end:]) {
			n = 0
		}
		if n >= 0 {
			b.WriteString(text[done : begin+n])
			b.WriteString(removedMark)
			done = end
		}
	})
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// known returns where a removed word begins in a word of a text, -1 if there is none.
// The n of "\nword" is a part of an escape.
func (r *removed) known(text string, begin int, word string) int {
	if r.words[word] {
		return 0
	}
	if begin == 0 || text[begin-1] != '\\' {
		return -1
	}
	escape := 1
	if word[0] == 'u' {
		escape = 5
	}
	if len(word) > escape && r.words[word[escape:]] {
		return escape
	}
	return -1
}

// isBegin reports whether a word is the beginning of a removed one, as where a text
// was cut off for a message. A word of a final text is not.
func (r *removed) isBegin(word, rest string) bool {
	if r.kept[word] || len(word) <= shortestWord || !strings.HasPrefix(rest, "...") && !strings.HasPrefix(rest, `"`) {
		return false
	}
	if r.sorted == nil {
		r.sorted = slices.Sorted(maps.Keys(r.words))
	}
	i, _ := slices.BinarySearch(r.sorted, word)
	return i < len(r.sorted) && strings.HasPrefix(r.sorted[i], word)
}

// json returns a payload or an answer without what was removed. It keeps names: the names of
// fields, and the values that identify a call, a context or a role.
func (r *removed) json(raw []byte) []byte {
	if r.all {
		return nil
	}
	return walk(raw, func(name, text string) string {
		if name == isKey || isLabel(name, text) {
			return text
		}
		return r.value(text, 0)
	})
}

// path returns the JSON Pointer to a change without what was removed: in arguments
// it has names that somebody chose.
func (r *removed) path(pointer string) string {
	if rest, ok := strings.CutPrefix(pointer, "/arguments/"); ok {
		return "/arguments/" + r.text(rest)
	}
	return pointer
}

func (r *removed) value(text string, depth int) string {
	if hasEscapedTexts(text, depth) {
		text = string(walk([]byte(text), func(_, inner string) string { return r.value(inner, depth+1) }))
	}
	return r.text(text)
}

// isLabel reports whether a member holds an identifier and not what somebody wrote.
func isLabel(name, text string) bool {
	switch name {
	case "role":
		return text == "user" || text == "assistant" || text == "system" || text == "tool"
	case "type":
		return text == "function" || text == "text" || text == "object" || text == "string"
	case "status":
		return text == "ran" || text == "failed" || text == "blocked" || text == "denied"
	case "tool_name", "tool_call_id", "context_name", "agent_id", "agent_type":
		return true
	}
	return false
}

// eachWord visits the runs of letters, digits and "_" in a text.
func eachWord(text string, visit func(begin, end int, word string)) {
	begin := -1
	for i, c := range text {
		isPart := c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c)
		switch {
		case isPart && begin < 0:
			begin = i
		case !isPart && begin >= 0:
			visit(begin, i, text[begin:i])
			begin = -1
		}
	}
	if begin >= 0 {
		visit(begin, len(text), text[begin:])
	}
}
