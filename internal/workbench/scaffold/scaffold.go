// Package scaffold generates new plugins: working, commented programs for the hooks that
// their author chooses, in several languages.
//
// It promises that the generated plugins pass chibi plugin check unchanged.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/template"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

//go:embed templates
var templates embed.FS

// File is one file of a plugin, its path relative to the plugins directory.
type File struct {
	Path string
	Text string
	Mode fs.FileMode
}

// Plan specifies the plugin to generate.
type Plan struct {
	// Name is the plugin's name.
	Name string
	// Lang is one of Languages.
	Lang string
	// Hooks are the points that it subscribes to.
	Hooks []hookpoints.Info
	// Tool says that the model may call it; otherwise the plugin only has hooks.
	Tool bool
	// Category is the kind of thing that the tool does; "": none.
	Category tools.Category
	// Resident says that it is started once per session and answers all events.
	Resident bool
}

// Languages lists the supported languages.
func Languages() []string { return []string{"sh", "bash", "python", "node", "go"} }

// Files returns the plugin's files. It is an error if the name or the language is not
// valid, or if the plugin would do nothing.
func (p Plan) Files() ([]File, error) {
	switch {
	case !tools.ValidName(p.Name):
		return nil, fmt.Errorf("%q is not a valid plugin name; use 1 to 64 letters, digits, - and _", p.Name)
	case !slices.Contains(Languages(), p.Lang):
		return nil, fmt.Errorf("unknown language %q; use one of %s", p.Lang, strings.Join(Languages(), ", "))
	case p.Category != "" && !slices.Contains(tools.Categories(), p.Category):
		return nil, fmt.Errorf("unknown category %q; use one of %s", p.Category, CategoryNames())
	case len(p.Hooks) == 0 && !p.Tool:
		return nil, fmt.Errorf("it would do nothing; add --hook POINT or --tool")
	}
	if p.Lang == "go" {
		runner, err := p.render("go.sh")
		if err != nil {
			return nil, err
		}
		program, err := p.render("go.go")
		if err != nil {
			return nil, err
		}
		return []File{{p.Name + "/" + p.Name, runner, 0o755}, {p.Name + "/main.go", program, 0o644}}, nil
	}
	name := p.Lang
	if name == "bash" {
		name = "sh"
	}
	text, err := p.render(name)
	return []File{{p.Name, text, 0o755}}, err
}

// CategoryNames lists the categories of tools for people.
func CategoryNames() string {
	var names []string
	for _, c := range tools.Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// Argument is the name of the argument that the tool's category is about.
func (p Plan) Argument() string {
	switch p.Category {
	case tools.CategoryShell:
		return "command"
	case tools.CategoryRead, tools.CategoryWrite, tools.CategoryEdit, tools.CategorySearch:
		return "path"
	case tools.CategoryFetch:
		return "url"
	}
	return "text"
}

// Helper returns the function of a language that answers the events of a resident plugin:
// "serve.py", "serve.js", "serve.sh" or "serve.go.txt", without a newline at its end.
func Helper(name string) (string, error) {
	text, err := templates.ReadFile("templates/" + name)
	return strings.TrimSuffix(string(text), "\n"), err
}

func (p Plan) render(name string) (string, error) {
	name += ".tmpl"
	t, err := template.New(name).Funcs(template.FuncMap{
		"fields":  func(h hookpoints.Info) []string { return described(hookpoints.Fields(h.Payload)) },
		"answers": answers, "example": exampleAnswer, "python": pythonAnswer, "golang": goAnswer,
		"serve": Helper,
		"quote": func(s string) string { return fmt.Sprintf("%q", s) },
	}).ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Description is the description in the schema, for the model if it is a tool.
func (p Plan) Description() string {
	if p.Tool {
		return "Say here what the model should know."
	}
	return "Say here what it does."
}

// HookList returns the list of hooks as JSON.
func (p Plan) HookList() string {
	var names []string
	for _, h := range p.Hooks {
		names = append(names, fmt.Sprintf("%q", h.Name))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// Shell returns the interpreter of a shell script.
func (p Plan) Shell() string {
	if p.Lang == "bash" {
		return "/usr/bin/env bash"
	}
	return "/bin/sh"
}

func answers(h hookpoints.Info) []string {
	if !h.CanChange() {
		return []string{"nothing: it is only observed"}
	}
	return described(hookpoints.Fields(h.Answer))
}

func described(list []hookpoints.Field) (lines []string) {
	for _, f := range list {
		doc := f.Doc
		if !strings.HasSuffix(doc, "...") {
			doc = strings.TrimSuffix(doc, ".")
		}
		lines = append(lines, fmt.Sprintf("%s (%s): %s", f.Name, f.Type, doc))
	}
	return lines
}

// pythonAnswer and goAnswer return an example answer in those languages.
func pythonAnswer(h hookpoints.Info) string {
	return strings.ReplaceAll(exampleAnswer(h), "true", "True")
}

func goAnswer(h hookpoints.Info) string {
	return strings.NewReplacer("{", "object{", `["`, `[]string{"`, `"]`, `"}`).Replace(exampleAnswer(h))
}

func exampleAnswer(h hookpoints.Info) string {
	for _, f := range hookpoints.Fields(h.Answer) {
		switch {
		case f.Rule == hookpoints.RuleBlock:
			return `{"block": true, "message": "why"}`
		case f.Rule == hookpoints.RuleStrictest:
			return `{"` + f.Name + `": true, "reason": "why"}`
		case f.Rule == hookpoints.RuleTexts, f.Rule == hookpoints.RuleJoin,
			f.Rule == hookpoints.RuleFirst && f.Type == "string":
			return fmt.Sprintf(`{"%s": "some text"}`, f.Name)
		case f.Rule == hookpoints.RuleUnite:
			return fmt.Sprintf(`{"%s": ["a_tool"]}`, f.Name)
		case f.Rule == hookpoints.RulePatch:
			return fmt.Sprintf(`{"%s": {"temperature": 0.2}}`, f.Name)
		case f.Rule == hookpoints.RuleAppend:
			return fmt.Sprintf(`{"%s": ["And then?"]}`, f.Name)
		case f.Rule == hookpoints.RuleClaim:
			return `{"delivered": true, "via": "mail"}`
		}
	}
	return ""
}
