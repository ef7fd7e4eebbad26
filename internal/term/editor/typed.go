package editor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/term"
)

// typed parses the input of a terminal: keys and pasted texts. The input may be split
// anywhere.
type typed struct {
	pending []byte // keys that are not read yet
	held    []byte // the possible beginning of a mark
	escape  []byte // the incomplete sequence of a key
	char    []byte // the incomplete character of a key
	paste   []byte
	pasting bool
	lost    int // bytes of the paste beyond the bound
	pastes  []string
}

// The marks of a terminal around a pasted text.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// clears is what the terminal's line editor gets for Ctrl-C: a key that it passes on.
const clears = '\x00'

// The keys that move by words.
const (
	previousWord = "\x1b[1;3D"
	nextWord     = "\x1b[1;3C"
)

const maxPaste = 4 << 20

const (
	esc   = 0x1b
	ctrlC = 0x03
	ctrlW = 0x17
	del   = 0x7f
)

func (k *typed) feed(data []byte) {
	if k.pasting && len(data) == 1 && data[0] == ctrlC {
		// It was typed, not pasted: the end mark of the paste is missing.
		k.pasting, k.paste, k.held, k.lost = false, nil, nil, 0
	}
	data = slices.Concat(k.held, data)
	k.held = nil
	for len(data) > 0 {
		mark := pasteBegins
		if k.pasting {
			mark = pasteEnds
		}
		at := bytes.Index(data, []byte(mark))
		if at < 0 {
			keep := len(data) - partial(data, mark)
			k.take(data[:keep])
			k.held = bytes.Clone(data[keep:])
			return
		}
		k.take(data[:at])
		data = data[at+len(mark):]
		if k.pasting = !k.pasting; !k.pasting {
			k.endPaste()
		}
	}
}

// partial returns how many bytes at the end of data may be the beginning of a mark. A lone
// escape may be: as a key it has no effect before the next one.
func partial(data []byte, mark string) int {
	for n := min(len(data), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(data, []byte(mark[:n])) {
			return n
		}
	}
	return 0
}

func (k *typed) take(data []byte) {
	if k.pasting {
		k.lost += max(0, len(k.paste)+len(data)-maxPaste)
		k.paste = append(k.paste, data[:min(len(data), maxPaste-len(k.paste))]...)
		return
	}
	for _, b := range data {
		k.key(b)
	}
}

const maxKey = 32

// key processes one byte of keys. The terminal's line editor gets only sequences that it
// knows, because after an unknown sequence it treats the next keys as a part of it.
func (k *typed) key(b byte) {
	switch {
	case len(k.escape) == 0 && b == esc:
		k.escape = []byte{b}
	case len(k.escape) == 0:
		k.plain(b)
	case b < ' ' && len(k.escape) > 1: // not a part of a sequence
		k.escape = nil
		k.key(b)
	case len(k.escape) == 1:
		k.alt(b)
	default:
		k.escape = append(k.escape, b)
		if b >= '@' && b <= '~' || len(k.escape) > maxKey {
			k.endEscape()
		}
	}
}

// plain processes a key of one byte, or a byte of a character. A byte that is no UTF-8 is a
// question mark: the terminal's line editor would wait for the rest of the character.
func (k *typed) plain(b byte) {
	if b == ctrlC {
		k.char = nil
		k.pending = append(k.pending, clears)
		return
	}
	k.char = append(k.char, b)
	for len(k.char) > 0 && utf8.FullRune(k.char) {
		c, size := utf8.DecodeRune(k.char)
		switch c {
		case clears:
		case utf8.RuneError:
			k.pending = append(k.pending, '?')
		default:
			k.pending = append(k.pending, k.char[:size]...)
		}
		k.char = k.char[size:]
	}
}

// isEscape reports whether the last key may be Escape, or the first byte of another key.
func (k *typed) isEscape() bool {
	return string(k.held) == string(rune(esc)) || string(k.escape) == string(rune(esc))
}

// endKey says that the next key is not a part of the last one.
func (k *typed) endKey() { k.held, k.escape = nil, nil }

// alt processes a key that was pressed with Alt, or the second byte of a sequence.
func (k *typed) alt(b byte) {
	k.escape = nil
	switch {
	case b == '[' || b == 'O':
		k.escape = []byte{esc, '['}
	case b == '\r' || b == '\n':
		k.pending = append(k.pending, lineBreak...)
	case b == del || b == '\b':
		k.pending = append(k.pending, ctrlW)
	case b == 'b':
		k.pending = append(k.pending, previousWord...)
	case b == 'f':
		k.pending = append(k.pending, nextWord...)
	default: // Escape, and then a key
		k.key(b)
	}
}

// isEnter reports whether a sequence is Enter with a modifier key, as some terminals send
// it: CSI 13;N u or CSI 27;N;13 ~.
func isEnter(escape string) bool {
	keys, one := strings.CutPrefix(escape, "\x1b[13;")
	if !one {
		keys, one = strings.CutPrefix(escape, "\x1b[27;")
		return one && len(keys) == 5 && keys[1:] == ";13~"
	}
	return len(keys) == 2 && keys[1] == 'u'
}

func (k *typed) endEscape() {
	last := k.escape[len(k.escape)-1]
	switch {
	case isEnter(string(k.escape)):
		k.pending = append(k.pending, lineBreak...)
	case sameKey(k.escape) != "":
		k.pending = append(k.pending, sameKey(k.escape)...)
	case last >= 'A' && last <= 'Z' || last >= 'a' && last <= 'z' || last == '~':
		k.pending = append(k.pending, k.escape...)
	}
	k.escape = nil
}

// sameKey returns what the terminal's line editor knows a key by; "": it knows it already,
// or not at all. tmux, PuTTY and rxvt have other sequences for Home and End than xterm.
func sameKey(escape []byte) string {
	switch string(escape[2:]) {
	case "1~", "7~":
		return "\x1b[H"
	case "4~", "8~":
		return "\x1b[F"
	case "1;5C":
		return nextWord
	case "1;5D":
		return previousWord
	}
	return ""
}

// maxInline is the length in bytes up to which a pasted text is inserted into the line;
// longer texts and texts of several lines are shown as a note.
const maxInline = 200

func (k *typed) endPaste() {
	ends := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "")
	text := strings.Trim(ends.Replace(strings.ToValidUTF8(string(k.paste), "\uFFFD")), "\n")
	k.paste = nil
	if k.lost > 0 {
		k.lost = 0
		k.pending = append(k.pending, "[a pasted text of more than 4 MiB was discarded]"...)
		return
	}
	if len(text) <= maxInline && !strings.ContainsAny(text, "\n\t\uFFFD") && term.Plain(text) == text {
		k.pending = append(k.pending, text...)
		return
	}
	k.pastes = append(k.pastes, text)
	k.pending = append(k.pending, note(len(k.pastes), text)...)
}

func note(number int, text string) string {
	return fmt.Sprintf("[pasted text %d: %d lines]", number, strings.Count(text, "\n")+1)
}

func (k *typed) expand(line string) string {
	for i, text := range k.pastes {
		line = strings.ReplaceAll(line, note(i+1, text), text)
	}
	return line
}

func (k *typed) used() {
	if len(k.pending) == 0 {
		k.pastes = nil
	}
}
