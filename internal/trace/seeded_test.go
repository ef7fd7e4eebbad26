package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// turns is in how many turns secrets are seeded, together how many in the text of each.
const turns, together = 100, 10

// secretOf makes a secret: letters of several alphabets, signs, quotes, controls, and what looks like
// an escape or a word of the page.
func secretOf(random *rand.Rand) string {
	alphabet := [][]rune{[]rune("abcdefghijklmnopqrstuvwxyz0123456789_"), []rune("ABCDEFXYZ0123456789-+/="),
		[]rune("äöüßЖ漢字кид0123456789"), []rune(`ab"\'<>&{}[]:, 0123456789`)}[random.Intn(4)]
	var b strings.Builder
	b.WriteString([]string{"", "zq", "\\n", "uzz00", "n"}[random.Intn(5)])
	for range 10 + random.Intn(20) {
		b.WriteRune(alphabet[random.Intn(len(alphabet))])
	}
	return b.String() + fmt.Sprintf("Zq%08x", random.Uint32())
}

// seeded is a turn with secrets that a plugin takes out at one point, in a way.
type seeded struct {
	secrets []string
	at      hookpoints.Name
	way     int
	calls   int
}

// text returns the text at a point, with the secrets if it is theirs.
func (s *seeded) text(at hookpoints.Name) string {
	if s.at != at || s.way == putIn {
		return "kept"
	}
	return "echo " + strings.Join(s.secrets, " kept ") + " and kept"
}

func (s *seeded) Stream(context.Context, json.RawMessage, func(string)) (llm.Reply, error) {
	if s.calls++; s.calls > 1 {
		return llm.Reply{Text: "done"}, nil
	}
	args, _ := json.Marshal(map[string]string{"command": s.text(hookpoints.PreTool.Name)})
	return llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c1", Name: "say", Arguments: string(args)}}}, nil
}

// Spec and Call make it the tool too.
func (*seeded) Spec() tools.Spec { return tools.Spec{Name: "say"} }

func (s *seeded) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Text: s.text(hookpoints.PreToolOutput.Name), Failed: len(s.secrets[0])%2 == 0}, nil
}

// answering is a plugin that answers with what rewrite makes of the text at the seeded point, and
// tells what it saw.
func (s *seeded) answering(name string, rewrite func(text string) string) plugin.Plugin {
	field := map[hookpoints.Name]string{"pre_message": "prompt", "pre_tool": "arguments",
		"pre_tool_output": "output"}[s.at]
	return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{s.at},
		Handler: plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			var payload map[string]json.RawMessage
			if err := json.Unmarshal(ev.Payload, &payload); err != nil {
				return plugin.Answer{}, err
			}
			var text string
			var arguments map[string]string
			if json.Unmarshal(payload[field], &text) != nil && json.Unmarshal(payload[field], &arguments) != nil {
				return plugin.Answer{}, errors.New("no text")
			}
			var answer any = rewrite(text)
			if arguments != nil {
				answer = map[string]string{"command": rewrite(arguments["command"])}
			}
			body, err := plugin.JSON(map[string]any{field: answer})
			notes := []string{"saw " + string(ev.Payload), "made " + string(body)}
			if strings.Contains(text+arguments["command"], s.secrets[0]) {
				notes = append(notes, fmt.Sprintf("took %q", s.secrets))
			}
			return plugin.Answer{Body: body, Notes: notes}, err
		})}
}

// ways is how many ways there are to take secrets out. In putIn what one plugin puts in, the next one
// takes out, so that nothing is changed in the end.
const ways, putIn = 5, 3

// plugins are a way to take the secrets out.
func (s *seeded) plugins() []plugin.Plugin {
	out := func(text string) string {
		for _, secret := range s.secrets {
			text = strings.ReplaceAll(text, secret, "***")
		}
		return text
	}
	switch s.way {
	case 0:
		return []plugin.Plugin{s.answering("cut", out)}
	case 1: // others behind it change the same text
		return []plugin.Plugin{gossip("first"), s.answering("cut", out),
			s.answering("polite", func(text string) string { return text + " please" }), gossip("last")}
	case 2: // others before it do
		return []plugin.Plugin{s.answering("polite", func(text string) string { return "now " + text }),
			gossip("second"), s.answering("cut", out)}
	case putIn:
		all := " " + strings.Join(s.secrets, " ")
		return []plugin.Plugin{s.answering("vault", func(text string) string { return text + all }),
			gossip("second"), s.answering("cut", func(text string) string { return strings.TrimSuffix(text, all) })}
	default: // all of the text is replaced
		return []plugin.Plugin{gossip("first"), s.answering("cut", func(string) string { return "another text" })}
	}
}

// TestNoSeededSecretIsInAnyLine has a plugin take a secret out of a prompt, arguments or an output, in
// several ways, while other plugins repeat what they see; then a later turn of the conversation.
func TestNoSeededSecretIsInAnyLine(t *testing.T) {
	random := rand.New(rand.NewSource(34))
	points := []hookpoints.Name{"pre_message", "pre_tool", "pre_tool_output"}
	leaked := 0
	for n := range turns {
		s := &seeded{at: points[n%len(points)], way: n % ways}
		for range together {
			s.secrets = append(s.secrets, secretOf(random))
		}
		var out bytes.Buffer
		w := &trace.Writer{Run: "r"}
		w.To(&out)
		if err := s.turns(t, w); err != nil {
			t.Fatal(err)
		}
		for _, secret := range s.secrets {
			if line := leak(out.String(), secret); line != "" {
				if leaked++; leaked < 4 {
					t.Errorf("%q, taken out at %s in way %d, is in %s", secret, s.at, s.way, line)
				}
			}
		}
	}
	if leaked > 0 {
		t.Errorf("%d of %d secrets are in a line", leaked, turns*together)
	}
}

// turns runs two turns of a conversation; the second one calls nothing.
func (s *seeded) turns(t *testing.T, w *trace.Writer) error {
	store, err := contexts.Open(t.TempDir())
	if err != nil {
		return err
	}
	c, err := store.Context("work")
	if err != nil {
		return err
	}
	set := &tools.Set{}
	if err := set.Add(s); err != nil {
		return err
	}
	a := &agent.Agent{Context: c, Model: s, Tools: set, Output: agent.Output{Event: func(e agent.Event) { w.Step(e) }},
		Host: &plugin.Host{Plugins: s.plugins(), Trace: func(r plugin.Record) { w.Record(r) }, Fired: w.Fired}}
	first := s.text(hookpoints.PreMessage.Name)
	if s.at == hookpoints.PreTool.Name { // the person wrote what the model calls the tool with
		first = s.text(s.at)
	}
	_, err = a.Prompt(t.Context(), first)
	if err == nil {
		_, err = a.Prompt(t.Context(), "and then?")
	}
	return errors.Join(err, w.Close())
}

// leak returns the first line with a secret: as it is, in an escape, or its random end alone.
func leak(text, secret string) string {
	end := secret[len(secret)-8:]
	for line := range strings.Lines(text) {
		if strings.Contains(line, end) || strings.Contains(line, secret) {
			return line
		}
	}
	return ""
}
