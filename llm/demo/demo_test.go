package demo_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

func ask(t *testing.T, r llm.Request) (llm.Reply, error) {
	t.Helper()
	server, err := demo.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	body, err := r.Body()
	if err != nil {
		t.Fatal(err)
	}
	return (&openai.Client{URL: server.URL, Retries: -1}).Stream(t.Context(), body, nil)
}

func user(text string) llm.Message { return llm.Message{Role: "user", Content: text} }

func TestItSaysWhatTheRequestOffered(t *testing.T) {
	reply, err := ask(t, llm.Request{
		Model: "m", Messages: []llm.Message{{Role: "system", Content: "Bé"}, user("hello")},
		Tools: []tools.Spec{{Name: "a"}, {Name: "b"}}, Options: []llm.Option{{Name: "temperature", Value: []byte("0.10")}},
	})
	want := "You said: hello\n\nmodel: m\ntemperature: 0.10\nmax_tokens: default\ntools: 2 (a, b)\nsystem prompt: 2 " +
		"characters\nmessages: 2"
	if diff := cmp.Diff(want, reply.Text); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if reply.Usage.InputTokens == 0 || reply.FinishReason != "stop" {
		t.Errorf("reply = %+v", reply)
	}
}

func TestItCallsToolsAndReadsTheirResults(t *testing.T) {
	prompt := user("@tool a {\"x\": 1}\n@tool b")
	reply, err := ask(t, llm.Request{Messages: []llm.Message{prompt}})
	want := []llm.ToolCall{{ID: "call_1_1", Name: "a", Arguments: `{"x": 1}`},
		{ID: "call_1_2", Name: "b", Arguments: "{}"}}
	if diff := cmp.Diff(want, reply.ToolCalls); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	reply, err = ask(t, llm.Request{Messages: []llm.Message{
		prompt, {Role: "assistant", ToolCalls: want}, {Role: "tool", ToolCallID: "call_1_1", Content: "one"},
		{Role: "tool", ToolCallID: "call_1_2", Content: "two"},
	}})
	if reply.Text != "The tool answered: one\nThe tool answered: two" || err != nil {
		t.Errorf("reply = %+v, %v", reply, err)
	}
}

func TestItSaysAndFailsWhatItIsTold(t *testing.T) {
	if reply, err := ask(t, llm.Request{Messages: []llm.Message{user("@say Good day")}}); reply.Text != "Good day" ||
		err != nil {
		t.Errorf("reply = %+v, %v", reply, err)
	}
	if _, err := ask(t, llm.Request{Messages: []llm.Message{user("@error 418 I am a teapot")}}); err == nil ||
		!strings.HasSuffix(err.Error(), "HTTP 418: I am a teapot") {
		t.Errorf("error = %v", err)
	}
}
