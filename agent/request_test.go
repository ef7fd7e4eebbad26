package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// offered are the tools of a request.
func (r request) offered() (names []string) {
	for _, tool := range r.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

// requestEvents are the events of requests.
func (h *harness) requestEvents() (list []RequestEvent) {
	for _, e := range h.events {
		if e.Request != nil {
			list = append(list, *e.Request)
		}
	}
	return list
}

func TestWhichToolsAreOffered(t *testing.T) {
	for _, test := range []struct {
		name       string
		settings   Settings
		recipe     *Recipe
		answer     hookpoints.PreAPIToolsAnswer
		configured []string
		offered    []string
		unoffered  map[string]string
	}{
		{"all", Settings{}, nil, hookpoints.PreAPIToolsAnswer{}, []string{"echo", "a", "b"}, []string{"echo", "a", "b"},
			map[string]string{}},
		{"those that the configuration includes", Settings{Include: []string{"b", "a"}}, nil,
			hookpoints.PreAPIToolsAnswer{}, []string{"a", "b"}, []string{"a", "b"},
			map[string]string{"echo": "tools.include of the configuration does not name it"}},
		{"exclude beats include", Settings{Include: []string{"b", "a"}, Exclude: []string{"a"}}, nil,
			hookpoints.PreAPIToolsAnswer{}, []string{"b"}, []string{"b"},
			map[string]string{"echo": "tools.include of the configuration does not name it",
				"a": "tools.exclude of the configuration names it"}},
		{"those of the recipe", Settings{}, &Recipe{Name: "r", Tools: []string{"a", "c"}}, hookpoints.PreAPIToolsAnswer{},
			[]string{"a"}, []string{"a"}, map[string]string{"echo": `the recipe "r" does not allow it`,
				"b": `the recipe "r" does not allow it`}},
		{"none of a recipe without tools", Settings{}, &Recipe{Name: "r", Tools: []string{}},
			hookpoints.PreAPIToolsAnswer{}, []string{}, nil, map[string]string{"echo": `the recipe "r" does not allow it`,
				"a": `the recipe "r" does not allow it`, "b": `the recipe "r" does not allow it`}},
		{"none for a run without tools", Settings{NoTools: true, Include: []string{"a"}}, nil, hookpoints.PreAPIToolsAnswer{},
			[]string{}, nil, map[string]string{"echo": "this run offers no tools, as --no-tool-calls says",
				"a": "this run offers no tools, as --no-tool-calls says",
				"b": "this run offers no tools, as --no-tool-calls says"}},
		{"those that plugins leave", Settings{}, nil,
			hookpoints.PreAPIToolsAnswer{Include: []string{"a", "b"}, Exclude: []string{"a"}}, []string{"echo", "a", "b"},
			[]string{"b"}, map[string]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, says("done"))
			for _, name := range []string{"a", "b"} {
				h.tool(name, func(tools.Call) tools.Result { return tools.Result{} })
			}
			h.Settings, h.Recipe = test.settings, test.recipe
			h.plug("p", answerAt(hookpoints.PreAPITools, test.answer))
			seen := observe(h, hookpoints.PreAPITools)
			h.prompt("hi")
			same(t, "offered", h.model.requests[0].offered(), test.offered)
			names := []string{}
			for _, tool := range (*seen)[0].Tools {
				names = append(names, tool.Name)
			}
			same(t, "told to plugins", names, test.configured)
			event := h.requestEvents()[0]
			same(t, "told to observers", [][]string{event.Tools, event.Configured},
				[][]string{{"echo", "a", "b"}, test.configured})
			same(t, "why not", event.Unoffered, test.unoffered)
		})
	}
}

// TestCategoriesCanBeLeftOut also holds that such a tool does not run if it is called.
func TestCategoriesCanBeLeftOut(t *testing.T) {
	h := newHarness(t, calls("run", "{}"), says("done"))
	for _, c := range []tools.Category{tools.CategoryShell, tools.CategoryRead} {
		name := map[tools.Category]string{tools.CategoryShell: "run", tools.CategoryRead: "show"}[c]
		if err := h.Tools.Add(goTool{tools.Spec{Name: name, Category: c, Parameters: json.RawMessage(`{}`)},
			func(tools.Call) tools.Result { return tools.Result{Text: "it ran"} }}); err != nil {
			t.Fatal(err)
		}
	}
	h.Settings.ExcludeCategories = []tools.Category{tools.CategoryShell, tools.CategoryFetch}
	h.prompt("hi")
	same(t, "offered", h.model.requests[0].offered(), []string{"echo", "show"})
	same(t, "why not", h.requestEvents()[0].Unoffered,
		map[string]string{"run": "tools.exclude_categories of the configuration names shell"})
	if sent := h.model.requests[1].raw; !strings.Contains(sent, `tool \"run\" is not available here`) {
		t.Errorf("the model was told %s", sent)
	}
}

