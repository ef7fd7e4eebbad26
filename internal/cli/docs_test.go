package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/workbench/cases"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
)

// codeBlock is a fenced block of a page: a comment that says why it is not run, its language and its text.
var codeBlock = regexp.MustCompile("(?s)(<!-- not run: [^\n]+ -->\n)?```(\\w+)\n(.*?)```")

// notRun is the language of blocks with such a comment.
const notRun = "not run"

// blocks lists the blocks of the README and of all pages below docs, by the path of their page: language and text.
func blocks(t *testing.T) map[string][][2]string {
	t.Helper()
	found := map[string][][2]string{}
	for page, text := range pages(t) {
		if page != "README.md" && !strings.HasPrefix(page, "docs/") {
			continue
		}
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			language := m[2]
			if m[1] != "" {
				language = notRun
			}
			found[page] = append(found[page], [2]string{language, m[3]})
		}
	}
	return found
}

// TestPluginsInThePagesWork loads every script of the documentation as a plugin,
// asks it at its hooks and calls its tools. Those of EMBEDDING.md are for the hook points of its program, see
// TestTheProgramOfEmbeddingAnswersAsThePageSays.
func TestPluginsInThePagesWork(t *testing.T) {
	count := 0
	for page, list := range blocks(t) {
		for _, block := range list {
			if !strings.HasPrefix(block[1], "#!") || !strings.Contains(block[1], "--schema") || page == embedding {
				continue
			}
			count++
			t.Run(page, func(t *testing.T) { tryPlugin(t, block[1]) })
		}
	}
	if count < 12 {
		t.Errorf("only %d plugins found in the pages", count)
	}
}

// TestPluginsInGoInThePagesWork builds every plugin in Go of the documentation and does the same with it.
func TestPluginsInGoInThePagesWork(t *testing.T) {
	count := 0
	for page, list := range blocks(t) {
		for _, block := range list {
			if block[0] != "go" || !strings.Contains(block[1], "plugin/serve") {
				continue
			}
			count++
			program, err := os.ReadFile(buildPage(t, block[1]))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(page, func(t *testing.T) { tryPlugin(t, string(program)) })
		}
	}
	if count == 0 {
		t.Error("no plugin in Go found in the pages")
	}
}

// buildPage builds a program of a page and returns its path.
func buildPage(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, filepath.Join(dir, "main.go"))
	build.Dir = "../.." // what it imports is this module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// embedding is the page about programs that hold plugins.
const embedding = "docs/EMBEDDING.md"

