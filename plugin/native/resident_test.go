//go:build unix

package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// stayingPlugin is a loaded resident plugin with its session, what the person was told and
// how it was asked. The plugin logs what it does.
type stayingPlugin struct {
	t     *testing.T
	log   string
	group *resident.Group
	host  *plugin.Host
	tool  tools.Tool
	life  *os.File // see watch

	mu      sync.Mutex
	notices []string
	how     []string
}

// residentScript is a plugin in sh. BODY answers the request with the id $id in $line; it
// may say reply JSON. Run in the ordinary way, the plugin blocks, or prints "ordinary".
const residentScript = `#!/bin/sh
log() { echo "$*" >> 'LOG'; }
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
case "$1" in
--schema) echo '{"name":"p","hooks":["pre_tool","post_tool"],"resident":true MORE}' ;;
--resident)
	exec 9> 'LOG.life'
	log "started $$"
	n=0
	while read -r line; do
		n=$((n+1)); id=${line#*'"id":'}; id=${id%%,*}
		case "$line" in *'"method":"tool"'*) log tool ;; *) log hook ;; esac
		BODY
	done
	log closed ;;
*)
	log ordinary
	if [ -n "$CHIBI_HOOK" ]; then echo '{"block":true,"message":"ordinary"}'; else echo ordinary; fi ;;
esac
`

// loadResident loads a resident plugin with more members of its schema.
func loadResident(t *testing.T, more, body string, opts ...func(*native.Options)) *stayingPlugin {
	t.Helper()
	p := &stayingPlugin{t: t, log: filepath.Join(t.TempDir(), "log"), group: &resident.Group{}}
	if os.Getenv(throughKeeper) != "" {
		p.group.Keeper = lender(t)
	}
	p.group.Notify = func(n plugin.Notice) { p.note(n.String()) }
	t.Cleanup(func() { p.group.Close() })
	script := strings.ReplaceAll(strings.Replace(residentScript, "BODY", body, 1), "LOG", p.log)
	script = strings.Replace(script, "MORE", more, 1)
	p.watch()
	o := native.Options{Residents: p.group, Home: "/home/of/chibi", Context: "work"}
	o.Runner.Grace = 100 * time.Millisecond
	for _, change := range opts {
		change(&o)
	}
	loaded := newPluginDir(t).file("p", script, 0o755).load(o)
	if len(loaded.Plugins) != 1 {
		t.Fatalf("left out: %+v", loaded.Skipped)
	}
	p.host = &plugin.Host{Plugins: loaded.Plugins,
		Notify: func(n plugin.Notice) { p.note(n.String()) },
		Trace:  func(r plugin.Record) { p.how = append(p.how, r.How) }}
	if len(loaded.Plugins[0].Tools) > 0 {
		p.tool = loaded.Plugins[0].Tools[0]
	}
	return p
}

func (p *stayingPlugin) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(p.notices, text)
}

// told returns what the person was told.
func (p *stayingPlugin) told() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.notices)
}

// did returns what the plugin logged, without process ids.
func (p *stayingPlugin) did() (lines []string) {
	data, _ := os.ReadFile(p.log)
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		word, _, _ := strings.Cut(line, " ")
		lines = append(lines, word)
	}
	return lines
}

// fire asks before a tool runs.
func (p *stayingPlugin) fire(arguments string) hookpoints.PreToolAnswer {
	p.t.Helper()
	verdict, err := plugin.Fire(p.t.Context(), p.host, hookpoints.PreTool,
		hookpoints.PreToolPayload{ToolName: "shell", Arguments: json.RawMessage(arguments)})
	if err != nil {
		p.t.Fatal(err)
	}
	return verdict
}

// call calls the tool.
func (p *stayingPlugin) call(ctx context.Context) (tools.Result, error) {
	p.t.Helper()
	return p.tool.Call(ctx, tools.Call{Arguments: json.RawMessage(`{"text":"hello"}`)})
}

// sees compares what the plugin did with what it should have done.
func (p *stayingPlugin) sees(want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.did()); diff != "" {
		p.t.Errorf("the plugin did (-want +got):\n%s", diff)
	}
}

// watch makes a pipe that each process of the plugin holds open.
func (p *stayingPlugin) watch() {
	p.t.Helper()
	if err := syscall.Mkfifo(p.log+".life", 0o600); err != nil {
		p.t.Fatal(err)
	}
	var err error
	if p.life, err = os.OpenFile(p.log+".life", os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.life.Close() })
}