// TestARequestOffersWhatPluginsSayThen: tools are filtered anew for each request.
func TestARequestOffersWhatPluginsSayThen(t *testing.T) {
	h := newHarness(t, calls("echo", "{}"), calls("echo", "{}"), says("done"))
	requests := 0
	h.plug("p", plugin.HandlePoint(hookpoints.PreAPITools,
		func(context.Context, hookpoints.PreAPIToolsPayload) (a hookpoints.PreAPIToolsAnswer, err error) {
			if requests++; requests > 1 {
				a.Exclude = []string{"echo"}
			}
			return a, nil
		}))
	h.prompt("hi")
	if runs := strings.Count(strings.Join(h.log, "\n"), "run echo"); runs != 1 {
		t.Errorf("echo ran %d times:\n%s", runs, strings.Join(h.log, "\n"))
	}
}

// TestWhatPluginsMakeOfARequestIsSent, whatever it is for.
func TestWhatPluginsMakeOfARequestIsSent(t *testing.T) {
	h := crowded(t, says("[]"), says("summary"), says("hello"))
	h.Settings.Options = []llm.Option{{Name: "temperature", Value: json.RawMessage("1")}}
	h.plug("p", answerAt(hookpoints.PreAPIRequest, hookpoints.PreAPIRequestAnswer{
		RequestBody: json.RawMessage(`{"temperature":0,"tools":[{"function":{"name":"mine"}}]}`)}))
	seen := observe(h, hookpoints.PreAPIRequest)
	h.prompt("hi")
	var purposes []string
	for i, e := range h.requestEvents() {
		purposes = append(purposes, e.For)
		sent := h.model.requests[i].raw
		if gjson.Get(sent, "temperature").Raw != "0" || gjson.GetBytes(e.Before, "temperature").Raw != "1" ||
			gjson.GetBytes(e.After, "temperature").Raw != "0" || e.Bytes != len(sent) {
			t.Errorf("sent %s, told %+v", sent, e)
		}
		if gjson.GetBytes(e.Before, "messages").Exists() || gjson.GetBytes(e.After, "tools").Exists() {
			t.Errorf("parameters %s, %s", e.Before, e.After)
		}
		same(t, "tools of the body", e.Sent, []string{"mine"})
		if gjson.GetBytes((*seen)[i].RequestBody, "temperature").Raw != "1" || (*seen)[i].ContextName != "work" {
			t.Errorf("pre_api_request %+v", (*seen)[i])
		}
	}
	same(t, "purposes", purposes, []string{"choice of what to drop", "summary", ""})
}

// TestAnEventOfARequestNamesToolsOnlyIfPluginsChangedThem.
func TestAnEventOfARequestNamesToolsOnlyIfPluginsChangedThem(t *testing.T) {
	h := newHarness(t, says("done"))
	h.plug("p", answerAt(hookpoints.PreAPIRequest, hookpoints.PreAPIRequestAnswer{
		RequestBody: json.RawMessage(`{"top_p":1}`)}))
	h.prompt("hi")
	if e := h.requestEvents()[0]; e.Sent != nil || string(e.After) == string(e.Before) {
		t.Errorf("%+v", e)
	}
}

func TestTheSystemPrompt(t *testing.T) {
	h := newHarness(t, says("done"))
	for _, err := range []error{
		h.Context.SetSystemPrompt("Be brief.\n"), h.Context.SetGoals("a goal"), h.Context.SetTodos("a todo"),
		h.Context.SetReflection("I am kind."), h.Context.Compact("so far", nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h.Settings.UserName, h.Settings.Reflection = "Ada", true
	h.plug("first", answerAt(hookpoints.PreSystemPrompt, hookpoints.SystemPromptAnswer{Inject: "first"}))
	h.plug("last", answerAt(hookpoints.PostSystemPrompt, hookpoints.SystemPromptAnswer{Inject: "last"}))
	pres, posts := observe(h, hookpoints.PreSystemPrompt), observe(h, hookpoints.PostSystemPrompt)
	h.prompt("hi")
	want := "first\n\nBe brief.\n\nThe user speaking to you is called: Ada\n\n--- CONVERSATION SUMMARY ---\nso far\n\n" +
		"--- CURRENT GOALS ---\na goal\n\n--- CURRENT TODOS ---\na todo\n\nI am kind.\n\nlast"
	same(t, "messages", h.model.requests[0].Messages, []message{{Role: "system", Content: want},
		{Role: "user", Content: "hi"}})
	payload := hookpoints.SystemPromptPayload{ContextName: "work", Summary: "so far", Todos: "a todo", Goals: "a goal"}
	same(t, "hooks", append(*pres, *posts...), []hookpoints.SystemPromptPayload{payload, payload})

	own := "Be long." // of which nothing is stored
	h.Context = &faulty{Context: h.Context, method: "NoteSystemPrompt", nth: 1}
	h.Settings = Settings{SystemPrompt: &own, UserName: DefaultUserName}
	h.prompt("again")
	system := h.model.requests[1].Messages[0].Content
	if !strings.HasPrefix(system, "first\n\nBe long.\n\n--- CONVERSATION SUMMARY") || strings.Contains(system, "kind") {
		t.Errorf("system prompt %q", system)
	}
}
