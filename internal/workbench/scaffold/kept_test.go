package scaffold_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// TestAKeptProcessAnswersLikeOneThatIsStarted: 100 events of three contexts, with CHIBI_TEST_ALL=1 ten
// times as many, come in random order to one process, as to one that is kept between runs, and to a
// process that is started for each. They answer with what they see: all variables, and what they were
// asked. No answer differs, but that only shells pass the data on in a variable too.
func TestAKeptProcessAnswersLikeOneThatIsStarted(t *testing.T) {
	events := 100
	if systest.All() {
		events = 1000
	}
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			skipWithout(t, lang)
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			draw := rand.New(rand.NewPCG(seed, 0))
			dir, env := mirror(t, lang)
			kept, started := &resident.Group{}, (*resident.Group)(nil)
			defer kept.Close()
			keeps, starts := runs(t, dir, env, kept), runs(t, dir, env, started)
			answers := map[event]seen{} // of processes that are started: for the same event they are the same
			for i := range events {
				e := drawn(draw)
				got, how := e.ask(t, keeps[e.context])
				if how != "resident" && (i > 0 || how != "resident, started for it") {
					t.Fatalf("event %d was asked so: %q", i, how)
				}
				if _, isKnown := answers[e]; !isKnown {
					answers[e], _ = e.ask(t, starts[e.context])
				}
				if lang != "sh" && lang != "bash" {
					delete(answers[e].Variables, "CHIBI_HOOK_DATA")
					delete(answers[e].Variables, "CHIBI_TOOL_ARGS")
				}
				if diff := cmp.Diff(answers[e], got); diff != "" {
					t.Fatalf("event %d, %s (-started +kept):\n%.4000s", i, e, diff)
				}
			}
		})
	}
}

// odd has what has a meaning in JSON or for a shell, and characters of one to four bytes.
const odd = "it's \"$(x)\" `y` $HOME \\n\\\\ \x01\x7f\t\r\n\u00fc\u2028\u4e16\U0001f600 };\"meta\":{\"A\":\"}," +
	"\"point\":\"\n"

// runs loads a plugin for a run in each of three contexts, one of them with -v. In a group, one
// process stays for all of them.
func runs(t *testing.T, dir string, env []string, group *resident.Group) map[string]*plugin.Plugin {
	t.Helper()
	all := map[string]*plugin.Plugin{}
	for _, context := range []string{"", "work", odd} {
		loaded, err := native.Load(t.Context(), native.Options{Dir: dir, Home: "/home/of " + odd, Context: context,
			Verbose: context == "work", Residents: group, Runner: process.Runner{Env: env}, ProbeTimeout: 3 * time.Minute,
			HookTimeout: 3 * time.Minute, ToolTimeout: 3 * time.Minute})
		if err != nil || len(loaded.Plugins) != 1 || !loaded.Plugins[0].Resident || !loaded.Plugins[0].Transcript {
			t.Fatalf("loaded %+v, %v", loaded, err)
		}
		all[context] = &loaded.Plugins[0]
	}
	return all
}

// event is an event or a call of a tool.
type event struct {
	context string
	id      plugin.Identity
	point   hookpoints.Name // "": it is a call
	text    string
}

func (e event) String() string {
	return fmt.Sprintf("%q in %q, of %q, %q, %q: %.100q", e.point, e.context, e.id.Session, e.id.Prompt, e.id.Transcript,
		e.text)
}

// drawn returns a random event.
func drawn(draw *rand.Rand) event {
	among := func(list ...string) string { return list[draw.IntN(len(list))] }
	e := event{context: among("", "work", odd), text: among("", "hello", odd)}
	e.point = hookpoints.Name(among("", string(hookpoints.PreMessage.Name), string(hookpoints.PreToolOutput.Name)))
	e.id = []plugin.Identity{{}, {Session: "s"}, {Session: odd, Prompt: "p"},
		{Session: "s", Prompt: odd, Transcript: "/t"}}[draw.IntN(4)]
	if draw.IntN(50) == 0 { // around what fits into a variable, in bytes and in characters
		e.text = strings.Repeat(among("x", "\u00fc"), 64_000+draw.IntN(2)*70_000)
	}
	return e
}

