package cases_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/workbench/cases"
)

// FuzzParse checks that no file breaks the reader.
func FuzzParse(f *testing.F) {
	f.Add("plugin = 'x'\n[[case]]\nhook = 'pre_tool'\ndata.arguments = {a = 1}\nanswer = {}\nmatches.x = '('")
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		cases.Parse("f.toml", []byte(text))
	})
}
