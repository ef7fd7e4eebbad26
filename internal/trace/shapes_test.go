package trace_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
)

// pem is a block with lines of base64.
const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAsecret\nq83vsecret+/==\n-----END RSA PRIVATE KEY-----"

// keys are made-up keys of every known shape, and what of them is secret.
func keys() map[string]struct{ text, secret string } {
	body := "aB3dE5gH7jK9mN1pQ3sT5vW7"
	list := map[string]struct{ text, secret string }{
		"AWS":                 {"AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"},
		"Google":              {"AIzaSyA-1234567890abcdefghijklmnopqrstu", "1234567890abcdef"},
		"JWT":                 {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r", "dBjftJeZ4CVP"},
		"PEM":                 {pem, "secret"},
		"Bearer":              {"Bearer abc.def-ghi~jkl+mno/pqr==", "abc.def-ghi~jkl+mno/pqr"},
		"bearer in a header":  {"authorization: bearer abcdefgh/ijkl", "abcdefgh/ijkl"},
		"basic in a header":   {"Proxy-Authorization:Basic YWRhOmh1bnRlcjI=", "YWRhOmh1bnRlcjI"},
		"a password":          {"https://ada:hunter2@example.com/x", "hunter2"},
		"a query":             {"https://example.com/v1?api-version=3&api-key=hunter2%21&x=1", "hunter2"},
		"a token in a query":  {"http://h/?access_token=hunter2", "hunter2"},
		"the end of a block":  {"MIIEpAIBAAKCsecret\nq83vsecret==\n-----END PRIVATE KEY-----", "secret"},
		"OpenAI with a scope": {"sk-proj-" + body, body},
	}
	for _, prefix := range []string{"sk-", "sk-ant-api03-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
		"hf_", "npm_", "gsk_", "sk_live_"} {
		list[prefix] = struct{ text, secret string }{prefix + body, body}
	}
	return list
}

func TestKeysOfKnownShapesAreInNoPartOfATrace(t *testing.T) {
	for name, key := range keys() {
		t.Run(name, func(t *testing.T) {
			inText := "before\n" + key.text + "\nafter"
			quoted, _ := json.Marshal(inText)
			nested, _ := json.Marshal(`{"command":` + string(quoted) + `}`)
			escaped := strings.ReplaceAll(strings.ReplaceAll(string(quoted), "-", `\u002d`), "/", `\/`)
			hidden, _ := json.Marshal(`{"command":` + escaped + `}`)
			path := write(t, 1<<20, func(w *trace.Writer) {
				prompt(w, inText)
				record(w, 1, "pre_tool", "a", `{"arguments":{"x":`+string(quoted)+`,"y":`+string(nested)+
					`,"z":`+string(hidden)+`}}`,
					`{"message":`+string(quoted)+`}`, plugin.Failed, func(r *plugin.Record) {
						r.Why, r.Notes = "exit status 1 ("+key.text+")", []string{`its answer begins "` + key.text + `"`}
					})
				w.Step(agent.Event{Kind: agent.EventError, Text: `the server answered 401: {"error":"` + key.text + ` is wrong"}`})
			})
			data := strings.NewReplacer(`\\/`, "/", `\/`, "/", `\\u002d`, "-", `\u002d`, "-").Replace(string(content(t, path)))
			if strings.Contains(data, key.secret) || !strings.Contains(data, "[redacted]") {
				t.Errorf("%s is in the trace:\n%s", key.secret, data)
			}
			for _, word := range []string{"before", "after", "401", "exit status 1"} {
				if !strings.Contains(data, word) && name != "the end of a block" {
					t.Errorf("%q was taken out too:\n%s", word, data)
				}
			}
		})
	}
}

func TestWordsThatAreNoKeysStay(t *testing.T) {
	r := trace.NewRedactor(nil, nil)
	for _, text := range []string{
		"task-management-system", "risk-assessment-of-it", "sk-learn", "the bearer of news", "disk-usage-report",
		"AKIA", "eyJ", "a ? b & c",
		"https://example.com/?page=2&monkeys=3", "ask-somebody-else-please", "-----", "Authorization: none",
		"http://localhost:8080/x@y",
	} {
		line, _ := json.Marshal(text)
		if got := string(r.Line(line)); got != string(line) && !strings.Contains(got, "u0026") {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// BenchmarkRedact is how much longer it takes to look through 1 MB than to check
// that it is JSON.
func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("An ordinary sentence, with task-lists, URLs (https://example.com/a?b=c&d=e) and \"quotes\".\n",
		11_000)
	messages := []map[string]string{{"role": "user", "content": text}}
	line, err := json.Marshal(map[string]any{"request_body": map[string]any{"messages": messages}})
	if err != nil {
		b.Fatal(err)
	}
	r := trace.NewRedactor([]string{"a-secret-key"}, nil)
	var floor, took time.Duration
	for b.Loop() {
		begin := time.Now()
		if !json.Valid(line) {
			b.Fatal("no JSON")
		}
		floor += time.Since(begin)
		begin = time.Now()
		r.Line(line)
		took += time.Since(begin)
	}
	b.ReportMetric(float64(took)/float64(floor), "x-valid")
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/MB")
}

// TestNoTextIsLookedAtAgainAndAgain: texts made for scanners that do would keep them busy for hours,
// so that go test gives up.
func TestNoTextIsLookedAtAgainAndAgain(t *testing.T) {
	r := trace.NewRedactor([]string{"a-secret-key"}, []*regexp.Regexp{regexp.MustCompile("zzz+")})
	for _, piece := range []string{"eyJ", "eyJ-", "eyJaaaaaa.", "sk-", "-----BEGIN ", "-----END ", "://", "://a:", "?key=",
		"&a", "bearer ", "authorization:", `\`, `\"`, `"`, `\u0022sk-`, "a"} {
		line, _ := json.Marshal(strings.Repeat(piece, 1<<21/len(piece)))
		r.Line(line)
	}
}