// seen is what a plugin sees of an event: its variables and its data. After is what else it says.
type seen struct {
	Variables map[string]string
	Data      any
	After     string
}

// ask asks a plugin and returns what it sees, and how it was asked.
func (e event) ask(t *testing.T, p *plugin.Plugin) (s seen, how string) {
	t.Helper()
	ctx := plugin.WithIdentity(t.Context(), func() plugin.Identity { return e.id })
	var said string
	if e.point == "" {
		arguments, err := strictjson.Encode(map[string]string{"text": e.text})
		result, failed := p.Tools[0].Call(ctx, tools.Call{Arguments: arguments})
		if err != nil || failed != nil || result.Failed {
			t.Fatalf("%s: %.999q, %v, %v", e, result.Failure, err, failed)
		}
		said, how = result.Text, result.How
	} else {
		info, _ := hookpoints.Find(e.point)
		payload, err := strictjson.Encode(map[string]string{"prompt": e.text, "output": e.text})
		var r plugin.Record
		host := &plugin.Host{Plugins: []plugin.Plugin{*p}, Trace: func(got plugin.Record) { r = got }}
		_, failed := plugin.FireJSON(ctx, host, info, payload)
		var answer struct{ Context string }
		if err != nil || failed != nil || json.Unmarshal(r.Answer, &answer) != nil {
			t.Fatalf("%s: %s %s %.999q, %v, %v", e, r.Result, r.Why, r.Notes, err, failed)
		}
		said, how = answer.Context, r.How
	}
	if err := s.read(said); err != nil {
		t.Fatalf("%s: %.999q, %v", e, said, err)
	}
	return s, how
}

// read reads what a plugin said: JSON, or in a shell, the output of env -0 in hexadecimal digits.
func (s *seen) read(said string) error {
	if list, rest, isShell := strings.Cut(said, "."); isShell && said[0] != '[' {
		environment, err := hex.DecodeString(list)
		s.Variables, s.After = map[string]string{}, rest
		for pair := range strings.SplitSeq(string(environment), "\x00") {
			name, value, _ := strings.Cut(pair, "=")
			s.Variables[name] = value
		}
		return err
	}
	in := json.NewDecoder(strings.NewReader(said))
	err := in.Decode(&[]any{&s.Variables, &s.Data})
	s.After = said[in.InputOffset():]
	return err
}

// mirror writes a plugin that answers with what it sees, made of the one that chibi plugin new
// writes, and returns its directory and an environment: that within a plugin of an outer run.
func mirror(t *testing.T, lang string) (dir string, env []string) {
	t.Helper()
	plan := scaffold.Plan{Name: "mirror", Lang: lang, Tool: true, Resident: true,
		Hooks: []hookpoints.Info{hookpoints.PreMessage.Info(), hookpoints.PreToolOutput.Info()}}
	const digits = `od -An -v -tx1 | tr -d ' \n'`
	shell := []string{
		`  payload=$(cat)`, `  printf '{"context":"%s.%s"}' "$(env -0 | ` + digits + `)" "$(` + digits + `)"`,
		`  arguments=$(cat)`, `  env -0 | ` + digits,
		`  echo "mirror was called with $arguments"`, `  printf .%s "$CHIBI_CONTEXT"; cat`,
		`"resident": true`, `"resident": true, "transcript": true`,
	}
	changes := map[string][]string{
		"sh": shell, "bash": shell,
		"python": {"    return {}\n", "    return {\"context\": json.dumps([dict(os.environ), payload])}\n",
			`"resident": True,`, `"resident": True, "transcript": True,`,
			`return "mirror was called with " + json.dumps(arguments)`, `return json.dumps([dict(os.environ), arguments])`},
		"node": {"return {};", "return { context: JSON.stringify([process.env, payload]) };", "resident: true,",
			"resident: true, transcript: true,", `return "mirror was called with " + JSON.stringify(args);`,
			"return JSON.stringify([process.env, args]);"},
		"go": {"\treturn object{}\n}\n", "\treturn object{\"context\": seen(payload)}\n}\n" + `
func seen(data object) string {
	variables := object{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = value
	}
	text, _ := json.Marshal([]any{variables, data})
	return string(text)
}
`, "\t\"os\"\n", "\t\"os\"\n\t\"strings\"\n", `return fmt.Sprint("mirror was called with ", arguments, "\n")`,
			"return seen(arguments)", `"resident": true`, `"resident": true, "transcript": true`},
	}[lang]
	files, err := plan.Files()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	all := ""
	for _, f := range files {
		all += f.Text
		path := filepath.Join(dir, f.Path)
		text := strings.NewReplacer(changes...).Replace(f.Text)
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), f.Mode) != nil {
			t.Fatal(path)
		}
	}
	for old := range slices.Chunk(changes, 2) {
		if !strings.Contains(all, old[0]) {
			t.Errorf("what chibi plugin new writes has no %q", old[0])
		}
	}
	return dir, outer(t)
}

