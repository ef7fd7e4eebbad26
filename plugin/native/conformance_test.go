package native_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/plugintest"
	"github.com/chibi-host/chibi/plugin/resident"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	testConformance(t, func(t *testing.T, hook hookpoints.Name, name, body string) native.Options {
		schema := fmt.Sprintf(`{"name":%q,"hooks":[%q]}`, name, hook)
		return native.Options{Dir: newPluginDir(t).plugin(name, schema, body).dir}
	})
}

// keeps answers each event with what a script prints, and ends as the script does if that
// fails. Started in the ordinary way it fails.
const keeps = `import json, os, subprocess, sys, tempfile
if sys.argv[2:] != ["--resident"]:
    sys.exit("it was not kept")
script = sys.argv[1]
flood = "head -c" in open(script).read()
for line in sys.stdin:
    request = json.loads(line)
    out = sys.stdout.buffer
    out.write(b'{"jsonrpc":"2.0","id":%d,"result":' % request["id"])
    out.flush()
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as payload:
        payload.write(json.dumps(request["params"]["payload"], separators=(",", ":")).encode() + b"\n")
        payload.seek(0)
        ran = subprocess.run(["/bin/sh", script], stdin=payload, stdout=None if flood else answer)
        if ran.returncode:
            sys.exit(3)
        answer.seek(0)
        out.write((answer.read().strip() or b"null") + b"}\n")
    out.flush()
`

func TestConformanceOfResidents(t *testing.T) {
	t.Parallel()
	testResidents(t, func(*testing.T) resident.Keeper { return nil })
}

// testResidents runs the suite with residents that are started or lent.
func testResidents(t *testing.T, lender func(*testing.T) resident.Keeper) {
	testConformance(t, func(t *testing.T, hook hookpoints.Name, name, body string) native.Options {
		group := &resident.Group{Keeper: lender(t)}
		t.Cleanup(func() { group.Close() })
		schema := fmt.Sprintf(`{"name":%q,"hooks":[%q],"resident":true}`, name, hook)
		dir := newPluginDir(t).plugin(name, schema, `d=${0%/*}; exec python3 "$d/.keeps.py" "$d/.body" "$1"`).
			file(".keeps.py", keeps, 0o644).file(".body", body, 0o644).dir
		return native.Options{Dir: dir, Residents: group}
	})
}

// testConformance runs the suite with the plugins that subscribed makes.
func testConformance(t *testing.T,
	subscribed func(t *testing.T, hook hookpoints.Name, name, body string) native.Options) {
	t.Helper()
	load := func(t *testing.T, opts native.Options, timeout time.Duration) plugin.Plugin {
		opts.ProbeTimeout, opts.HookTimeout, opts.Runner.Grace = time.Minute, timeout, 100*time.Millisecond
		loaded, err := native.Load(t.Context(), opts)
		if err != nil || len(loaded.Plugins) != 1 {
			t.Fatalf("left out: %+v, %v", loaded.Skipped, err)
		}
		return loaded.Plugins[0]
	}
	at := func(info hookpoints.Info, payload, answer string) *plugintest.Point {
		return &plugintest.Point{Info: info, Payload: payload,
			New: func(t *testing.T, name, body string) plugin.Plugin {
				return load(t, subscribed(t, info.Name, name, body), time.Minute)
			},
			Answer: func(text string) string { return fmt.Sprintf(answer, text) },
		}
	}
	plugintest.Run(t, plugintest.Protocol{
		New: func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin {
			return load(t, subscribed(t, hookpoints.PreTool.Name, name, body), timeout)
		},
		Gather:  at(hookpoints.PreSystemPrompt.Info(), `{"current_prompt":"p"}`, `{"inject":%q}`),
		Observe: at(hookpoints.PostMessage.Info(), `{"prompt":"p"}`, `{"prompt":%q}`),
		Claim:   at(hookpoints.PreSendMessage.Info(), `{"to":"t"}`, `{"delivered":true,"via":%q}`),
		Block: func(message string) string {
			quoted, _ := json.Marshal(message)
			return fmt.Sprintf(`{"block":true,"message":%s}`, quoted)
		},
		Rewrite: func(arguments string) string { return fmt.Sprintf(`{"arguments":%s}`, arguments) },
	})
}