// allEnded closes the group and holds that no process is left, nor a child of one.
func (p *stayingPlugin) allEnded() {
	p.t.Helper()
	p.group.Close()
	p.life.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := p.life.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		p.t.Errorf("a process is left: %v", err)
	}
}

func TestAResidentIsStartedOnceAndEndsWithTheSession(t *testing.T) {
	p := loadResident(t, "", `case "$line" in
		*'"method":"tool"'*) reply '{"output":"done","exit_code":0}' ;;
		*rm*) reply '{"block":true,"message":"no"}' ;;
		*) reply null ;;
		esac`)
	if verdict := p.fire(`{"command":"rm"}`); verdict.Message != "no" {
		t.Errorf("verdict = %+v", verdict)
	}
	if verdict := p.fire(`{"command":"ls"}`); verdict.Block {
		t.Errorf("verdict = %+v", verdict)
	}
	result, err := p.call(t.Context())
	if result.Text != "done" || result.Failed || err != nil || result.How != "resident" {
		t.Errorf("result = %+v, %v", result, err)
	}
	p.sees("started", "hook", "hook", "tool")
	p.allEnded()
	p.sees("started", "hook", "hook", "tool", "closed")
	if diff := cmp.Diff([]string{"resident, started for it", "resident"}, p.how); diff != "" || len(p.told()) > 0 {
		t.Errorf("how (-want +got):\n%s\ntold: %q", diff, p.told())
	}
}

func TestNothingIsStartedWithoutAnEvent(t *testing.T) {
	p := loadResident(t, "", "reply null")
	p.group.Close()
	if _, err := os.Stat(p.log); err == nil {
		t.Errorf("the plugin did %q", p.did())
	}
}

func TestWithoutAKeeperOfProcessesAResidentIsAnOrdinaryPlugin(t *testing.T) {
	p := loadResident(t, "", "reply null", func(o *native.Options) { o.Residents = nil })
	if verdict := p.fire("{}"); verdict.Message != "ordinary" {
		t.Errorf("verdict = %+v", verdict)
	}
	p.sees("ordinary")
}

// TestAHomeThatJSONCannotSay is told to processes that are started, in a variable.
func TestAHomeThatJSONCannotSay(t *testing.T) {
	p := loadResident(t, "", "reply null", func(o *native.Options) { o.Home = "/home/\xff" })
	if verdict := p.fire("{}"); verdict.Message != "ordinary" {
		t.Errorf("verdict = %+v", verdict)
	}
	p.sees("ordinary")
}