// outer returns the environment within a plugin of an outer run, for programs that build.
func outer(t *testing.T) []string {
	t.Helper()
	set := map[string]string{"GOFLAGS": "-mod=mod", "GOCACHE": gocache(t), "XDG_CACHE_HOME": t.TempDir(),
		"LC_ALL": "C.UTF-8", "EMPTY": "", "data": "the person's", "name": "the person's"}
	for _, name := range []string{"HOME", "CONTEXT", "VERBOSE", "SESSION_ID", "PROMPT_ID", "TRANSCRIPT_PATH", "HOOK",
		"HOOK_DATA", "TOOL_NAME", "TOOL_ARGS"} {
		set["CHIBI_"+name] = "that of the outer run"
	}
	env := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, fmt.Sprintf("%s=%s", name, set[name]))
	}
	return env
}

// gocache returns where compiled packages are.
func gocache(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

// skipWithout skips a test of plugins in a language whose interpreter is not installed.
func skipWithout(t *testing.T, lang string) {
	t.Helper()
	program, needed := map[string]string{"node": "node", "bash": "bash", "python": "python3"}[lang]
	if _, err := exec.LookPath(program); needed && err != nil {
		t.Skip(err)
	}
}

// TestALargeCallDoesNotPassAKeptShellThatLooksAtAVariable: it is too large for CHIBI_HOOK_DATA, so a
// guard that reads nothing else must not pass for one without an opinion.
func TestALargeCallDoesNotPassAKeptShellThatLooksAtAVariable(t *testing.T) {
	t.Parallel()
	call := func(size int) string { return `{"command":"rm -rf /` + strings.Repeat("x", size) + `"}` }
	const unseen = "could not see this call"
	for answer, want := range map[string][3]string{
		`case $CHIBI_HOOK_DATA in *"rm -rf"*) echo '{"block":true,"message":"no"}' ;; esac`: {"no", "no", unseen},
		`grep -q "rm -rf" && echo '{"block":true,"message":"no"}'`:                          {"no", "no", "no"},
		`echo '{"block":true,"message":"frozen"}'`:                                          {"frozen", "frozen", "frozen"},
		`cat > /dev/null`: {},
	} {
		for _, shell := range []string{"sh", "bash"} {
			for _, group := range []*resident.Group{nil, {}} {
				option := map[string]string{"bash": "set -o pipefail\n"}[shell] // what is not read fails to be written
				host := guard(t, shell, option+"answer() { "+answer+"\n}", group)
				for i, arguments := range []string{call(1), call(100_000), call(200_000)} {
					verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
						hookpoints.PreToolPayload{ToolName: "t", Arguments: []byte(arguments)})
					if err != nil || verdict.Block != (want[i] != "") || !strings.Contains(verdict.Message, want[i]) {
						t.Errorf("%s, kept: %v, %s, %d bytes: %+v, %v, want %q", shell, group != nil, answer, len(arguments),
							verdict, err, want[i])
					}
				}
			}
		}
	}
}

