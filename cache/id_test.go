package cache_test

import (
	"testing"

	"github.com/chibi-host/chibi/cache"
)

// TestWhatLooksLikeAnID, so that a text can name an output or something else.
func TestWhatLooksLikeAnID(t *testing.T) {
	entry, err := cache.Open(t.TempDir()).PutText("mcp__web__get it!", []byte(`{}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		entry.ID: true, "shell_exec_65f0aaaa_0123abcd": true, "a-b_65f0aaaa_0123abcd": true,
		"": false, "notes.txt": false, "65f0aaaa_0123abcd": false, "_65f0aaaa_0123abcd": false,
		"shell_exec_65f0aaaa_0123abc": false, "shell_exec_65F0AAAA_0123abcd": false,
		"./shell_exec_65f0aaaa_0123abcd": false, "shell_exec_65f0aaaa_0123abcd.txt": false,
	} {
		if got := cache.IsID(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