func TestWhatAResidentReceives(t *testing.T) {
	p := loadResident(t, "", `echo "$line" >> 'LOG'.lines; case "$line" in *'"method":"tool"'*) reply '{"output":""}' ;; *)
		reply '{}' ;; esac`, func(o *native.Options) { o.Verbose = true })
	p.fire(`{"b":1.0,"a":"ü"}`)
	if _, err := p.call(t.Context()); err != nil {
		t.Error(err)
	}
	got, _ := os.ReadFile(p.log + ".lines")
	const meta = `"meta":{"CHIBI_HOME":"/home/of/chibi","CHIBI_CONTEXT":"work","CHIBI_VERBOSE":"1"}`
	want := `{"jsonrpc":"2.0","id":1,"method":"hook","params":{` + meta + `,"point":"pre_tool",` +
		`"payload":{"tool_name":"shell","arguments":{"b":1.0,"a":"ü"}}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tool","params":{` + meta + `,"name":"p","arguments":{"text":"hello"}}}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestWhatAResidentIsToldOfTheConversation: after what it is always told, and the transcript
// only if its schema asks for it.
func TestWhatAResidentIsToldOfTheConversation(t *testing.T) {
	const path = `,"CHIBI_TRANSCRIPT_PATH":"/t.jsonl"`
	const body = `echo "$line" >> 'LOG'.lines; case "$line" in *'"method":"tool"'*) reply '{"output":""}' ;; *)
		reply '{}' ;; esac`
	for more, transcript := range map[string]string{"": "", `,"transcript":true`: path} {
		p := loadResident(t, more, body)
		ctx := plugin.WithIdentity(t.Context(), func() plugin.Identity {
			return plugin.Identity{Session: "s", Prompt: "p", Transcript: "/t.jsonl"}
		})
		if _, err := plugin.Fire(ctx, p.host, hookpoints.PreTool, hookpoints.PreToolPayload{}); err != nil {
			t.Error(err)
		}
		if _, err := p.call(ctx); err != nil {
			t.Error(err)
		}
		got, _ := os.ReadFile(p.log + ".lines")
		meta := `"meta":{"CHIBI_HOME":"/home/of/chibi","CHIBI_CONTEXT":"work","CHIBI_SESSION_ID":"s","CHIBI_PROMPT_ID":"p"` +
			transcript + `}`
		if n := strings.Count(string(got), meta); n != 2 {
			t.Errorf("%d of 2 requests have %s:\n%s", n, meta, got)
		}
	}
}

// TestEveryMisbehaviour: each ends the process and what it was asked; nothing is asked
// twice, and the next event starts it again.
func TestEveryMisbehaviour(t *testing.T) {
	t.Parallel()
	const once = `[ "$(grep -c started 'LOG')" -gt 1 ] && { reply null; continue; }
		`
	for name, test := range map[string]struct{ body, notice string }{
		"a log line first": {`echo starting up; reply null`,
			`its resident process: it wrote a line that is not JSON: "starting up"`},
		"another id": {`id=77; reply null`, "it answered request 77, which nobody made"},
		"no id":      {`echo '{"jsonrpc":"2.0","result":{}}'`, `it has no "id"`},
		"no answer":  {`exec sleep 600`, "no answer after 2s"},
		"too late":   {`sleep 600; reply null`, "no answer after 2s"},
		"2 GB":       {`exec head -c 2147483648 /dev/zero`, "ended after 8.0 MiB of output without a newline"},
		"an end":     {`exit 3`, "connection closed: exit status 3"},
		"an end with a reason": {`echo broken >&2; exit 3`,
			"connection closed: exit status 3 (broken)"},
		"a signal":             {`kill -KILL $$`, "connection closed: ended by signal: killed"},
		"it closes its output": {`exec >&-; exec sleep 600`, "connection closed: it closed its standard output"},
		"a child that holds the pipes": {`sleep 600 & exit 4`,
			"connection closed: exit status 4"},
		"a stop that nobody ends": {`kill -STOP $$`, "no answer after 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loadResident(t, "", once+test.body, func(o *native.Options) { o.HookTimeout = 2 * time.Second })
			if name != "no answer" && name != "too late" && name != "a stop that nobody ends" {
				p = loadResident(t, "", once+test.body)
			}
			if verdict := p.fire("{}"); verdict.Block {
				t.Errorf("verdict = %+v", verdict)
			}
			if told := p.told(); len(told) != 1 || !strings.Contains(told[0], test.notice) ||
				!strings.HasPrefix(told[0], `plugin "p" at pre_tool: `) || !strings.HasSuffix(told[0], "; went on without it") {
				t.Errorf("told: %q, want %s", told, test.notice)
			}
			p.sees("started", "hook")
			p.fire("{}")
			p.sees("started", "hook", "started", "hook")
			if told := p.told(); len(told) != 1 {
				t.Errorf("told later: %q", told[1:])
			}
			p.allEnded()
		})
	}
}

func TestATwiceAnsweredRequestEndsItBeforeTheNextOne(t *testing.T) {
	p := loadResident(t, "", `reply null; reply '{"block":true,"message":"late"}'`)
	p.fire("{}")
	for len(p.told()) == 0 { // the second answer comes when nobody waits
		time.Sleep(time.Millisecond)
	}
	if told := p.told(); !strings.Contains(told[0], "it answered request 1 twice; it was not being asked") {
		t.Errorf("told: %q", told)
	}
	if verdict := p.fire("{}"); verdict.Block {
		t.Errorf("a late answer counted: %+v", verdict)
	}
	p.sees("started", "hook", "started", "hook")
}

func TestItGivesUpAfterThreeRestarts(t *testing.T) {
	p := loadResident(t, "", "exit 1")
	for i := range 4 {
		if verdict := p.fire("{}"); verdict.Block {
			t.Errorf("%d: %+v", i, verdict)
		}
	}
	for range 2 {
		if verdict := p.fire("{}"); verdict.Message != "ordinary" {
			t.Errorf("verdict = %+v", verdict)
		}
	}
	p.sees("started", "hook", "started", "hook", "started", "hook", "started", "hook", "ordinary", "ordinary")
	told := slices.DeleteFunc(p.told(), func(s string) bool { return strings.Contains(s, "went on without it") })
	want := []string{`plugin "p": its resident process failed 4 times; for the rest of this run the plugin is started ` +
		"for each event"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if last := p.how[len(p.how)-1]; last != "ordinary start, as its resident process failed too often" {
		t.Errorf("how = %q", last)
	}
}

func TestAnEventThatWasNotWrittenIsAskedByAnOrdinaryStart(t *testing.T) {
	p := loadResident(t, "", "exec 0<&-; reply null; sleep 600")
	p.fire("{}")
	// Its standard input is closed, but not its output: nothing can be written.
	if verdict := p.fire("{}"); verdict.Message != "ordinary" {
		t.Errorf("verdict = %+v", verdict)
	}
	p.sees("started", "hook", "ordinary")
	if told := p.told(); len(told) != 1 || !strings.HasSuffix(told[0],
		"connection closed: it closed its standard input; asked again by an ordinary start") {
		t.Errorf("told: %q", told)
	}
	if how := p.how[1]; how != "asked again by an ordinary start" {
		t.Errorf("how = %q", how)
	}
}

func TestAToolCallIsNeverAskedTwice(t *testing.T) {
	p := loadResident(t, "", "exit 3")
	result, err := p.call(t.Context())
	if !result.Failed || err != nil || result.Failure != "Error: its resident process: connection closed: exit status 3" {
		t.Errorf("result = %+v, %v", result, err)
	}
	p.sees("started", "tool")
}

func TestWhatAResidentToolAnswers(t *testing.T) {
	for reply, want := range map[string]tools.Result{
		`{"output":"text"}`:               {Text: "text"},
		`{"output":"text","exit_code":3}`: {Text: "text", Failed: true, Failure: "Error: exit status 3", Exit: 3},
		`{"output":"x","exit_code":-9}`:   {Text: "x", Failed: true, Failure: "Error: exit status -9"},
		`{}`: {Failed: true,
			Failure: `Error: the result of its resident process cannot be read: it has no "output"`},
		`{"output":1}`: {Failed: true,
			Failure: "Error: the result of its resident process cannot be read: output: must be a string, is a number"},
	} {
		p := loadResident(t, "", "reply '"+reply+"'")
		want.How = "resident, started for it"
		got, err := p.call(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", reply, err, diff)
		}
	}
	p := loadResident(t, "", `printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"no disk"}}\n' "$id"`)
	for range 2 { // an error is an answer: the process stays
		if got, _ := p.call(t.Context()); got.Failure != "Error: it answered with an error: no disk" {
			t.Errorf("result = %+v", got)
		}
	}
	p.fire("{}")
	if told := p.told(); len(told) != 1 ||
		told[0] != `plugin "p" at pre_tool: it answered with an error: no disk; went on without it` {
		t.Errorf("told: %q", told)
	}
	p.sees("started", "tool", "tool", "hook")
}

