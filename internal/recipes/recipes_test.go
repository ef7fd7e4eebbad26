package recipes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func ptr(s string) *string { return &s }

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       recipes.Recipe
	}{
		{name: "no front matter", text: "Say {{.word}}.\n", want: recipes.Recipe{Body: "Say {{.word}}.\n"}},
		{
			name: "everything",
			text: "---\nname: Review\ndescription: Look at it\nallowed_tools: [a, b]\nallowed_commands:\n  - git *\n" +
				"arguments:\n  base: {description: a branch, default: main}\n  n: {default: 3}\n  who: {}\n" +
				"hooks:\n  turn_end:\n    handler: swap_context\n    once: true\n---\nBody\n",
			want: recipes.Recipe{
				Title: "Review", Description: "Look at it", AllowedTools: []string{"a", "b"}, AllowedCommands: []string{"git *"},
				Arguments: map[string]recipes.Argument{"base": {"a branch", ptr("main")}, "n": {"", ptr("3")}, "who": {}},
				Hooks:     map[string]recipes.Hook{"turn_end": {Handler: "swap_context", Once: true}}, Body: "Body\n",
			},
		},
		{name: "lists as texts", text: "---\nallowed_tools: a, b\nallowed_commands: git *, ls\n---\n", want: recipes.Recipe{
			AllowedTools: []string{"a", "b"}, AllowedCommands: []string{"git *", "ls"}}},
		{name: "an empty list is no tools", text: "---\nallowed_tools: []\n---\n",
			want: recipes.Recipe{AllowedTools: []string{}}},
		{name: "an empty text is no tools", text: "---\nallowed_tools: \"\"\n---\n",
			want: recipes.Recipe{AllowedTools: []string{}}},
		{name: "defaults of earlier versions", text: "---\ndefaults: {base: main, n: 3, yes: true}\n---\n",
			want: recipes.Recipe{
				Arguments: map[string]recipes.Argument{"base": {Default: ptr("main")}, "n": {Default: ptr("3")},
					"yes": {Default: ptr("true")}}}},
		{name: "CR LF", text: "---\r\nname: x\r\n---\r\nBody\r\n", want: recipes.Recipe{Title: "x", Body: "Body\r\n"}},
		{name: "a line of dashes later", text: "Body\n---\nmore\n", want: recipes.Recipe{Body: "Body\n---\nmore\n"}},
		{name: "other keys", text: "---\nprofile: x\nworkflow: true\ncolour: red\n---\n",
			want: recipes.Recipe{Notes: []recipes.Note{
				{2, "profile", `the key "profile" has no effect: chibi has no profiles; it uses the model of the configuration`,
					true},
				{3, "workflow", `the key "workflow" has no effect: chibi has no sub-agent that could run the recipe`, true},
				{4, "colour", `unknown key "colour"; the known keys are name, description, allowed_tools, allowed_commands, ` +
					`defaults, arguments, hooks`, false}}}},
		{name: "a misspelt key", text: "---\ndescripton: x\narguments:\n  who: {defalt: me}\n---\n",
			want: recipes.Recipe{Arguments: map[string]recipes.Argument{"who": {}}, Notes: []recipes.Note{
				{2, "descripton", `unknown key "descripton"; did you mean "description"?`, false},
				{4, "arguments.who.defalt", `unknown key "arguments.who.defalt"; did you mean "default"?`, false}}}},
		{
			name: "keys that do nothing",
			text: "---\nhooks:\n  turn_end:\n    handler: swap_context\n    params: {max: 4000, once: true}\n" +
				"    order: 1\ndefaults: {who: you}\narguments: {who: {default: me}}\n" +
				"allowed_tools: []\nallowed_commands: [ls]\n---\n",
			want: recipes.Recipe{
				Hooks: map[string]recipes.Hook{"turn_end": {Handler: "swap_context"}}, AllowedTools: []string{},
				AllowedCommands: []string{"ls"}, Arguments: map[string]recipes.Argument{"who": {"", ptr("me")}},
				Notes: []recipes.Note{
					{5, "hooks.turn_end.params", `the key "hooks.turn_end.params" has no effect: handlers take no parameters`, false},
					{6, "hooks.turn_end.order", `unknown key "hooks.turn_end.order"; the known keys are handler, once`, false},
					{7, "defaults.who", `the key "defaults.who" has no effect: arguments has another default, which counts`, false},
					{10, "allowed_commands", `the key "allowed_commands" has no effect: allowed_tools allows no tool that ` +
						`could run one`, false}},
			},
		},
		{name: "one key alone, quoted", text: "---\n\"name \": x\n---\n", want: recipes.Recipe{Notes: []recipes.Note{
			{2, "name ", `unknown key "name "; did you mean "name"?`, false}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := recipes.Parse("r", "r.md", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			test.want.Name, test.want.Path = "r", "r.md"
			if diff := cmp.Diff(test.want, *got, cmpopts.IgnoreUnexported(recipes.Recipe{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (got.AllowedTools == nil) != (test.want.AllowedTools == nil) {
				t.Errorf("AllowedTools = %#v, want %#v", got.AllowedTools, test.want.AllowedTools)
			}
		})
	}
}

// stairs are maps in maps, each in a line that is indented by one more.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestWhatCannotBeReadNamesFileAndLine(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no end", "---\nname: x\n", `r.md:1: the front matter has no end; put a line "---" after it`},
		{"broken YAML", "---\nname: x\nallowed_tools: [a\n---\n", "r.md:3: "},
		{"a wrong type", "---\nname: x\nhooks: 3\n---\n", "r.md:3: "},
		{"a list for a text", "---\nname: [x]\n---\n", "r.md:2: a value must be a string, is an array"},
		{"a number for a truth", "---\nhooks: {turn_end: {once: 7}}\n---\n",
			"r.md:2: a value must be a boolean, is an integer"},
		{"a wrong list", "---\nallowed_tools: {a: b}\n---\n", "r.md:2: want a list of strings, or a string with commas"},
		{"a tag without a value", "---\nallowed_tools: !x #y\n---\n", "r.md: the front matter is not valid YAML"},
		{"a map for a list, in lines", "---\nname: x\nallowed_tools:\n  a: b\n---\n", "r.md:4: want a list of strings"},
		{"a list as a default", "---\narguments: {a: {default: [1]}}\n---\n",
			"r.md:2: want a string, a number, true or false"},
		{"200 KB of brackets", "---\na: " + strings.Repeat("[", 200<<10) + "\n---\n",
			"r.md:1: the front matter is larger than 64 KiB"},
		{"60 KB of brackets", "---\na: " + strings.Repeat("[", 60<<10) + "\n---\n",
			"r.md:2: lists and maps are nested more than 50 deep"},
		{"brackets of both kinds over lines", "---\na: " + strings.Repeat("[\n{a: ", 1000) + "\n---\n",
			"lists and maps are nested more than 50 deep"},
		{"lists in one line", "---\na:\n " + strings.Repeat("- ", 20<<10) + "\n---\n",
			"r.md:3: lists and maps are nested more than 50 deep"},
		{"keys in one line", "---\n" + strings.Repeat("? ", 20<<10) + "\n---\n",
			"r.md:2: lists and maps are nested more than 50 deep"},
		{"tags in one line", "---\na: " + strings.Repeat("!!a ", 10<<10) + "\n---\n",
			"r.md:2: lists and maps are nested more than 50 deep"},
		{"stairs", "---\n" + stairs(300) + "---\n", "a line is indented by more than 100"},
		{"aliases of aliases", "---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n",
			"r.md:2: chibi reads no anchors and aliases (& and *); put texts that begin so in quotes"},
		{"very many actions", strings.Repeat("{{if .x}}", 100_000), "r.md: its body has more than 10000 actions ({{...}})"},
		{"a broken body", "{{.x", "r.md: its body: r:1: unclosed action"},
		{"an unknown function", `{{shell "x"}}`, `function "shell" not defined`},
		{"not UTF-8", "\xff", "r.md: it is not UTF-8"},
		{"too large", strings.Repeat("x", 2<<20), "r.md: it is larger than 1 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := recipes.Parse("r", "r.md", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// runs is a Runner that prints what it is asked to run.
func runs(_ context.Context, command string, args ...string) (string, error) {
	if command == "fails" {
		return "", errors.New("no such program")
	}
	return fmt.Sprintf("ran %s %q\n\n", command, args), nil
}

func TestRender(t *testing.T) {
	const head = "---\narguments: {base: {default: main}, who: {}}\n---\n"
	for _, test := range []struct {
		name, body, want string
		args             map[string]string
	}{
		{"a default", "from {{.base}}", "from main", nil},
		{"an argument", "from {{.base}}", "from dev", map[string]string{"base": "dev"}},
		{"a missing argument is empty", "[{{.who}}]", "[]", nil},
		{"the function default", `{{default .who "nobody"}} {{default .base "x"}}`, "nobody main", nil},
		{"an argument that only the body names", "{{.topic}}", "x", map[string]string{"topic": "x"}},
		{"a command without a shell", `{{bash "git" "log" "$HOME; rm" .base}}.`, `ran git ["log" "$HOME; rm" "main"].`, nil},
		{"a condition", "{{if .who}}yes{{else}}no{{end}}", "no", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := recipes.Parse("r", "r.md", []byte(head+test.body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Render(t.Context(), test.args, runs)
			if got != test.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestRenderErrors(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		args             map[string]string
	}{
		{"an unknown argument", "---\narguments: {base: {}}\n---\nx", `r.md: it has no argument "bse"; it has: base`,
			map[string]string{"bse": "x"}},
		{"a command that cannot run", `{{bash "fails" "x"}}`, `r.md: bash "fails x": no such program`, nil},
		{"endless recursion", `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, "r.md: its body", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := recipes.Parse("r", "r.md", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Render(t.Context(), test.args, runs); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestRunsCommands(t *testing.T) {
	for body, want := range map[string]bool{
		"plain": false, "{{.bash}}": false, `bash "x"`: false, `{{bash "x"}}`: true,
		`{{if .x}}{{else}}{{$y := bash "x"}}{{end}}`: true,
		`{{default (bash "x") "y"}}`:                 true, `{{define "a"}}{{bash "x"}}{{end}}`: true,
		`{{range .x}}{{with (bash "x")}}{{end}}{{end}}`: true,
	} {
		r, err := recipes.Parse("r", "", []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.RunsCommands() != want {
			t.Errorf("%s: %v", body, !want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheFirstDirectoryWins(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	write(t, project+"/review.md", "project's")
	write(t, own+"/review.md", "own")
	write(t, own+"/github/pr.md", "pull request")
	write(t, own+"/plain", "without .md")
	l := &recipes.Library{Dirs: []recipes.Dir{{Path: project}, {Path: own}, {Path: own + "/missing"}}}
	for name, want := range map[string]string{"review": "project's", "github/pr": "pull request", "plain": "without .md"} {
		if r, err := l.Find(name); err != nil || r.Body != want {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := l.Find("compact"); err != nil || r.Path != "" || !strings.Contains(r.Body, "Summarize") {
		t.Errorf("compact: %+v, %v", r, err)
	}
	if _, err := l.Find("nothing"); !errors.Is(err, recipes.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
	var listed []string
	for _, r := range l.List() {
		listed = append(listed, r.Name+" "+r.Path)
	}
	want := []string{"compact ", "github/pr " + own + "/github/pr.md", "review " + project + "/review.md",
		"review " + own + "/review.md"}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

func TestNamesDoNotLeadOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/secret.md", "secret")
	write(t, dir+"/recipes/.hidden.md", "hidden")
	l := &recipes.Library{Dirs: []recipes.Dir{{Path: dir + "/recipes"}}}
	for _, name := range []string{"../secret", "/etc/passwd", "", ".", ".hidden", "a/../../secret", "a\\b", "a\x00b"} {
		if r, err := l.Find(name); err == nil {
			t.Errorf("%q found %+v", name, r)
		}
	}
}

func TestCommandsOfFilesThatWereNotApprovedDoNotRun(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	write(t, project+"/review.md", `{{bash "ls"}}`)
	write(t, project+"/compact.md", "do as I say")
	write(t, own+"/review.md", "own")
	check := func(string, []byte, fs.FileMode) error { return trust.ErrUntrusted }
	l := &recipes.Library{Dirs: []recipes.Dir{{Path: project, Check: check}, {Path: own}}}
	write(t, project+"/list.md", `{{bash "ls"}}`)
	r, err := l.Find("list")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Render(t.Context(), nil, runs); !errors.Is(err, trust.ErrUntrusted) {
		t.Errorf("error = %v", err)
	}
	for _, name := range []string{"review", "compact"} {
		r, err := l.Find(name)
		want := []recipes.Note{{Text: project + "/" + name + ".md is not approved, so this one is used; see chibi trust"}}
		if err != nil || r.Approved() != nil || !slices.Equal(r.Notes, want) {
			t.Errorf("a person found %+v, %v", r, err)
		}
	}
	if r, err := l.FindApproved("review"); err != nil || r.Body != "own" {
		t.Errorf("a program found %+v, %v", r, err)
	}
	if r, err := l.FindApproved("compact"); err != nil || r.Path != "" {
		t.Errorf("a program found %+v, %v", r, err)
	}
}

// TestWhatIsParsedIsWhatWasApproved: another process puts a changed recipe in the
// place of one that was just judged.
func TestWhatIsParsedIsWhatWasApproved(t *testing.T) {
	dir := t.TempDir()
	const evil = `{{bash "evil"}}`
	for first, then := range map[string]string{"approved": evil, evil: "approved"} {
		write(t, dir+"/r.md", first)
		check := func(_ string, text []byte, _ fs.FileMode) error {
			write(t, dir+"/r.md", then)
			if string(text) != "approved" {
				return trust.ErrUntrusted
			}
			return nil
		}
		l := &recipes.Library{Dirs: []recipes.Dir{{Path: dir, Check: check}}}
		r, err := l.Find("r")
		if err != nil {
			t.Fatal(err)
		}
		if r.Body != first || (r.Approved() == nil) != (first == "approved") {
			t.Errorf("%q was read: body %q, approved: %v", first, r.Body, r.Approved())
		}
	}
}

func TestATextTakesThePlaceOfABuiltinBody(t *testing.T) {
	path := t.TempDir() + "/compaction.md"
	l := &recipes.Library{Texts: map[string]string{"compact": path}}
	if r, err := l.Find("compact"); err != nil || r.Path != "" {
		t.Errorf("without the file: %+v, %v", r, err)
	}
	write(t, path, "Keep {{everything}}.")
	r, err := l.Find("compact")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Render(t.Context(), nil, nil); got != "Keep {{everything}}." || err != nil {
		t.Errorf("rendered %q, %v", got, err)
	}
	if r.Hooks["turn_end"].Handler != "swap_context" {
		t.Errorf("its hooks are gone: %+v", r.Hooks)
	}
}

// turn fires post_turn at the plugins of a recipe.
func turn(t *testing.T, plugins []plugin.Plugin, info hookpoints.PostTurnPayload) hookpoints.PostTurnAnswer {
	t.Helper()
	answer, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: plugins}, hookpoints.PostTurn, info)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func pluginsOf(t *testing.T, text string) []plugin.Plugin {
	t.Helper()
	r, err := recipes.Parse("r", "r.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plugins, err := r.Plugins(recipes.Handlers(0.8))
	if err != nil {
		t.Fatal(err)
	}
	return plugins
}

func TestSwapContext(t *testing.T) {
	once := pluginsOf(t, "---\nhooks: {turn_end: {handler: swap_context, once: true}}\n---\n")
	calls := hookpoints.PostTurnPayload{InRecipe: hookpoints.InRecipe{Recipe: "r"},
		Response: "I look", ToolsUsed: []string{"a"}}
	text := hookpoints.PostTurnPayload{InRecipe: hookpoints.InRecipe{Recipe: "r"}, Response: "the summary"}
	if a := turn(t, once, calls); a.Messages != nil {
		t.Errorf("it swapped after a response with calls: %+v", a)
	}
	if a := turn(t, once, hookpoints.PostTurnPayload{InRecipe: hookpoints.InRecipe{Recipe: "r"},
		Response: " "}); a.Messages != nil {
		t.Errorf("it swapped to nothing: %+v", a)
	}
	if a := turn(t, once, hookpoints.PostTurnPayload{Response: "an answer to mail"}); a.Messages != nil {
		t.Errorf("it swapped what is no answer to the recipe: %+v", a)
	}
	want := []hookpoints.ChatMessage{{Role: "user", Content: "the summary"}}
	if diff := cmp.Diff(want, turn(t, once, text).Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if a := turn(t, once, text); a.Messages != nil {
		t.Errorf("it swapped a second time: %+v", a)
	}
	always := pluginsOf(t, "---\nhooks: {turn_end: {handler: swap_context}}\n---\n")
	for range 2 {
		if a := turn(t, always, text); a.Messages == nil {
			t.Error("it did not swap")
		}
	}
	if p := once[0]; p.Name != "recipe:r:swap_context" || p.Events["post_turn"] != "turn_end" {
		t.Errorf("plugin = %+v", p)
	}
}

func TestCompactAt(t *testing.T) {
	full := hookpoints.Usage{CurrentContextWindow: 80, MaxContextWindow: 100}
	for _, test := range []struct {
		name string
		turn hookpoints.PostTurnPayload
		want string
	}{
		{"full, and the turn goes on", hookpoints.PostTurnPayload{ToolsUsed: []string{"a"}, Usage: full}, "compact"},
		{"full, and the turn is over", hookpoints.PostTurnPayload{Usage: full}, ""},
		{"not full", hookpoints.PostTurnPayload{ToolsUsed: []string{"a"},
			Usage: hookpoints.Usage{CurrentContextWindow: 79, MaxContextWindow: 100}}, ""},
		{"no limit is known", hookpoints.PostTurnPayload{ToolsUsed: []string{"a"},
			Usage: hookpoints.Usage{CurrentContextWindow: 80}}, ""},
		{"in a recipe beside the conversation", hookpoints.PostTurnPayload{ToolsUsed: []string{"a"},
			Usage: full, InRecipe: hookpoints.InRecipe{Nesting: hookpoints.Nesting{Nested: true}}}, ""},
		{"in the recipe itself", hookpoints.PostTurnPayload{ToolsUsed: []string{"a"}, Usage: full,
			InRecipe: hookpoints.InRecipe{Recipe: "compact"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			plugins := pluginsOf(t, "---\nhooks: {after_turn: {handler: compact}}\n---\n")
			if got := turn(t, plugins, test.turn).Recipe; got != test.want {
				t.Errorf("recipe %q", got)
			}
		})
	}
}

func TestUnknownHandlersAndEventsAreErrors(t *testing.T) {
	for hooks, want := range map[string]string{
		"{turn_end: {handler: swap}}": `r.md: hooks: there is no handler "swap" for turn_end; there are ` +
			`compact, swap_context`,
		"{turn: {handler: swap_context}}": `r.md: hooks: there is no event "turn"; handlers exist for turn_end, ` +
			`after_turn and agent_stop`,
		"{agent_stop: {handler: swap_context}}":  `r.md: hooks: the handler "swap_context" is not for agent_stop`,
		"{before_tool_call: {handler: compact}}": `r.md: hooks: the handler "compact" is not for before_tool_call`,
	} {
		r, err := recipes.Parse("r", "r.md", []byte("---\nhooks: "+hooks+"\n---\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Plugins(recipes.Handlers(0.8)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", hooks, err, want)
		}
	}
}

// FuzzParse holds that no text breaks the reader, and that a recipe that was
// read can be rendered or says why not.
func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: x\nallowed_tools: a, b\nhooks: {turn_end: {handler: swap_context, once: " +
		"true}}\n---\n{{.x}} {{bash \"ls\"}}"))
	f.Add([]byte("---\na: &a [1]\nb: *a\narguments: {x: {default: 1.5}}\n---\n{{default .x \"y\"}}"))
	f.Add([]byte("---\r\n---"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		r, err := recipes.Parse("r", "r.md", text)
		if err != nil {
			return
		}
		r.Render(t.Context(), nil, runs)
		r.RunsCommands()
		r.Plugins(recipes.Handlers(0.8))
	})
}

// A recipe in a file of one's own, with an argument.
func ExampleLibrary() {
	dir, err := os.MkdirTemp("", "recipes")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	text := "---\ndescription: Greet somebody\narguments: {who: {default: world}}\n---\nSay hello to {{.who}}.\n"
	os.WriteFile(filepath.Join(dir, "greet.md"), []byte(text), 0o644)

	library := &recipes.Library{Dirs: []recipes.Dir{{Path: dir}}}
	recipe, err := library.Find("greet")
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt, err := recipe.Render(context.Background(), map[string]string{"who": "Ada"}, nil)
	fmt.Println(prompt, err)
	// Output: Say hello to Ada. <nil>
}

func TestSpecialFilesAreNoRecipes(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Symlink("/dev/zero", dir+"/zero.md"), systest.Mkfifo(dir+"/pipe.md")); err != nil {
		t.Skip(err)
	}
	l := &recipes.Library{Dirs: []recipes.Dir{{Path: dir}}}
	if files := recipes.Files(dir); len(files) != 0 || len(l.List()) != 1 {
		t.Errorf("files %q, listed %+v", files, l.List())
	}
	for _, name := range []string{"zero", "pipe"} {
		if _, err := l.Find(name); !errors.Is(err, recipes.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKnown(t *testing.T) {
	r, err := recipes.Parse("r", "", []byte("---\narguments: {base: {}}\n---\nsome text {{.topic}} {{index . "+
		"\"my-arg\"}}"))
	if err != nil {
		t.Fatal(err)
	}
	known, unknown := r.Known(map[string]string{"base": "1", "topic": "2", "my-arg": "3", "text": "4", "e": "5"})
	if len(known) != 3 || !slices.Equal(unknown, []string{"e", "text"}) {
		t.Errorf("known %v, unknown %q", known, unknown)
	}
}
