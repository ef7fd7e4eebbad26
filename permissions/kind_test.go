package permissions_test

import (
	"testing"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// TestRulesKnowTheCodingTools, so that a rule with the name of one is understood before
// there is a call.
func TestRulesKnowTheCodingTools(t *testing.T) {
	list := append(coding.Tools(coding.Config{Root: t.TempDir()}), coding.Shell(coding.ShellConfig{}),
		fetch.New(fetch.Config{}))
	for _, tool := range list {
		spec := tool.Spec()
		if got := permissions.KnownCategory(spec.Name); got != spec.Category {
			t.Errorf("%s is %q in a rule, and of the category %q", spec.Name, got, spec.Category)
		}
	}
}