func TestAResidentGuardFailsClosed(t *testing.T) {
	for name, body := range map[string]string{
		"an end": "exit 0", "nonsense": "echo hello", "an answer that is none": "reply '[]'", "an error": `
		printf '{"jsonrpc":"2.0","id":%s,"error":{"message":"no"}}\n' "$id"`,
	} {
		t.Run(name, func(t *testing.T) {
			p := loadResident(t, `,"on_failure":"block"`, body)
			for range 6 { // whether it is resident or has been given up
				if verdict := p.fire("{}"); !verdict.Block {
					t.Errorf("verdict = %+v, told: %q", verdict, p.told())
				}
			}
		})
	}
}

// TestAnErrorBlocksIfItSaysThatNothingWasRead; a code that may be an exit status does not say it.
func TestAnErrorBlocksIfItSaysThatNothingWasRead(t *testing.T) {
	for code, want := range map[string]bool{"1": false, "2": false, "75": false, "-32001": true} {
		p := loadResident(t, "", `printf '{"jsonrpc":"2.0","id":%s,"error":{"code":`+code+`,"message":"m"}}\n' "$id"`)
		if verdict := p.fire("{}"); verdict.Block != want {
			t.Errorf("code %s: %+v, told: %q", code, verdict, p.told())
		}
	}
}

