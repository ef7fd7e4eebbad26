package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

func TestSplitLine(t *testing.T) {
	for _, test := range []struct {
		line  string
		flags []string
		words []string
		tail  []string
		err   string
	}{
		{line: "-cwork hello", flags: []string{"--switch-context=work"}, words: []string{"hello"}},
		{line: "-c work -v hello -v", flags: []string{"--switch-context=work", "--verbose"}, words: []string{"hello", "-v"}},
		{line: "-vxc-", flags: []string{"--verbose", "--no-chibi", "--switch-context=-"}},
		{line: "-g-5", flags: []string{"--show-current-log=-5"}},
		{line: "-g -5", flags: []string{"--show-current-log=-5"}},
		{line: "-Gwork -5", flags: []string{"--show-log=work", "--show-log=-5"}},
		{line: "--show-log=work 5 x", flags: []string{"--show-log=work", "--show-log=5"}, words: []string{"x"}},
		{line: "-c=work", flags: []string{"--switch-context=work"}},
		{line: "-- -code review", words: []string{"-code", "review"}},
		{line: "-p plug -name -c", flags: []string{"--plugin=plug"}, tail: []string{"-name", "-c"}},
		{line: "-vPtool {}", flags: []string{"--verbose", "--call-tool=tool"}, tail: []string{"{}"}},
		{line: "--ephemeral-context x", flags: []string{"--transient-context=x"}},
		{line: "--set a=b=c", flags: []string{"--set=a=b=c"}},
		{line: "-R old", err: "flag needs 2 arguments: -R"},
		{line: "-vj", err: "there is no flag -j"},
		{line: "--verbos hi", err: "there is no flag --verbos"},
	} {
		t.Run(test.line, func(t *testing.T) {
			l, err := splitLine(strings.Fields(test.line), (&options{}).flags())
			if text := errorText(err); text != test.err {
				t.Fatalf("error = %q, want %q", text, test.err)
			}
			if err != nil {
				return
			}
			want := line{flags: test.flags, words: test.words, tail: test.tail, ended: strings.HasPrefix(test.line, "-- ")}
			if diff := cmp.Diff(want, l, cmp.AllowUnexported(line{}), sameEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// sameEmpty makes nil and empty lists equal.
func sameEmpty() cmp.Option {
	return cmp.FilterValues(func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
}

// FuzzSplitLine holds that words after "--" and after the first word that is no
// flag are never touched.
func FuzzSplitLine(f *testing.F) {
	f.Add("-vcwork", "--", "-code")
	f.Add("hello", "-c", "x")
	f.Add("-p", "name", "-c")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		fuzztest.Memory(t)
		args := []string{a, b, c}
		l, err := splitLine(slices.Clone(args), (&options{}).flags())
		if err != nil {
			return
		}
		rest := slices.Concat(l.words, l.tail)
		if !slices.Equal(rest, args[len(args)-len(rest):]) {
			t.Errorf("%q was taken for %q", args, rest)
		}
	})
}
