//go:build unix

package native_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/resident"
)

// benchScripts answer every event with {}, as ordinary plugins and as ones that stay.
var benchScripts = map[string]string{
	"python3": `import json, sys
if sys.argv[1:] == ["--schema"]:
    print('{"name":"p","tool":false,"hooks":["post_message"],"resident":true}')
elif sys.argv[1:] == ["--resident"]:
    for line in sys.stdin:
        print('{"jsonrpc":"2.0","id":%d,"result":{}}' % json.loads(line)["id"], flush=True)
else:
    print("{}")
`,
	"node": `if (process.argv[2] === "--schema") {
  console.log('{"name":"p","tool":false,"hooks":["post_message"],"resident":true}');
} else if (process.argv[2] === "--resident") {
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.parse(line).id + ',"result":{}}\n');
  });
} else {
  console.log("{}");
}
`,
}

// BenchmarkResident measures an event to a process that stays, through Fire: the first one,
// the median of 1,000 one after another, and of such that come after 20 ms without any. The
// floors are the same lines through bare pipes to a process of the same program, and its
// start up to its first answer, in turns with the host's. bare-* are in milliseconds too.
func BenchmarkResident(b *testing.B) {
	for language, script := range benchScripts {
		b.Run(language, func(b *testing.B) {
			path := benchPlugin(b, language, script)
			for b.Loop() {
				measureResident(b, path)
			}
		})
	}
}

// benchPlugin writes a plugin whose interpreter is started without a search.
func benchPlugin(b *testing.B, language, script string) string {
	b.Helper()
	interpreter, err := exec.Command(language, map[string][]string{
		"python3": {"-c", "import sys; print(sys.executable, end='')"},
		"node":    {"-e", "process.stdout.write(process.execPath)"}}[language]...).Output()
	if err != nil {
		b.Skip(err)
	}
	path := filepath.Join(b.TempDir(), "p")
	if err := os.WriteFile(path, []byte("#!"+string(interpreter)+"\n"+script), 0o755); err != nil {
		b.Fatal(err)
	}
	return path
}

// measureResident measures one process of the host's and a bare one.
func measureResident(b *testing.B, path string) {
	group := &resident.Group{}
	defer group.Close()
	loaded, err := native.Load(b.Context(), native.Options{Dir: filepath.Dir(path), Residents: group})
	if err != nil || len(loaded.Plugins) != 1 {
		b.Fatalf("%+v, %v", loaded.Skipped, err)
	}
	how := ""
	host := &plugin.Host{Plugins: loaded.Plugins, Trace: func(r plugin.Record) { how = r.How }}
	fire := func() {
		if _, err := plugin.Fire(b.Context(), host, hookpoints.PostMessage,
			hookpoints.PostMessagePayload{Prompt: "p", Response: "r"}); err != nil {
			b.Fatal(err)
		}
	}
	begun := time.Now()
	ask := barePipe(b, path)
	ask()
	bareFirst := time.Since(begun)
	begun = time.Now()
	fire()
	first := time.Since(begun)
	hot, bareHot := medians(1000, 0, fire, ask)
	idle, bareIdle := medians(100, 20*time.Millisecond, fire, ask)
	if how != "resident" {
		b.Fatalf("it was asked so: %s", how)
	}
	for name, took := range map[string]time.Duration{"first": first, "bare-first": bareFirst, "hot-p50": hot,
		"bare-hot": bareHot, "idle-p50": idle, "bare-idle": bareIdle} {
		b.ReportMetric(float64(took.Nanoseconds())/1e6, name)
	}
}

// barePipe starts the program and returns a function that asks it over bare pipes.
func barePipe(b *testing.B, path string) func() {
	b.Helper()
	cmd := exec.Command(path, "--resident")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		b.Fatal("it could not be started", err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	answers, id := bufio.NewReader(out), 0
	return func() {
		id++
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"hook","params":{"meta":{"CHIBI_HOME":"","CHIBI_CONTEXT":""},`+
			`"point":"post_message","payload":{"prompt":"p","response":"r"}}}`+"\n", id)
		if _, err := io.WriteString(in, line); err != nil {
			b.Fatal(err)
		}
		if _, err := answers.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
}

// medians returns how long two functions take that are called n times in turns, with a
// pause before each call.
func medians(n int, pause time.Duration, a, b func()) (medianA, medianB time.Duration) {
	times := func(do func()) time.Duration {
		time.Sleep(pause)
		begun := time.Now()
		do()
		return time.Since(begun)
	}
	var tookA, tookB []time.Duration
	for range n {
		tookA, tookB = append(tookA, times(a)), append(tookB, times(b))
	}
	slices.Sort(tookA)
	slices.Sort(tookB)
	return tookA[n/2], tookB[n/2]
}
