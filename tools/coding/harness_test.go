package coding_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// project is a directory with files, in which the tools work.
type project struct {
	*testing.T
	config coding.Config
	tools  tools.Set
}

// newProject makes a project. Names that end with "/" are directories.
func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "project")
	p := &project{T: t, config: coding.Config{Root: root, Home: top, Private: filepath.Join(top, ".chibi")}}
	p.put("", "/")
	for name, text := range files {
		p.put(name, text)
	}
	p.open()
	return p
}

// open makes the tools for the configuration.
func (p *project) open() {
	p.tools = tools.Set{}
	if err := p.tools.Add(coding.Tools(p.config)...); err != nil {
		p.Fatal(err)
	}
}

// at returns the path of a file of the project.
func (p *project) at(name string) string { return filepath.Join(p.config.Root, name) }

// put writes a file of the project; "/" as its text makes a directory.
func (p *project) put(name, text string) {
	p.Helper()
	path := p.at(name)
	if text == "/" {
		p.must(os.MkdirAll(path, 0o755))
		return
	}
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	p.must(os.WriteFile(path, []byte(text), 0o644))
}

// content is what a file of the project has, "-" if there is none.
func (p *project) content(name string) string {
	data, err := os.ReadFile(p.at(name))
	if err != nil {
		return "-"
	}
	return string(data)
}

func (p *project) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// arg are the arguments of a call.
type arg = map[string]any

// plan prepares a call.
func (p *project) plan(name string, args arg) (tools.Plan, error) {
	p.Helper()
	tool, ok := p.tools.Lookup(name)
	if !ok {
		p.Fatalf("there is no tool %s", name)
	}
	arguments, err := json.Marshal(args)
	p.must(err)
	if _, err := tools.Compile(tool.Spec().Parameters); err != nil {
		p.Fatalf("the schema of %s: %v", name, err)
	}
	return tool.(tools.Planner).Plan(p.Context(), tools.Call{Arguments: arguments, Context: "work"})
}

// call makes a call and returns what the model reads.
func (p *project) call(name string, args arg) string {
	p.Helper()
	planned, err := p.plan(name, args)
	if err != nil {
		return "invalid: " + err.Error()
	}
	defer planned.Close()
	result, err := planned.Run(p.Context())
	p.must(err)
	if result.Failed != strings.HasPrefix(result.Text, "Error: ") {
		p.Errorf("failed: %v, %q", result.Failed, result.Text)
	}
	return result.Text
}

// says checks what a call returns.
func (p *project) says(name string, args arg, want string) {
	p.Helper()
	if got := p.call(name, args); got != want {
		p.Errorf("%s %v returns\n%s\nwant\n%s", name, args, got, want)
	}
}

// mentions checks that what a call returns has a text in it.
func (p *project) mentions(name string, args arg, want string) {
	p.Helper()
	if got := p.call(name, args); !strings.Contains(got, want) {
		p.Errorf("%s %v returns\n%s\nwhich does not mention\n%s", name, args, got, want)
	}
}