func TestAResidentGuardThatHangsBlocksAfterTheTimeOfItsSchema(t *testing.T) {
	p := loadResident(t, `,"on_failure":"block","timeout_ms":2000`, "exec sleep 9",
		func(o *native.Options) { o.HookTimeout = 30 * time.Second })
	if verdict := p.fire("{}"); !verdict.Block || !strings.Contains(verdict.Message, "no answer after 2s") {
		t.Errorf("%+v", verdict)
	}
}

// TestMessagesOfAResidentAreBounded: those of its errors, and about results that are none.
func TestMessagesOfAResidentAreBounded(t *testing.T) {
	p := loadResident(t, "", `x=$(head -c 300000 /dev/zero | tr '\0' x)
		case $n in
		3) reply "{\"$x\":1}" ;;
		*) printf '{"jsonrpc":"2.0","id":%s,"error":{"message":"%s"}}\n' "$id" "$x" ;;
		esac`)
	p.fire("{}")
	told := strings.Join(p.told(), "\n")
	if len(told) > 5000 || !strings.Contains(told, "it answered with an error: xxx") {
		t.Errorf("told %d bytes: %.200q", len(told), told)
	}
	for _, most := range []int{5000, 500} {
		if got, err := p.call(t.Context()); err != nil || !got.Failed || len(got.Failure) > most {
			t.Errorf("%v, a failure of %d bytes: %.200q", err, len(got.Failure), got.Failure)
		}
	}
}

// TestALargeCallDoesNotPassAResidentThatReadsAPart: unless the person said so. Other failures
// have no opinion.
func TestALargeCallDoesNotPassAResidentThatReadsAPart(t *testing.T) {
	large := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, failure := range []plugin.Failure{"", plugin.Ignore} {
		p := loadResident(t, "", `[ "$n" = 1 ] && reply '{}' && head -c 1000 > /dev/null; exit 3`)
		p.host.Plugins[0].OnFailure = failure
		if verdict := p.fire("{}"); verdict.Block {
			t.Errorf("a small call: %+v, told: %q", verdict, p.told())
		}
		verdict := p.fire(large)
		explains := strings.Contains(verdict.Message, "could not see this call")
		if verdict.Block != (failure == "") || verdict.Block != explains {
			t.Errorf("a large call, on_failure = %q: %+v, told: %q", failure, verdict, p.told())
		}
	}
}

