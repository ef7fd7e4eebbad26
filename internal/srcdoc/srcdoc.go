// Package srcdoc has the code that generators of documentation share: it reads what comments in Go
// sources say about the fields of structs, and replaces the generated blocks of a page. It
// promises nothing about sources that do not compile.
package srcdoc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"strconv"
	"strings"
)

// Field is a named field of a struct.
type Field struct {
	// Type is the struct's name, Name the field's.
	Type, Name string
	// Tag is its tag.
	Tag reflect.StructTag
	// Comment is the comment above it, in one line.
	Comment string
}

// Fields lists the fields of all structs in the files that match a pattern.
func Fields(root fs.FS, pattern string) (list []Field, err error) {
	sources, err := fs.Glob(root, pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range sources {
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if ok {
				list = append(list, fieldsOf(spec)...)
			}
			return !ok
		})
	}
	return list, nil
}

func fieldsOf(spec *ast.TypeSpec) (list []Field) {
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range structure.Fields.List {
		field := Field{Type: spec.Name.Name, Comment: strings.Join(strings.Fields(f.Doc.Text()), " ")}
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value) // it was parsed
			field.Tag = reflect.StructTag(tag)
		}
		for _, name := range f.Names {
			field.Name = name.Name
			list = append(list, field)
		}
	}
	return list
}

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
