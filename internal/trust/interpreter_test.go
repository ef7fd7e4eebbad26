package trust

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzFirstLine holds that whatever the first line of a hook is, an interpreter
// that is named by a relative path is refused.
func FuzzFirstLine(f *testing.F) {
	f.Add("/bin/sh", "-e")
	f.Add("./x", "")
	f.Add("/usr/bin/env", "-S PATH=. ./x")
	f.Fuzz(func(t *testing.T, interpreter, rest string) {
		fuzztest.Memory(t)
		err := checkInterpreter("/project", "hooks", []byte("#!"+interpreter+" "+rest+"\nexit\n"))
		words := strings.Fields(strings.SplitN(interpreter+" "+rest, "\n", 2)[0])
		if len(words) > 0 && !strings.HasPrefix(words[0], "/") && err == nil {
			t.Errorf("%q is not refused", words)
		}
	})
}
