// Package jsonedit changes a JSON text of somebody else at single places. Everything else stays
// as it is, byte for byte: comments, order, blank lines, line ends, duplicate members.
//
// What it promises: [Doc.Append] and [Doc.Set] only insert text, so that [Undo] gives back the
// text from before; their text looks like the text around it. Texts may have comments and
// commas before closing brackets. It is not a library such as tailscale/hujson, which writes members in a
// layout of its own or of a formatter, and does not tell which bytes it inserted.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// MaxBytes bounds a text.
const MaxBytes = 4 << 20

// Doc is a JSON text whose value is an object.
type Doc struct {
	text    []byte // as it is written
	plain   []byte // with spaces in place of comments and of commas before closing brackets
	format  Format
	inserts []Insert
	newLine string
	unit    string // one level of indentation
}

// Insert is a text that was inserted.
type Insert struct {
	// At is its offset in the text as it was after the insertion, Length its size in bytes.
	At     int `json:"at"`
	Length int `json:"length"`
}

// Format says what a text may have.
type Format string

// The formats.
const (
	Plain    Format = "json"
	Comments Format = "jsonc" // comments, and commas before closing brackets
)

// Open reads a text; an empty one is an empty object. Errors name the line.
func Open(text []byte, format Format) (*Doc, error) {
	d := &Doc{text: bytes.Clone(text), format: format, newLine: "\n", unit: "  "}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	if bytes.Contains(text, []byte("\r\n")) {
		d.newLine = "\r\n"
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	if first := firstChild(objectIn(d.plain)); first >= 0 {
		if unit := indentOf(d.text, first); unit != "" {
			d.unit = unit
		}
	}
	return d, nil
}

// space is what JSON takes for white space.
const space = " \t\r\n"

// mark is the byte order mark, which some editors write.
const mark = "\ufeff"

func (d *Doc) read() error {
	d.makePlain()
	if isBlank(d.plain) {
		return nil
	}
	if err := strictjson.Check(d.plain); err != nil {
		return inLine(d.plain, err)
	}
	if root := objectIn(d.plain); !root.IsObject() {
		return fmt.Errorf("it is %s; want an object", strictjson.TypeOf(bytes.Trim(d.plain, space)))
	}
	return nil
}

// inLine says in which line a text is not JSON.
func inLine(text []byte, err error) error {
	var wrong *strictjson.SyntaxError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("line %d: not JSON: %w", lineAt(text, min(int(wrong.Offset), len(text))), wrong.Err)
}

// objectIn is the object that a text is; of an empty text it does not exist.
func objectIn(plain []byte) gjson.Result { return gjson.ParseBytes(bytes.TrimRight(plain, space)) }

// Text returns the text as it is now.
func (d *Doc) Text() []byte { return d.text }

// Inserts returns what was inserted, in order.
func (d *Doc) Inserts() []Insert { return d.inserts }

// Undo returns the text from before insertions; false: they do not fit the text.
func Undo(text []byte, inserts []Insert) ([]byte, bool) {
	text = bytes.Clone(text)
	for i := len(inserts) - 1; i >= 0; i-- {
		one := inserts[i]
		if one.At < 0 || one.Length < 0 || one.At+one.Length > len(text) {
			return nil, false
		}
		text = append(text[:one.At], text[one.At+one.Length:]...)
	}
	return text, true
}

// Get returns the value at a path of names, and of numbers of elements; it need not exist.
func (d *Doc) Get(path ...string) gjson.Result {
	value := objectIn(d.plain)
	for _, name := range path {
		i, err := strconv.Atoi(name)
		if !value.IsArray() || err != nil {
			value = strictjson.Member(value, name)
			continue
		}
		list := value.Array()
		if i < 0 || i >= len(list) {
			return gjson.Result{}
		}
		value = list[i]
	}
	return value
}

// Names lists the names of an object's members, each once.
func (d *Doc) Names(path ...string) (names []string) {
	object := d.Get(path...)
	if !object.IsObject() {
		return nil
	}
	object.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains(names, key.Str) {
			names = append(names, key.Str)
		}
		return true
	})
	return names
}

// Append adds a value at the end of the list at a path. Objects on the way and the list are made
// where they are missing.
func (d *Doc) Append(value json.RawMessage, path ...string) error {
	return d.add(value, true, path)
}

// Set adds a member that is not there yet. Objects on the way are made where they are missing.
func (d *Doc) Set(value json.RawMessage, path ...string) error {
	return d.add(value, false, path)
}

func (d *Doc) add(value json.RawMessage, toList bool, path []string) error {
	if !strictjson.Valid(value) || len(path) == 0 {
		return errors.New("the value is not JSON")
	}
	if isBlank(d.plain) {
		d.insert(len(d.text), "{}"+d.newLine)
	}
	at := objectIn(d.plain)
	for i, name := range path {
		if !at.IsObject() {
			return wrongType(d.text, at, path[:i], "an object")
		}
		next := strictjson.Member(at, name)
		if !next.Exists() {
			return d.addInto(at, name, nested(value, toList, path[i+1:]))
		}
		at = next
	}
	switch {
	case !toList:
		return fmt.Errorf("line %d: there is a member %q already", lineAt(d.text, at.Index), strings.Join(path, "."))
	case !at.IsArray():
		return wrongType(d.text, at, path, "a list")
	}
	return d.addInto(at, "", value)
}

func wrongType(text []byte, at gjson.Result, path []string, want string) error {
	return fmt.Errorf("line %d: %s is %s; want %s", lineAt(text, at.Index), strings.Join(path, "."),
		strictjson.TypeOf([]byte(at.Raw)), want)
}

func lineAt(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

// nested puts a value into a list, if it is for one, and into the objects of a path.
func nested(value json.RawMessage, toList bool, path []string) json.RawMessage {
	if toList {
		value = json.RawMessage("[" + string(value) + "]")
	}
	for i := len(path) - 1; i >= 0; i-- {
		value = json.RawMessage("{" + string(strictjson.Quote(path[i])) + ":" + string(value) + "}")
	}
	return value
}

func (d *Doc) insert(at int, text string) {
	d.text = append(d.text[:at:at], append([]byte(text), d.text[at:]...)...)
	d.inserts = append(d.inserts, Insert{at, len(text)})
	d.makePlain()
}

func (d *Doc) makePlain() {
	d.plain = bytes.Clone(d.text)
	if bytes.HasPrefix(d.plain, []byte(mark)) {
		copy(d.plain, "   ")
	}
	if d.format == Comments {
		d.plain = strictjson.WithoutComments(d.plain)
	}
}
