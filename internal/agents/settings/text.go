package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tidwall/gjson"
)

// open reads the text of a file.
func (r *settingsReader) open(text []byte, format string) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if format == "toml" {
		return r.openTOML(text)
	}
	if format == "jsonc" {
		text = strictjson.WithoutComments(text)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil // as agents read an empty file
	}
	if err := strictjson.Check(text); err != nil {
		return err
	}
	r.root, r.lines = gjson.ParseBytes(text), lines{text: text}
	if !r.root.IsObject() {
		return fmt.Errorf("it is %s; want a JSON object", strictjson.TypeOf(bytes.TrimSpace(text)))
	}
	return nil
}

// openTOML reads the hooks and switches in a TOML text as JSON.
func (r *settingsReader) openTOML(text []byte) error {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := wrong.Position()
			return fmt.Errorf("not TOML: %s in line %d", strings.TrimPrefix(wrong.Error(), "toml: "), line)
		}
		return fmt.Errorf("not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	shape, some := r.dialect.Shape, map[string]any{}
	for _, path := range []string{shape.Root, shape.Disable, shape.Enable, shape.Disabled} {
		if name, _, _ := strings.Cut(path, "."); all[name] != nil {
			some[name] = all[name]
		}
	}
	body, err := strictjson.Encode(some)
	if err != nil {
		return fmt.Errorf("JSON cannot express its hooks: %w", err)
	}
	if err := strictjson.Check(body); err != nil {
		return err
	}
	r.root = gjson.ParseBytes(body)
	r.lines = lines{known: linesOfTOML(text, shape.Root, r.root)}
	return nil
}

// lines says in which line of a file a value begins. It is fast for values about in the order of the text.
type lines struct {
	text   []byte
	known  map[int]int // of TOML: the line of a value by its index in the JSON
	last   int         // an index whose line is known
	before int         // the number of lines before it
}

// of returns the line of a value, 0 if it is not known.
func (l *lines) of(value gjson.Result) int {
	if l.text == nil {
		return l.known[value.Index]
	}
	if value.Index < l.last {
		l.last, l.before = 0, 0
	}
	end := min(value.Index, len(l.text))
	l.before += bytes.Count(l.text[l.last:end], []byte("\n"))
	l.last = end
	return l.before + 1
}

// linesOfTOML returns the lines of the lists, groups and handlers of a TOML text, by their
// indexes in its JSON.
func linesOfTOML(text []byte, root string, body gjson.Result) map[int]int {
	known, of := map[int]int{}, entriesOfTOML(text, root)
	if all := member(body, root); all.IsArray() {
		for i, one := range elements(all) {
			known[one.Index] = of[""].at(i)
		}
		return known
	}
	for _, event := range membersOf(member(body, root)) {
		known[event.value.Index] = of[event.name].at(0)
		number := 0
		for i, group := range elements(event.value) {
			known[group.Index] = of[event.name].at(i)
			for _, handler := range elements(member(group, "hooks")) {
				known[handler.Index] = cmp.Or(of[event.name+".hooks"].at(number), known[group.Index])
				number++
			}
		}
	}
	return known
}

// elements returns the elements of a list with their indexes; a value that is not a list has none.
func elements(list gjson.Result) (all []gjson.Result) {
	if list.IsArray() {
		list.ForEach(func(_, one gjson.Result) bool {
			all = append(all, one)
			return true
		})
	}
	return all
}

// tomlEntries are the lines in which the elements of a list begin. A list on one line has one.
type tomlEntries []int

func (e tomlEntries) at(i int) int {
	if len(e) == 0 {
		return 0
	}
	return e[min(i, len(e)-1)]
}

// entriesOfTOML finds the lists EVENT and EVENT.hooks below a table. If root is a list, "" has its elements.
func entriesOfTOML(text []byte, root string) map[string]tomlEntries {
	found := map[string]tomlEntries{}
	var parser unstable.Parser
	parser.Reset(text)
	var table []string
	line := lines{text: text}
	for parser.NextExpression() {
		e := parser.Expression()
		var path []string
		offset := -1
		if e.Kind == unstable.KeyValue {
			path = append(path, table...)
		}
		for key := e.Key(); key.Next(); {
			if offset < 0 {
				offset = int(key.Node().Raw.Offset)
			}
			path = append(path, string(key.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = path
		}
		isList := len(path) == 1 && e.Kind == unstable.ArrayTable
		if (len(path) > 1 || isList) && path[0] == root && e.Kind != unstable.Table {
			name := strings.Join(path[1:], ".")
			found[name] = append(found[name], line.of(gjson.Result{Index: offset}))
		}
	}
	return found
}