// guard loads a resident plugin in a shell, of which the script is a part.
func guard(t *testing.T, shell, part string, group *resident.Group) *plugin.Host {
	t.Helper()
	helper, err := scaffold.Helper("serve.sh")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/usr/bin/env " + shell + "\n[ \"$1\" = --schema ] && { echo " +
		`'{"name":"p","tool":false,"hooks":["pre_tool"],"resident":true}'` + "; exit; }\n" + part + "\n" + helper + "\n" +
		`case "$1" in --resident) serve ;; *) answer; exit 0 ;; esac` + "\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	loaded, err := native.Load(t.Context(), native.Options{Dir: dir, Home: dir, Residents: group,
		ProbeTimeout: time.Minute, HookTimeout: time.Minute})
	if err != nil || len(loaded.Plugins) != 1 {
		t.Fatalf("loaded %+v, %v", loaded, err)
	}
	if group != nil {
		t.Cleanup(func() { group.Close() })
	}
	return &plugin.Host{Plugins: loaded.Plugins}
}

// TestAKeptShellBlocksLikeOneThatIsStarted: what it prints means the same, and so does its exit status.
func TestAKeptShellBlocksLikeOneThatIsStarted(t *testing.T) {
	t.Parallel()
	const no = `{"block":true,"message":"no"}`
	for answer, blocks := range map[string]bool{
		`cat > /dev/null; printf '\357\273\277%s' '` + no + `'`:             true,
		`cat > /dev/null; printf '{"block":true,\r\n\n"message":"no"}'`:     true,
		`cat > /dev/null; printf '{"block":true,"message":"no\nJSON"}'`:     false,
		`cat > /dev/null; printf ' \r\n\t\n'`:                               false,
		`cat > /dev/null; echo '` + no + `'; exit 75`:                       false,
		`cat > /dev/null; echo '` + no + `'; exit 76`:                       false,
		`cat > /dev/null; exit 75`:                                          false,
		`[ ${CHIBI_HOOK_DATA+x} ] || exit 1 # and reads nothing`:            false,
		`[ ${CHIBI_HOOK_DATA+x} ] || { echo '{"context":"c"}'; exit 75; } `: false,
	} {
		for _, shell := range []string{"sh", "bash"} {
			for _, size := range []int{1, 200_000} {
				arguments := []byte(`{"x":"` + strings.Repeat("x", size) + `"}`)
				for _, group := range []*resident.Group{nil, {}} {
					host := guard(t, shell, "answer() { "+answer+"\n}", group)
					verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
						hookpoints.PreToolPayload{ToolName: "t", Arguments: arguments})
					isUnread := size > 1 && strings.HasPrefix(answer, "[")
					if err != nil || verdict.Block != (blocks || isUnread) {
						t.Errorf("%s, kept: %v, %s, %d bytes: %+v, %v", shell, group != nil, answer, size, verdict, err)
					}
				}
			}
		}
	}
}

// TestAKeptPythonReadsRequestsInTheEncodingOfItsInput, as one that is started reads the payload.
func TestAKeptPythonReadsRequestsInTheEncodingOfItsInput(t *testing.T) {
	skipWithout(t, "python")
	helper, err := scaffold.Helper("serve.py")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("python3", "-c", "import json, os, sys\n"+helper+"\nserve(lambda point, payload: len(payload))")
	c.Env = append(os.Environ(), "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0", "PYTHONIOENCODING=utf-8")
	c.Stdin = strings.NewReader(`{"id":1,"method":"hook","params":{"meta":{},"point":"pre_tool","payload":"äöü"}}` + "\n")
	out, err := c.CombinedOutput()
	if want := `{"jsonrpc": "2.0", "id": 1, "result": 3}` + "\n"; string(out) != want || err != nil {
		t.Errorf("%s, %v", out, err)
	}
}
