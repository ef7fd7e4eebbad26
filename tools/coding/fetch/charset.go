package fetch

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/clip"
)

// decoded is a text, and how it was found in bytes.
type decoded struct {
	text    string
	from    string // the charset that it was converted from; "" for UTF-8
	invalid int    // how many bytes are not characters; they became U+FFFD
}

// decode reads bytes as text in a charset, "" for an unknown one. A mark at the
// beginning beats it. Charsets that are not known are read as UTF-8.
func decode(data []byte, charset string) decoded {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		data, charset = data[3:], "utf-8"
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decoded{text: decodeUTF16(data[2:], binary.LittleEndian), from: "utf-16le"}
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decoded{text: decodeUTF16(data[2:], binary.BigEndian), from: "utf-16be"}
	}
	switch charset {
	case "utf-16le", "utf-16":
		return decoded{text: decodeUTF16(data, binary.LittleEndian), from: charset}
	case "utf-16be":
		return decoded{text: decodeUTF16(data, binary.BigEndian), from: charset}
	case "iso-8859-1", "latin1", "windows-1252":
		if !utf8.Valid(data[:clip.Whole(data)]) { // servers that say so are often wrong
			return decoded{text: decodeLatin(data), from: charset}
		}
	}
	return decodeUTF8(data)
}

// decodeUTF8 replaces what is no UTF-8. A last character whose end was cut off is left out.
func decodeUTF8(data []byte) decoded {
	data = data[:clip.Whole(data)]
	if utf8.Valid(data) {
		return decoded{text: string(data)}
	}
	d := decoded{text: strings.ToValidUTF8(string(data), "\uFFFD")}
	for rest := data; len(rest) > 0; {
		r, width := utf8.DecodeRune(rest)
		if r == utf8.RuneError && width == 1 {
			d.invalid++
		}
		rest = rest[width:]
	}
	return d
}

func decodeUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// windows1252 are the characters 0x80 to 0x9f, as browsers read them in Latin 1 too.
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

// decodeLatin reads one byte as one character.
func decodeLatin(data []byte) string {
	special := []rune(windows1252)
	var b strings.Builder
	for _, c := range data {
		if c >= 0x80 && c <= 0x9f {
			b.WriteRune(special[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// htmlCharset returns the charset that the beginning of a page names, "" if none.
func htmlCharset(data []byte) string {
	head := bytes.ToLower(data[:min(len(data), 1024)])
	_, after, found := bytes.Cut(head, []byte("charset="))
	if !found {
		return ""
	}
	after = bytes.TrimLeft(after, `"' `)
	end := bytes.IndexFunc(after, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
	if end < 0 {
		return ""
	}
	return string(after[:end])
}

// looksLikeText reports whether bytes of a type are text: by their type if that is clear, else
// by what they are.
func looksLikeText(kind string, data []byte) bool {
	family, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "image/svg+xml", strings.HasSuffix(kind, "+json"):
		return true
	case family == "image", family == "audio", family == "video", family == "font":
		return false
	case family == "text":
		return !isZeroed(data)
	}
	return !isZeroed(data) && utf8.Valid(data[:clip.Whole(data)])
}

// isZeroed reports bytes that no text has, unless it is UTF-16.
func isZeroed(data []byte) bool {
	isUTF16 := bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
	return !isUTF16 && bytes.IndexByte(data, 0) >= 0
}
