package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/internal/workbench/cases"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/tidwall/sjson"
)

// TestScriptsWithResidentExamples runs the story of the example plugins with all of
// them resident, and with CHIBI_TEST_ALL=1 each that installs one. Those that are made resident
// for it fail if anything asks them otherwise.
func TestScriptsWithResidentExamples(t *testing.T) {
	stories := slices.DeleteFunc(clitest.All(t, "../.."), func(name string) bool {
		if !systest.All() {
			return filepath.Base(name) != "examples.txtar"
		}
		text, err := os.ReadFile(name)
		return err != nil || !bytes.Contains(text, []byte("plugin $EXAMPLES/"))
	})
	if len(stories) == 0 {
		t.Fatal("no story installs an example")
	}
	clitest.Stories{Root: "../..", Files: stories, Examples: residentExamples(t)}.Run(t)
}

// TestExamplesAnswerTheSameWhenTheyStay runs the cases of each example by ordinary starts and
// in a process that stays, there twice.
func TestExamplesAnswerTheSameWhenTheyStay(t *testing.T) {
	twins, jq := residentExamples(t), clitest.JQ(t, "../..")
	files, err := filepath.Glob("../../examples/plugins/*" + cases.Suffix)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		f, err := cases.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(f.Plugin, func(t *testing.T) {
			if _, err := exec.LookPath("node"); err != nil && f.Plugin == "plain-output" {
				t.Skip("node is not installed")
			}
			for _, c := range f.Cases {
				opts := native.Options{Only: []string{f.Plugin}, Home: t.TempDir(), Context: c.ContextName(),
					AllowLinks: []string{"/"}, ProbeTimeout: time.Minute, HookTimeout: time.Minute, ToolTimeout: time.Minute}
				opts.Runner.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+string(filepath.ListSeparator)+jq)
				for name, value := range c.Env {
					opts.Runner.Env = append(opts.Runner.Env, name+"="+value)
				}
				opts.Dir = filepath.Dir(path)
				runCase(t, opts, c)
				group := &resident.Group{}
				opts.Dir, opts.Residents = twins, group
				runCase(t, opts, c, c)
				group.Close()
			}
		})
	}
}

// runCase runs cases with a plugin, once it is loaded.
func runCase(t *testing.T, opts native.Options, list ...cases.Case) {
	t.Helper()
	loaded, err := native.Load(t.Context(), opts)
	if err != nil || len(loaded.Plugins) != 1 {
		t.Fatalf("%v, skipped: %+v", err, loaded.Skipped)
	}
	p := &loaded.Plugins[0]
	if opts.Residents != nil && !p.Resident {
		t.Errorf("%s is not resident", p.Name)
	}
	for _, c := range list {
		if o := c.Run(t.Context(), p); len(o.Wrong) > 0 {
			t.Errorf("%s, resident: %v: %q", o.Name, opts.Residents != nil, o.Wrong)
		}
	}
}

// residentExamples makes a directory of example plugins that are all resident: those that
// are, as they are, and a twin of each of the others, made with the helper of its language.
func residentExamples(t *testing.T) (dir string) {
	t.Helper()
	examples, err := filepath.Abs("../../examples/plugins")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(examples)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, e := range entries {
		from, to := filepath.Join(examples, e.Name()), filepath.Join(dir, e.Name())
		text, err := os.ReadFile(from)
		switch {
		case filepath.Ext(e.Name()) != "":
			continue // not a plugin
		case err != nil || bytes.Contains(text, []byte(resident.Argument)):
			err = os.Symlink(from, to)
		default:
			err = os.WriteFile(to, []byte(twin(t, from, string(text))), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// twin returns a resident plugin that does for each event what an example does when it is
// started for one. Started for one event itself, it fails.
func twin(t *testing.T, file, text string) string {
	t.Helper()
	out, err := process.Runner{}.Run(t.Context(), process.Command{Path: file, Args: []string{"--schema"},
		Timeout: time.Minute, MaxOutput: 1 << 20})
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	schema, err := sjson.Set(string(out.Stdout), "resident", true)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(line)
	form, helper := shTwin, "serve.sh"
	if path.Base(words[len(words)-1]) == "python3" {
		form, helper = pythonTwin, "serve.py"
	}
	serve, err := scaffold.Helper(helper)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("LINE", line, "SCHEMA", schema, "FILE", fmt.Sprintf("%q", file),
		"SERVE", serve).Replace(form)
}

const shTwin = `LINE
case "$1" in
--schema) cat <<'END'
SCHEMA
END
	exit ;;
--resident) ;;
*) echo "it was not asked as a resident plugin" >&2; exit 1 ;;
esac

answer() (
	. FILE
)

SERVE
serve
`

const pythonTwin = `LINE
import io, json, os, sys

SERVE

def once(text, **variables):
    for name in ("CHIBI_HOOK", "CHIBI_TOOL_NAME"):
        os.environ.pop(name, None)
    os.environ.update(variables)
    printed = io.BytesIO()
    sys.stdin, sys.stdout = io.StringIO(text), io.TextIOWrapper(printed, encoding="utf-8")
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as end:
        if end.code:
            raise Exception(end.code)
    finally:
        sys.stdout.flush()
        text, sys.stdout = printed.getvalue().decode(), sys.stderr
    return text


def hook(point, payload):
    return json.loads(once(json.dumps(payload), CHIBI_HOOK=point) or "null")


def tool(name, arguments):
    return once(json.dumps(arguments), CHIBI_TOOL_NAME=name)


if sys.argv[1:] == ["--schema"]:
    print(r'''SCHEMA''')
elif sys.argv[1:] == ["--resident"]:
    sys.argv = [FILE]
    code = compile(open(FILE).read(), FILE, "exec")
    serve(hook, tool)
else:
    sys.exit("it was not asked as a resident plugin")
`
