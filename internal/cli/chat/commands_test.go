package chat

import (
	"testing"
)

func TestWhichLinesAreCommands(t *testing.T) {
	for text, want := range map[string][2]string{
		"/help":         {"help", ""},
		"/history 5":    {"history", "5"},
		"/context  a b": {"context", "a b"},
		"/":             {"", ""},
		"/tmp":          {"tmp", ""},
		"/x-y_2":        {"x-y_2", ""},
	} {
		if name, word, ok := commandLine(text); !ok || name != want[0] || word != want[1] {
			t.Errorf("%q is the command %q with %q, %v", text, name, word, ok)
		}
	}
	for text, prompt := range map[string]string{
		"help":                        "help",
		" /help":                      " /help",
		"/usr/bin/foo: not found":     "/usr/bin/foo: not found",
		"/etc/passwd":                 "/etc/passwd",
		"/foo: not found":             "/foo: not found",
		"/ is full":                   "/ is full",
		"/help\nme":                   "/help\nme",
		"/^a.*b$/ matches what?":      "/^a.*b$/ matches what?",
		"//exit":                      "/exit",
		"//usr/bin":                   "/usr/bin",
		"//":                          "/",
		"// TODO: a comment":          "// TODO: a comment",
		"//exit\nas a text of lines":  "//exit\nas a text of lines",
		"/* a comment */ int main();": "/* a comment */ int main();",
	} {
		if _, _, ok := commandLine(text); ok || unescape(text) != prompt {
			t.Errorf("%q is a command: %v, or the prompt %q; want %q", text, ok, unescape(text), prompt)
		}
	}
}
