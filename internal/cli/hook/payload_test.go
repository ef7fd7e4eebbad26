package hook

import (
	"regexp"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/tidwall/sjson"
)

// goTerms are words that a message about JSON has no use for.
var goTerms = regexp.MustCompile(`\bGo\b|json:|unmarshal|interface|struct|hookpoints|u?int\d|float\d|\bbool\b|\[\]\w`)

// TestWrongPayloadsAreNamedInTermsOfJSON puts a value of every type into every
// field of every hook's payload.
func TestWrongPayloadsAreNamedInTermsOfJSON(t *testing.T) {
	refused := 0
	for _, info := range hookpoints.All() {
		for _, field := range hookpoints.Fields(info.Payload) {
			for _, value := range []string{`5`, `1.5`, `1e999`, `"x"`, `true`, `[]`, `[5]`, `["x"]`, `[[]]`, `{}`, `{"x":5}`} {
				payload, err := sjson.SetRawBytes(hookdoc.Example(info), field.Name, []byte(value))
				if err != nil {
					t.Fatal(err)
				}
				if err := checkPayload(info, payload); err != nil {
					refused++
					if goTerms.MatchString(err.Error()) {
						t.Errorf("%s with %s = %s: %v", info.Name, field.Name, value, err)
					}
				}
			}
		}
	}
	if refused < 500 {
		t.Errorf("only %d payloads were refused", refused)
	}
}
