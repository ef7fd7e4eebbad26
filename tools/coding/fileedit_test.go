package coding_test

import (
	"os"
	"strings"
	"testing"
)

func TestFileEdit(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	op := func(name string, more arg) arg {
		args := arg{"operation": name}
		for key, value := range more {
			args[key] = value
		}
		return args
	}
	for _, test := range []struct {
		name, before string
		args         arg
		after, want  string // after "": unchanged
	}{
		{"a text", text, arg{"old_string": "two\n", "new_string": "2\n"}, "one\n2\nthree\n",
			"Replaced string in f (14 → 12 bytes)"},
		{"an empty replacement", text, arg{"old_string": "two\n", "new_string": ""}, "one\nthree\n",
			"Replaced string in f (14 → 10 bytes)"},
		{"all occurrences", text, arg{"old_string": "t", "new_string": "T", "replace_all": true}, "one\nTwo\nThree\n",
			"Replaced 2 strings in f (14 → 14 bytes)"},
		{"all occurrences that overlap", "aaaa", arg{"old_string": "aa", "new_string": "b", "replace_all": true}, "bb",
			"Replaced 2 strings in f (4 → 2 bytes)"},
		{"CR LF", "a\r\nb\r\nc\r\n", arg{"old_string": "a\nb", "new_string": "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n",
			"Replaced string in f (9 → 12 bytes)"},
		{"CR LF in both", "a\r\nb\r\n", arg{"old_string": "a\r\nb", "new_string": "x\r\ny"}, "x\r\ny\r\n",
			"Replaced string in f (6 → 6 bytes)"},
		{"bytes that are no text", "a\xff\x00b", arg{"old_string": "b", "new_string": "c"}, "a\xff\x00c",
			"Replaced string in f (4 → 4 bytes)"},
		{"no match", text, arg{"old_string": "four", "new_string": "4"}, "",
			"Error: the text to replace does not occur in f; read the file and copy the text exactly, white space included"},
		{"no match with mixed ends", "a\r\nb\n", arg{"old_string": "a\nb", "new_string": "4"}, "",
			"Error: the text to replace " +
				"does not occur in f; read the file and copy the text exactly, white space included; some lines of the file end " +
				"with CR LF and some with LF, and the text must have the same"},
		{"two matches", "a\nb\na\n", arg{"old_string": "a", "new_string": "x"}, "",
			"Error: the text to replace occurs 2 times " +
				"in f, on lines 1, 3; add lines around it to make it unique, or set replace_all"},
		{"overlapping matches", "x\naaa\n", arg{"old_string": "aa", "new_string": "x"}, "", "Error: the text to replace " +
			"occurs 2 times in f, on lines 2, 2; add lines around it to make it unique, or set replace_all"},
		{"many matches", strings.Repeat("a\n", 12), arg{"old_string": "a", "new_string": "x"}, "",
			"Error: the text to replace " +
				"occurs 12 times in f, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more; add lines around it to make it unique, " +
				"or set replace_all"},
		{"very many matches", strings.Repeat("a", 5000), arg{"old_string": "a", "new_string": "x"}, "",
			"Error: the text to " +
				"replace occurs 1000 or more times in f, on lines 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 and more; add lines around it to " +
				"make it unique, or set replace_all"},
		{"nothing to change", text, arg{"old_string": "two", "new_string": "two"}, "",
			"Error: f would not change: the new text is the old one"},
		{"replace_string", text, op("replace_string", arg{"find": "two", "replace": "2"}), "one\n2\nthree\n",
			"Replaced string in f (14 → 12 bytes)"},

		{"replace_lines", text, op("replace_lines", arg{"line_start": 1, "line_end": 2, "content": "x"}), "x\nthree\n",
			"Edited f (2 lines)"},
		{"one line", text, op("replace_lines", arg{"line_start": 2, "content": "x\ny\n"}), "one\nx\ny\nthree\n",
			"Edited f (4 lines)"},
		{"an empty line", text, op("replace_lines", arg{"line_start": 2, "content": ""}), "one\n\nthree\n",
			"Edited f (3 lines)"},
		{"insert_before", text, op("insert_before", arg{"line_start": 1, "content": "zero"}), "zero\none\ntwo\nthree\n",
			"Edited f (4 lines)"},
		{"insert_before, empty file", "", op("insert_before", arg{"line_start": 1, "content": "zero"}), "zero\n",
			"Edited f (1 line)"},
		{"insert_after", text, op("insert_after", arg{"line_start": 3, "content": "four"}), "one\ntwo\nthree\nfour\n",
			"Edited f (4 lines)"},
		{"delete_lines", text, op("delete_lines", arg{"line_start": 2, "line_end": 3}), "one\n", "Edited f (1 line)"},
		{"everything", text, op("delete_lines", arg{"line_start": 1, "line_end": 3}), "-empty-", "Edited f (0 lines)"},
		{"no last newline", "a\nb", op("insert_after", arg{"line_start": 2, "content": "c\n"}), "a\nb\nc",
			"Edited f (3 lines)"},
		{"no last newline, its line goes", "a\nb", op("delete_lines", arg{"line_start": 2}), "a", "Edited f (1 line)"},
		{"lines with CR LF", "a\r\nb\r\n", op("replace_lines", arg{"line_start": 1, "content": "x\ny"}), "x\r\ny\r\nb\r\n",
			"Edited f (3 lines)"},
		{"CR LF without the last one", "a\r\nb", op("insert_after", arg{"line_start": 2, "content": "c"}), "a\r\nb\r\nc",
			"Edited f (3 lines)"},
		{"a byte order mark", "\ufeffa\nb\n", op("replace_lines", arg{"line_start": 1, "content": "x"}), "\ufeffx\nb\n",
			"Edited f (2 lines)"},
		{"past the end", text, op("delete_lines", arg{"line_start": 3, "line_end": 4}), "",
			"Error: line 4 is past the end of f, which has 3 lines"},
		{"after the end", text, op("insert_after", arg{"line_start": 4, "content": "x"}), "",
			"Error: line 4 is past the end of f, which has 3 lines"},
	} {
		p := newProject(t, map[string]string{"f": test.before})
		test.args["path"] = "f"
		got := p.call("file_edit", test.args)
		after := test.after
		switch after {
		case "":
			after = test.before
		case "-empty-":
			after = ""
		}
		if got != test.want || p.content("f") != after {
			t.Errorf("%s: %q, the file has %q\nwant %q and %q", test.name, got, p.content("f"), test.want, after)
		}
	}
}

// TestArgumentsOfFileEditThatAreNoEdit: none is ignored.
func TestArgumentsOfFileEditThatAreNoEdit(t *testing.T) {
	p := newProject(t, map[string]string{"f": "text"})
	for _, test := range []struct {
		args arg
		want string
	}{
		{arg{}, "file_edit needs old_string and new_string, or an operation"},
		{arg{"old_string": "a"}, "file_edit needs old_string and new_string, or an operation"},
		{arg{"old_string": "", "new_string": "b"}, "old_string is empty; use insert_before or insert_after to add lines, " +
			"or " +
			"write_file to write a file"},
		{arg{"old_string": "a", "new_string": "b", "operation": "delete_lines"},
			"file_edit takes either old_string and new_string, or an operation, not both"},
		{arg{"old_string": "a", "new_string": "b", "line_start": 1}, "line_start, line_end and content belong to " +
			"operations on " +
			"lines, not to the replacement of a text"},
		{arg{"operation": "replace_string", "find": "a"}, "the operation replace_string needs find and replace"},
		{arg{"operation": "delete_lines"}, "the operation delete_lines needs line_start"},
		{arg{"operation": "delete_lines", "line_start": 1, "content": "x"},
			"the operation delete_lines takes no content"},
		{arg{"operation": "replace_lines", "line_start": 1}, "the operation replace_lines needs content"},
		{arg{"operation": "replace_lines", "line_start": 1, "content": "", "find": "x"},
			"find, replace and replace_all do not belong to the operation replace_lines"},
		{arg{"operation": "insert_after", "line_start": 1, "line_end": 2, "content": ""},
			"the operation insert_after takes line_start only"},
		{arg{"operation": "delete_lines", "line_start": 2, "line_end": 1},
			"line_start 2 and line_end 1 are not a range of lines; the first line is 1"},
		{arg{"operation": "delete_lines", "line_start": 0},
			"line_start 0 and line_end 0 are not a range of lines; the first line is 1"},
		{arg{"operation": "append", "line_start": 1},
			`there is no operation "append"; there are replace_lines, insert_before, ` +
				"insert_after, delete_lines and replace_string"},
	} {
		test.args["path"] = "f"
		p.says("file_edit", test.args, "invalid: "+test.want)
	}
}

// TestFileEditRefusesWhatChangedSinceItWasRead, and nothing else.
func TestFileEditRefusesWhatChangedSinceItWasRead(t *testing.T) {
	const changed = "Error: f has changed since you read it; read it again before you edit it"
	edit := arg{"path": "f", "old_string": "two", "new_string": "2"}
	p := newProject(t, map[string]string{"f": "one\ntwo\n"})
	p.mentions("read_file", arg{"path": "f", "limit": 1}, "one")
	p.put("f", "one\ntwo\nthree\n")
	p.says("file_edit", edit, changed)
	p.put("f.new", "two")
	p.must(os.Rename(p.at("f.new"), p.at("f")))
	p.says("file_edit", edit, changed)
	p.mentions("read_file", arg{"path": "f"}, "two")
	p.says("file_edit", edit, "Replaced string in f (3 → 1 bytes)")
	p.says("file_edit", arg{"path": "f", "old_string": "2", "new_string": "two"}, "Replaced string in f (1 → 3 bytes)")
	p.says("write_file", arg{"path": "f", "content": "a two"}, "File written successfully: f (5 bytes, replaced)")
	p.put("f", "a two, of others")
	p.says("file_edit", edit, changed)
	p.put("f", "a two")
	p.says("file_edit", edit, "Replaced string in f (5 → 3 bytes)")

	p = newProject(t, map[string]string{"f": "a two"}) // never read: the text itself is what is known of it
	p.says("file_edit", edit, "Replaced string in f (5 → 3 bytes)")
}
