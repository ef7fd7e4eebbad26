package recipes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Note is a note about a recipe.
type Note struct {
	// Line is the line of its file that it is about; 0: no single one.
	Line int
	// Key is the path of the key that it is about, such as "hooks.turn_end.params"; ""
	// for none.
	Key string
	// Text is a sentence without a full stop.
	Text string
	// Quiet is set if it is not an error, so that it is not reported in each run: a key
	// that only Kodelet uses.
	Quiet bool
}

// String returns the text, after its line.
func (n Note) String() string {
	if n.Line > 0 {
		return fmt.Sprintf("line %d: %s", n.Line, n.Text)
	}
	return n.Text
}

// level describes the keys of a map of a front matter.
type level struct {
	known []string          // keys that do something
	idle  map[string]string // keys without an effect, with the reason
	quiet map[string]string // the same for keys that Kodelet uses
}

// levelOf describes the map that a key is in; false: it may hold any key.
func levelOf(path []string) (level, bool) {
	switch {
	case len(path) == 1:
		return level{
			known: []string{"name", "description", "allowed_tools", "allowed_commands", "defaults", "arguments", "hooks"},
			quiet: map[string]string{
				"profile":  "chibi has no profiles; it uses the model of the configuration",
				"workflow": "chibi has no sub-agent that could run the recipe",
			},
		}, true
	case len(path) == 3 && path[0] == "arguments":
		return level{known: []string{"description", "default"}}, true
	case len(path) == 3 && path[0] == "hooks":
		return level{
			known: []string{"handler", "once"},
			idle:  map[string]string{"params": "handlers take no parameters"},
		}, true
	}
	return level{}, false
}

// key is a key of a front matter.
type key struct {
	path []string // of maps in maps
	line int
}

// notes returns notes about the keys of a front matter that have no effect.
func (f frontMatter) notes(head string) (notes []Note) {
	for _, k := range keysOf(head) {
		if n := f.note(k); n.Text != "" {
			notes = append(notes, n)
		}
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
	if extra := len(notes) - maxNotes; extra > 0 {
		return append(notes[:maxNotes:maxNotes], Note{Text: fmt.Sprintf("%d more keys have no effect", extra)})
	}
	return notes
}

// maxNotes bounds the notes about the keys of one recipe.
const maxNotes = 20

// note returns the note about one key; it has no text if the key has an effect.
func (f frontMatter) note(k key) Note {
	full := fmt.Sprintf("%.80s", strings.Join(k.path, "."))
	doesNothing := func(why string, quiet bool) Note {
		return Note{k.line, full, fmt.Sprintf("the key %q has no effect: %s", full, why), quiet}
	}
	if why := f.overruled(k.path); why != "" {
		return doesNothing(why, false)
	}
	in, limited := levelOf(k.path)
	last := k.path[len(k.path)-1]
	switch {
	case !limited || slices.Contains(in.known, last):
		return Note{}
	case in.idle[last] != "":
		return doesNothing(in.idle[last], false)
	case in.quiet[last] != "":
		return doesNothing(in.quiet[last], true)
	}
	text := fmt.Sprintf("unknown key %q", full)
	if near := strictjson.Nearest(last, in.known); near != "" {
		return Note{k.line, full, fmt.Sprintf("%s; did you mean %q?", text, near), false}
	}
	return Note{k.line, full, text + "; the known keys are " + strings.Join(in.known, ", "), false}
}

// overruled returns why a key has no effect beside another one, "" if it has.
func (f frontMatter) overruled(path []string) string {
	switch {
	case len(path) == 2 && path[0] == "defaults" && f.Arguments[path[1]].Default != nil:
		return "arguments has another default, which counts"
	case len(path) == 1 && path[0] == "allowed_commands" && f.AllowedTools.set && len(f.AllowedTools.values) == 0:
		return "allowed_tools allows no tool that could run one"
	}
	return ""
}

// keysOf lists the keys of a front matter that is valid.
func keysOf(head string) (keys []key) {
	defer func() {
		if recover() != nil { // the parser panics on some invalid input
			keys = nil
		}
	}()
	file, err := parser.ParseBytes([]byte(head), 0)
	if err != nil || len(file.Docs) == 0 {
		return nil
	}
	return keysBelow(file.Docs[0].Body, nil)
}

// deepest is how deep keys with a meaning are nested.
const deepest = 3

// keysBelow lists the keys of a map and of those in it.
func keysBelow(node ast.Node, path []string) (keys []key) {
	var values []*ast.MappingValueNode
	switch node := node.(type) {
	case *ast.MappingNode:
		values = node.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{node}
	}
	for _, value := range values {
		token := value.Key.GetToken()
		below := append(slices.Clone(path), token.Value)
		keys = append(keys, key{below, token.Position.Line})
		if len(below) < deepest {
			keys = append(keys, keysBelow(value.Value, below)...)
		}
	}
	return keys
}
