package coding_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestReadFileNumbersLines(t *testing.T) {
	p := newProject(t, map[string]string{
		"a": "one\ntwo\nthree\n", "open": "one\ntwo", "empty": "", "crlf": "one\r\ntwo\r\n", "mark": "\ufeffone\n",
		"damaged": "on\xffe\n\x80\n", "long": strings.Repeat("x", 1999) + "é" + strings.Repeat("y", 100) + "\nend\n",
		"late nul": strings.Repeat("line\n", 2000) + "\x00\n",
	})
	for _, test := range []struct {
		args arg
		want string
	}{
		{arg{"path": "a"}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{arg{"path": "a", "offset": 2, "limit": 1}, "     2\ttwo\n[there are more lines; continue with offset 3]\n"},
		{arg{"path": "a", "offset": 3}, "     3\tthree\n[the file ends here; it has 3 lines]\n"},
		{arg{"path": "a", "offset": 4}, "Error: offset 4 is past the end of a, which has 3 lines"},
		{arg{"path": "a", "offset": 9000}, "Error: offset 9000 is past the end of a, which has 3 lines"},
		{arg{"path": "open"}, "     1\tone\n     2\ttwo\n[the last line has no newline at its end]\n"},
		{arg{"path": "empty"}, "[empty is empty]\n"},
		{arg{"path": "empty", "offset": 2}, "Error: offset 2 is past the end of empty, which has 0 lines"},
		{arg{"path": "crlf"}, "     1\tone\n     2\ttwo\n[2 of these lines end with CR LF, which file_edit keeps]\n"},
		{arg{"path": "mark"}, "     1\tone\n"},
		{arg{"path": "damaged"}, "     1\ton\ufffde\n     2\t\ufffd\n" +
			"[2 bytes that are not UTF-8 text, or NUL, are shown as U+FFFD]\n"},
		{arg{"path": "long"}, "     1\t" + strings.Repeat("x", 1999) + " [102 more bytes in this line]\n     2\tend\n"},
		{arg{"path": "late nul", "offset": 2001}, "  2001\t\ufffd\n[the file ends here; it has 2001 lines]\n" +
			"[1 bytes that are not UTF-8 text, or NUL, are shown as U+FFFD]\n"},
		{arg{"path": "a", "offset": 0}, "invalid: offset is 0; it must be at least 1"},
		{arg{"path": "a", "limit": -1}, "invalid: limit is -1; it must be at least 1"},
		{arg{"path": "a", "lines": 3}, `invalid: unknown argument "lines"`},
	} {
		if got := p.call("read_file", test.args); !strings.HasPrefix(got, test.want) {
			t.Errorf("%v returns\n%q\nwant\n%q", test.args, got, test.want)
		}
	}
}

func TestReadFileIsBounded(t *testing.T) {
	p := newProject(t, map[string]string{"many": strings.Repeat("line\n", 2500), "wide": strings.Repeat(
		strings.Repeat("w", 1500)+"\n", 1000)})
	text := p.call("read_file", arg{"path": "many"})
	if !strings.HasSuffix(text, "  2000\tline\n[there are more lines; continue with offset 2001]\n") {
		t.Errorf("many ends with %q", text[len(text)-100:])
	}
	text = p.call("read_file", arg{"path": "wide"})
	if len(text) > 1<<20+2000 || !strings.HasSuffix(text, "[there are more lines; continue with offset 697]\n") {
		t.Errorf("wide has %d bytes and ends with %q", len(text), text[len(text)-100:])
	}
}

// TestReadFileOfFiveGigabytes: the files have no blocks behind their first lines.
func TestReadFileOfFiveGigabytes(t *testing.T) {
	const size = 5 << 30
	const text = 4000 * len("text\n")
	p := newProject(t, map[string]string{"holes": "", "large": strings.Repeat("text\n", 4000),
		"gap": strings.Repeat("text\n", 4000)})
	p.must(os.Truncate(p.at("holes"), size))
	p.must(os.Truncate(p.at("large"), size))
	const gap = 100 << 20
	f, err := os.OpenFile(p.at("gap"), os.O_WRONLY, 0)
	p.must(err)
	_, err = f.WriteAt([]byte("\nthe end\n"), int64(text+gap))
	p.must(err)
	p.must(f.Close())
	p.says("read_file", arg{"path": "holes"}, "Error: holes is a binary file of 5,368,709,120 bytes: there are NUL "+
		"bytes in its "+
		"first 8 KiB, and it is not shown")
	p.says("read_file", arg{"path": "large", "offset": 2, "limit": 1},
		"     2\ttext\n[there are more lines; continue with offset 3]\n")
	p.says("read_file", arg{"path": "gap", "offset": 4002},
		"  4002\tthe end\n[the file ends here; it has 4002 lines]\n")
	p.mentions("read_file", arg{"path": "gap", "offset": 4001}, fmt.Sprintf(" [%d more bytes in this line]", gap-2000))
	p.says("file_edit", arg{"path": "large", "old_string": "the end", "new_string": "x"},
		"Error: large is larger than 8 MiB; file_edit changes no larger files")
}

func TestReadFileSaysWhatIsNoFile(t *testing.T) {
	p := newProject(t, map[string]string{"dir": "/", "file": "text", "sub/file": "text"})
	p.must(os.Chmod(p.at("sub"), 0o755))
	for path, want := range map[string]string{
		"dir":      "Error: dir is a directory; dir_list shows what is in it",
		".":        "Error: . is a directory; dir_list shows what is in it",
		"/":        "Error: / is a directory; dir_list shows what is in it",
		"none":     "Error: there is no file or directory none",
		"none/x":   "Error: there is no file or directory none/x",
		"file/x":   "Error: cannot read file/x: a part of the path is not a directory",
		"":         "invalid: path is empty; name a file or directory",
		"a\x00b":   `invalid: path "a\x00b" contains a NUL character`,
		"../other": "Error: there is no file or directory ../other",
	} {
		p.says("read_file", arg{"path": path}, want)
	}
	p.config.Home = ""
	p.open()
	p.says("read_file", arg{"path": "~/x"}, `invalid: path "~/x" begins with ~, and the home directory is not known`)
	p.must(os.RemoveAll(p.config.Root))
	p.says("read_file", arg{"path": "file"}, "Error: there is no file or directory file")
	p.says("write_file", arg{"path": "new/file", "content": "x"}, "File written successfully: new/file (1 bytes, new "+
		"file)")
}

// TestWhatACallNamesIsJudgedByItsCaller, and not once more: what the person allows can be
// done. The content of a file that must not be read is in no diff.
func TestWhatACallNamesIsJudgedByItsCaller(t *testing.T) {
	p := newProject(t, map[string]string{"secret": "sxx", "open": "text"})
	p.config.MayRead = func(real string) bool { return real != p.at("secret") }
	p.open()
	p.says("read_file", arg{"path": "secret"}, "     1\tsxx\n[the last line has no newline at its end]\n")
	p.says("read_file", arg{"path": "open"}, "     1\ttext\n[the last line has no newline at its end]\n")
	for tool, args := range map[string]arg{
		"write_file": {"path": "secret", "content": "new"},
		"file_edit":  {"path": "secret", "old_string": "s", "new_string": "t"},
	} {
		plan, err := p.plan(tool, args)
		p.must(err)
		if a := plan.Access(); a.Diff != "" || !a.Exists {
			t.Errorf("%s: %+v", tool, a)
		}
		plan.Close()
	}
}
