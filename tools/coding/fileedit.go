package coding

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/tools"
)

// maxEdited bounds the files that file_edit changes, in bytes.
const maxEdited = 8 << 20

func fileEdit(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "file_edit", Kind: tools.Coding, Category: tools.CategoryEdit, Subject: "path",
			Description: "Change a part of a file: either replace old_string, which must occur exactly once unless " +
				"replace_all " +
				"is true, with new_string; or carry out an operation on lines. The file's line ends are kept.",
			Parameters: object([]string{"path"},
				property("path", "string", "the path of the file; a relative one starts at the project root"),
				property("old_string", "string", "the text to replace, with enough of its surroundings to be unique"),
				property("new_string", "string", "the text in its place"),
				property("replace_all", "boolean", "replace every occurrence", `"default":false`),
				property("operation", "string", "instead of old_string: what to do with lines, or replace_string with find "+
					"and replace", `"enum":["replace_lines","insert_before","insert_after","delete_lines","replace_string"]`),
				property("line_start", "integer", "the first line, or the line to insert at", `"minimum":1`),
				property("line_end", "integer", "the last line; by default line_start", `"minimum":1`),
				property("content", "string", "the new lines"),
				property("find", "string", "the text to replace, as old_string"),
				property("replace", "string", "the text in its place, as new_string")),
		},
		plan: c.planEdit,
	}
}

// planEdit reads the file and makes its new content.
func (c Config) planEdit(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args editArgs
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	p, err := c.place(args.Path)
	if err != nil {
		return nil, err
	}
	e, err := args.edit()
	if err != nil {
		return nil, err
	}
	access := p.access()
	access.Operation = e.operation
	change, err := c.prepare(p, e, call.Context)
	if err != nil {
		return &plan{access: access, failure: err}, nil
	}
	access.Exists = true
	if c.mayRead(p.real) {
		access.Diff = unified(p.path, change.before, change.after)
	}
	run := func(context.Context) (string, error) {
		if err := change.target.write(change.after); err != nil {
			return "", err
		}
		c.Reads.remember(call.Context, p.real, sha256.Sum256(change.after))
		return change.done, nil
	}
	return &plan{access: access, run: run, close: change.target.dir.Close}, nil
}

type change struct {
	target        *target
	before, after []byte
	done          string // the answer to the model when it is done
}

// prepare reads a file and edits its content. context names the conversation of the call.
func (c Config) prepare(p place, e edit, context string) (*change, error) {
	if err := p.refuseProcesses(); err != nil {
		return nil, err
	}
	path, name := p.parent()
	dir, err := disk.OpenDir(path)
	if err != nil {
		return nil, p.explain("edit", err)
	}
	made, err := c.prepareIn(&target{place: p, dir: dir}, name, e)
	if err == nil && c.Reads.isOutdated(context, p.real, sha256.Sum256(made.before)) {
		err = fmt.Errorf("%s has changed since you read it; read it again before you edit it", p.named)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return made, nil
}

func (c Config) prepareIn(t *target, name string, e edit) (*change, error) {
	f, err := c.openIn(t.dir, name, t.place)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if t.was, err = f.Stat(); err != nil {
		return nil, err
	}
	before, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err != nil {
		return nil, t.place.explain("read", err)
	}
	if len(before) > maxEdited {
		return nil, fmt.Errorf("%s is larger than 8 MiB; file_edit changes no larger files", t.place.named)
	}
	after, done, err := e.apply(string(before), t.place.named)
	if err != nil {
		return nil, err
	}
	if after == string(before) {
		return nil, fmt.Errorf("%s would not change: the new text is the old one", t.place.named)
	}
	return &change{target: t, before: before, after: []byte(after), done: done}, nil
}

type editArgs struct {
	Path       string  `json:"path"`
	Operation  string  `json:"operation"`
	OldString  *string `json:"old_string"`
	NewString  *string `json:"new_string"`
	ReplaceAll bool    `json:"replace_all"`
	LineStart  *int    `json:"line_start"`
	LineEnd    *int    `json:"line_end"`
	Content    *string `json:"content"`
	Find       *string `json:"find"`
	Replace    *string `json:"replace"`
}

// edit returns the edit that the arguments describe. Each form needs its own arguments, and
// arguments of another form are an error, so that nothing is ignored.
func (a editArgs) edit() (edit, error) {
	if a.Operation == "" {
		if a.OldString == nil || a.NewString == nil {
			return edit{}, errors.New("file_edit needs old_string and new_string, or an operation")
		}
		return a.replacement("old_string", a.OldString, a.NewString)
	}
	if a.OldString != nil || a.NewString != nil {
		return edit{}, errors.New("file_edit takes either old_string and new_string, or an operation, not both")
	}
	if a.Operation == opReplace {
		if a.Find == nil || a.Replace == nil {
			return edit{}, errors.New("the operation replace_string needs find and replace")
		}
		return a.replacement("find", a.Find, a.Replace)
	}
	return a.onLines()
}

// replacement returns the edit that replaces a text. name is its argument.
func (a editArgs) replacement(name string, find, replace *string) (edit, error) {
	switch {
	case *find == "":
		return edit{}, fmt.Errorf("%s is empty; use insert_before or insert_after to add lines, or write_file to write a "+
			"file", name)
	case a.LineStart != nil || a.LineEnd != nil || a.Content != nil:
		return edit{}, errors.New("line_start, line_end and content belong to operations on lines, not to the replacement " +
			"of a text")
	}
	return edit{operation: opReplace, find: *find, replace: *replace, all: a.ReplaceAll}, nil
}

func (a editArgs) onLines() (edit, error) {
	e := edit{operation: a.Operation}
	switch a.Operation {
	case opReplaceLines, opInsertBefore, opInsertAfter, opDeleteLines:
	default:
		return edit{}, fmt.Errorf("there is no operation %q; there are %s, %s, %s, %s and %s", a.Operation, opReplaceLines,
			opInsertBefore, opInsertAfter, opDeleteLines, opReplace)
	}
	if a.LineStart == nil {
		return edit{}, fmt.Errorf("the operation %s needs line_start", a.Operation)
	}
	e.first = *a.LineStart
	e.last = e.first
	if a.LineEnd != nil {
		e.last = *a.LineEnd
	}
	if a.Content != nil {
		e.content = *a.Content
	}
	switch {
	case a.Content == nil && a.Operation != opDeleteLines:
		return edit{}, fmt.Errorf("the operation %s needs content", a.Operation)
	case a.Content != nil && a.Operation == opDeleteLines:
		return edit{}, fmt.Errorf("the operation %s takes no content", a.Operation)
	case a.Find != nil || a.Replace != nil || a.ReplaceAll:
		return edit{}, fmt.Errorf("find, replace and replace_all do not belong to the operation %s", a.Operation)
	case e.last != e.first && (a.Operation == opInsertBefore || a.Operation == opInsertAfter):
		return edit{}, fmt.Errorf("the operation %s takes line_start only", a.Operation)
	case e.first < 1 || e.last < e.first:
		return edit{}, fmt.Errorf("line_start %d and line_end %d are not a range of lines; the first line is 1", e.first,
			e.last)
	}
	return e, nil
}