// TestTheProgramOfEmbeddingAnswersAsThePageSays builds the program of EMBEDDING.md, puts the scripts of the
// page into its plugins, and runs it as the page does.
func TestTheProgramOfEmbeddingAnswersAsThePageSays(t *testing.T) {
	dir, program, runs := t.TempDir(), "", 0
	if err := os.Mkdir(filepath.Join(dir, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks(t)[embedding] {
		switch {
		case block[0] == "go":
			program = buildPage(t, block[1])
		case strings.HasPrefix(block[1], "#!"):
			name := regexp.MustCompile(`(?m)^# (\w+): `).FindStringSubmatch(block[1])[1]
			if err := os.WriteFile(filepath.Join(dir, "plugins", name), []byte(block[1]), 0o700); err != nil {
				t.Fatal(err)
			}
		case block[0] == "console":
			for _, run := range strings.Split(block[1], "$ deploy ")[1:] {
				target, want, _ := strings.Cut(run, "\n")
				cmd := exec.CommandContext(t.Context(), program, target)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if string(out) != want {
					t.Errorf("%s: %v, %q, and the page says %q", target, err, out, want)
				}
				runs++
			}
		}
	}
	if runs < 3 {
		t.Errorf("only %d runs found", runs)
	}
}

func tryPlugin(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	loaded, err := native.Load(t.Context(), native.Options{Dir: dir, Home: dir, ProbeTimeout: time.Hour,
		HookTimeout: time.Hour, ToolTimeout: time.Hour})
	if err != nil || len(loaded.Plugins) != 1 || len(loaded.Notices) > 0 {
		t.Fatalf("%v, skipped %+v, notices %v; script:\n%s", err, loaded.Skipped, loaded.Notices, script)
	}
	p := loaded.Plugins[0]
	for _, name := range p.Hooks {
		info, _ := hookpoints.Find(name)
		answer, err := p.Handler.Handle(t.Context(), plugin.Event{Point: name, Payload: hookdoc.Example(info)})
		if err != nil || answer.Unreadable != "" {
			t.Errorf("at %s: %v %s; script:\n%s", name, err, answer.Unreadable, script)
		}
	}
	for _, tool := range p.Tools {
		result, err := tool.Call(t.Context(), tools.Call{Arguments: json.RawMessage(`{"text": "one two", "name": "Ada"}`)})
		if err != nil || result.Failed {
			t.Errorf("called: %s %v; script:\n%s", result.Text, err, script)
		}
	}
}

// TestConfigurationsInThePagesLoad reads every TOML block as a config.toml.
func TestConfigurationsInThePagesLoad(t *testing.T) {
	for page, list := range blocks(t) {
		for _, block := range list {
			if block[0] != "toml" {
				continue
			}
			if strings.Contains(block[1], "[[case]]") {
				if _, err := cases.Parse(page, []byte(block[1])); err != nil {
					t.Errorf("%s: %v in:\n%s", page, err, block[1])
				}
				continue
			}
			home, name := t.TempDir(), "config.toml"
			if strings.Contains(block[1], "[models.") {
				name = "models.toml"
			}
			if err := os.WriteFile(filepath.Join(home, name), []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := config.Load(config.Sources{Home: home, Env: os.Getenv}); err != nil {
				t.Errorf("%s: %v in:\n%s", page, err, block[1])
			}
		}
	}
}

// TestTheREADMEsConfigurationHidesTheKey makes the configuration as README says, with
// a umask that lets everybody read new files: doctor finds nothing to mend in it.
func TestTheREADMEsConfigurationHidesTheKey(t *testing.T) {
	list := blocks(t)["README.md"]
	i := slices.IndexFunc(list, func(block [2]string) bool { return strings.Contains(block[1], "config.toml") })
	if i < 0 || list[i][0] != "sh" || !strings.Contains(list[i+1][1], "api_key") {
		t.Fatal("README does not say how to make config.toml, and then what to write into it")
	}
	home := t.TempDir()
	if err := os.Chmod(filepath.Dir(home), 0o755); err != nil { // go test closes it to others
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+home, "CHIBI_HOME=")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "umask 022\n"+list[i][1]+"cat >> ~/.chibi/config.toml\n"+
		"exec chibi doctor")
	cmd.Env, cmd.Stdin = env, strings.NewReader(list[i+1][1])
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "the configuration can be read") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "others can read") || strings.Contains(string(out), "others may change") {
		t.Errorf("doctor finds something to mend:\n%s", out)
	}
	if info, err := os.Stat(filepath.Join(home, ".chibi/config.toml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// install puts a script into a home, where its page says: "# NAME: ..." is a
// plugin, "# ~/PATH" a file.
func install(t *testing.T, home, script string) {
	t.Helper()
	title := regexp.MustCompile(`(?m)^# (?:~/(\S+)$|(\w+): )`).FindStringSubmatch(script)
	if title == nil {
		return
	}
	path := filepath.Join(home, title[1])
	if title[2] != "" {
		path = filepath.Join(home, ".chibi", "plugins", title[2])
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// wholePages are the pages whose blocks run as a person would paste them: whole, and end at the first error. Of
// the other pages the lines run that begin with chibi, or pipe to it what echo says.
func wholePages() []string {
	return []string{"README.md", "docs/GUIDE.md", "docs/PLUGINS.md", "docs/BRIDGE.md", "docs/MCP.md", embedding}
}

// mostNotRun is how many blocks may have a comment that says why they are not run.
const mostNotRun = 10

// TestCommandsInThePagesRun runs the commands of each page in their order, from an empty home and in a
// directory with the examples. The page's scripts are installed as they come.
func TestCommandsInThePagesRun(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	count, left := 0, 0
	for page, list := range blocks(t) {
		home, project := t.TempDir(), t.TempDir()
		if err := os.Symlink(examples, filepath.Join(project, "examples")); err != nil {
			t.Fatal(err)
		}
		env := append(os.Environ(), "HOME="+home, "CHIBI_HOME=", "TMPDIR="+t.TempDir()) // chibi is not in that one
		for _, block := range list {
			if strings.HasPrefix(block[1], "#!") || strings.Contains(block[1], "[[case]]") {
				install(t, home, block[1])
				continue
			}
			for _, command := range commandsOf(page, block) {
				count++
				cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", command)
				cmd.Env, cmd.Dir = env, project
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %v\n%s", page, command, err, out)
				}
			}
			if block[0] == notRun {
				left++
			}
		}
	}
	if count < 60 || left > mostNotRun {
		t.Errorf("%d commands found, %d blocks that do not run", count, left)
	}
}

// commandsOf returns what is run of a block.
func commandsOf(page string, block [2]string) (list []string) {
	if block[0] != "sh" {
		return nil
	}
	if slices.Contains(wholePages(), page) {
		return []string{block[1]}
	}
	for line := range strings.SplitSeq(block[1], "\n") {
		if strings.HasPrefix(line, "chibi ") || strings.HasPrefix(line, "echo ") && strings.Contains(line, "| chibi ") {
			list = append(list, line)
		}
	}
	return list
}

// TestRecipesInThePagesLoad lists every recipe of the documentation: each can be used and
// has no key without effect.
func TestRecipesInThePagesLoad(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".chibi", "recipes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, list := range blocks(t) {
		for _, block := range list {
			if block[0] != "markdown" {
				continue
			}
			count++
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%d.md", count)), []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "chibi", "recipe", "list", "--json")
	cmd.Env, cmd.Dir = append(os.Environ(), "HOME="+home, "CHIBI_HOME="), t.TempDir()
	out, err := cmd.Output()
	var listed []struct{ Name, Description, Note string }
	if err == nil {
		err = json.Unmarshal(out, &listed)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, recipe := range listed {
		if !strings.HasPrefix(recipe.Name, "page-") {
			continue
		}
		count--
		if recipe.Description == "" || recipe.Note != "" {
			t.Errorf("%+v", recipe)
		}
	}
	if count != 0 {
		t.Errorf("%d recipes of the pages are not listed:\n%s", count, out)
	}
}

// TestBenchmarksInThePagesExist checks that each command that runs benchmarks names some
// that its package has.
func TestBenchmarksInThePagesExist(t *testing.T) {
	command := regexp.MustCompile(`(?m)^go test -run xxx -bench '?([\w|]+)'?.* \./(\S+)$`)
	count := 0
	for page, list := range blocks(t) {
		for _, block := range list {
			for _, m := range command.FindAllStringSubmatch(block[1], -1) {
				count++
				for name := range strings.SplitSeq(m[1], "|") {
					if !hasBenchmark(t, m[2], name) {
						t.Errorf("%s: %s has no benchmark %s", page, m[2], name)
					}
				}
			}
		}
	}
	if count < 7 {
		t.Errorf("only %d commands found", count)
	}
}

// hasBenchmark reports whether a package has a benchmark whose name contains a text.
func hasBenchmark(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	benchmark := regexp.MustCompile(`(?m)^func Benchmark\w*` + name)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && benchmark.Match(text)
	})
}

// TestTheEventMapIsTrue holds the table of Kodelet's and Kode's events in
// MIGRATING.md against the adapters.
func TestTheEventMapIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/MIGRATING.md")
	if err != nil {
		t.Fatal(err)
	}
	for column, events := range []map[string]hookpoints.Name{kodelet.Events(), kode.Events()} {
		for event, point := range events {
			row := regexp.MustCompile("(?m)^\\| `" + string(point) + "` \\|([^|\n]*)\\|([^|\n]*)\\|$").FindSubmatch(page)
			if row == nil || !strings.Contains(string(row[column+1]), "`"+event+"`") {
				t.Errorf("the table does not say that %s is %s", event, point)
			}
		}
	}
}