func TestCtrlCEndsAResidentThatIsBeingAsked(t *testing.T) {
	p := loadResident(t, "", `sleep 600 & sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(p.did()) < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := p.call(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	p.allEnded()
	p.sees("started", "tool")
	if told := p.told(); len(told) > 0 {
		t.Errorf("told: %q", told)
	}
}

func TestAResidentThatIgnoresItsEndIsKilled(t *testing.T) {
	t.Parallel()
	p := loadResident(t, "", `trap '' TERM; reply null; exec 0<&-; while :; do sleep 600; done`)
	p.fire("{}")
	p.allEnded()
}

// TestAHangBlocksOnlyItself: another plugin answers while a resident hangs.
func TestAHangBlocksOnlyItself(t *testing.T) {
	hangs, answers := loadResident(t, "", "exec sleep 600"), loadResident(t, "", `reply '{"block":true,"message":"no"}'`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := hangs.call(ctx)
		done <- err
	}()
	if verdict := answers.fire("{}"); verdict.Message != "no" {
		t.Errorf("verdict = %+v", verdict)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestOneAtATimeUnlessConcurrent: the plugin answers its first request only after it has
// read a second one. Only a concurrent plugin gets that.
func TestOneAtATimeUnlessConcurrent(t *testing.T) {
	t.Parallel()
	const second = `[ $n -eq 1 ] && { first=$id; continue; }
		reply '{"output":"second"}'; id=$first; reply '{"output":"first"}'`
	p := loadResident(t, `,"concurrent":true`, second)
	var calls sync.WaitGroup
	outputs := make([]string, 2)
	for i := range outputs {
		calls.Go(func() {
			result, _ := p.call(t.Context())
			outputs[i] = result.Text
		})
	}
	calls.Wait()
	if slices.Sort(outputs); !slices.Equal(outputs, []string{"first", "second"}) {
		t.Errorf("outputs = %q", outputs)
	}
	p = loadResident(t, "", second, func(o *native.Options) { o.ToolTimeout = 2 * time.Second })
	for range 2 {
		calls.Go(func() {
			if result, _ := p.call(t.Context()); result.Failure != "Error: its resident process: no answer after 2s" {
				t.Errorf("result = %+v", result)
			}
		})
	}
	calls.Wait()
	p.sees("started", "tool", "started", "tool")
}

func TestStandardErrorOfAResident(t *testing.T) {
	var stderr lockedBuffer
	p := loadResident(t, "", `echo "a note" >&2; reply null`, func(o *native.Options) { o.Runner.Stderr = &stderr })
	p.fire("{}")
	isKept := os.Getenv(throughKeeper) != ""
	if isKept {
		p.fire("{}") // the last words before the last answer of a run may be lost there
	}
	p.allEnded()
	if got := stderr.String(); got != "a note\n" && !(isKept && got == "a note\na note\n") {
		t.Errorf("stderr = %q", got)
	}
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestAPureResidentIsAskedAgain: its hooks only, never its tool.
func TestAPureResidentIsAskedAgain(t *testing.T) {
	p := loadResident(t, `,"pure":true`, "exit 3")
	if verdict := p.fire("{}"); verdict.Message != "ordinary" {
		t.Errorf("verdict = %+v", verdict)
	}
	if result, err := p.call(t.Context()); !result.Failed || err != nil {
		t.Errorf("result = %+v, %v", result, err)
	}
	p.sees("started", "hook", "ordinary", "started", "tool")
}

// TestWhatIsDiscardedOfAPureResidentDoesNotEndIt: the host asks pure plugins before their
// turn and ends the context of an answer that it does not need.
func TestWhatIsDiscardedOfAPureResidentDoesNotEndIt(t *testing.T) {
	p := loadResident(t, `,"pure":true`, `[ $n -eq 1 ] && { echo asked > 'LOG.gate'; read -r go < 'LOG.gate'; }
		reply '{"block":true,"message":"'$n'"}'`)
	if err := syscall.Mkfifo(p.log+".gate", 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := plugin.Fire(ctx, p.host, hookpoints.PreTool, hookpoints.PreToolPayload{Arguments: []byte("{}")})
		done <- err
	}()
	if asked, err := os.ReadFile(p.log + ".gate"); string(asked) != "asked\n" {
		t.Fatalf("%q, %v", asked, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := os.WriteFile(p.log+".gate", []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if verdict := p.fire("{}"); verdict.Message != "2" {
		t.Errorf("verdict = %+v, told: %q", verdict, p.told())
	}
	p.sees("started", "hook", "hook")
}

// TestAResidentThatAsksAtTheTerminalBlocks: no terminal is lent to it. Before anything is
// written to it, an ordinary start asks instead.
func TestAResidentThatAsksAtTheTerminalBlocks(t *testing.T) {
	p := loadResident(t, "", "kill -TTIN $$; reply null")
	verdict := p.fire("{}")
	const want = `plugin "p" asked the person and then failed: its resident process: it asks at the terminal, which ` +
		"cannot be lent to it"
	if !verdict.Block || !strings.HasPrefix(verdict.Message, want) {
		t.Errorf("verdict = %+v, told: %q", verdict, p.told())
	}
	p.allEnded()
}

func TestChildrenOfAResidentEndWithIt(t *testing.T) {
	p := loadResident(t, "", "sleep 600 & reply null")
	for range 3 {
		p.fire("{}")
	}
	p.allEnded()
	p.sees("started", "hook", "hook", "hook", "closed")
}

// TestNoFileAndNoGoroutineIsLeft: whether a process ends by itself or with the session.
func TestNoFileAndNoGoroutineIsLeft(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	p := loadResident(t, "", `[ $n -eq 2 ] && exit 3
		reply null`)
	files, goroutines := open(), runtime.NumGoroutine()
	for range 5 {
		p.fire("{}")
	}
	p.allEnded()
	for runtime.NumGoroutine() > goroutines || open() > files {
		time.Sleep(time.Millisecond) // the last ones are about to end
	}
	if len(p.told()) == 0 {
		t.Error("no process broke the protocol")
	}
}
