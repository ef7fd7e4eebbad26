package question_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/internal/term/termtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/google/go-cmp/cmp"
)

const trip = `{"type":"object","required":["a_city","b_days"],"properties":{
	"a_city":{"type":"string","description":"Where to?\u001b[2J","enum":["Kyoto","Oslo"]},"b_days":{"type":"integer"},
	"c_price":{"type":"number"},"d_return":{"type":"boolean"},"e_note":{"type":"string"}}}`

func TestAFormIsFilledInOrRefused(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		typed  []string // each after a prompt
		want   map[string]any
	}{
		"everything": {trip, []string{"y\n", "Oslo\n", "3\n", "1.5\n", "no\n", "by train\n"},
			map[string]any{"a_city": "Oslo", "b_days": int64(3), "c_price": 1.5, "d_return": false, "e_note": "by train"}},
		"only what is needed": {trip, []string{"yes\n", "Kyoto\n", "3\n", "\n", "\n", "\n"},
			map[string]any{"a_city": "Kyoto", "b_days": int64(3)}},
		"wrong answers": {trip, []string{"y\n", "Rome\n", "\n", "Oslo\n", "soon\n", "2\n", "NaN\n", "\n", "perhaps\n",
			"y\n", "\n"},
			map[string]any{"a_city": "Oslo", "b_days": int64(2), "d_return": true}},
		"nothing":        {`{"type":"object","properties":{}}`, []string{"y\n"}, map[string]any{}},
		"no":             {trip, []string{"\n"}, nil},
		"an end":         {trip, []string{"\x04"}, nil},
		"an end later":   {trip, []string{"y\n", "\x04"}, nil},
		"a text instead": {trip, []string{"Oslo\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			terminal, person := terminaltest.New(t)
			done := make(chan error, 1)
			var values map[string]any
			var filled bool
			go func() {
				var err error
				values, filled, err = question.Fill(t.Context(), question.Terminal{File: terminal, Flush: func() {}, Columns: 80},
					question.Form{Who: "MCP server travel", Message: "Say\x1b[2J where.\n> y", Schema: []byte(test.schema)})
				done <- err
			}()
			for _, line := range test.typed {
				person.Sees(t, "\n> ")
				person.WriteString(line)
			}
			if err := <-done; err != nil || filled != (test.want != nil) {
				t.Errorf("filled %v, %v", filled, err)
			}
			if diff := cmp.Diff(test.want, values); diff != "" {
				t.Error(diff)
			}
			raw := strings.ReplaceAll(person.Raw(), "\r\n", "\n")
			if wrong := termtest.Wrong(raw); wrong != "" {
				t.Errorf("%q reached the terminal: %q", wrong, raw)
			}
		})
	}
}

func TestFormsThatCannotBeShown(t *testing.T) {
	for schema, want := range map[string]string{
		`[]`: "the form of the question cannot be read",
		`{"properties":{"list":{"type":"array"}}}`: `the question asks for "list" of the type "array"; texts, numbers, ` +
			"booleans and choices can be asked for",
		`{"properties":{` + many(21) + `}}`: "the question asks for 21 things; 20 are the most",
	} {
		_, filled, err := question.Fill(t.Context(), question.Terminal{}, question.Form{Schema: []byte(schema)})
		if filled || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", schema, err, want)
		}
	}
}

// many is the members of a schema with so many texts.
func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, `"`+strings.Repeat("a", i+1)+`":{"type":"string"}`)
	}
	return strings.Join(list, ",")
}
