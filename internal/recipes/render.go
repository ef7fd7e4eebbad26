package recipes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// maxPrompt bounds, in bytes, what a recipe's body may become.
const maxPrompt = 8 << 20

// Runner runs one command for a recipe, without a shell, and returns what it
// printed. An error means that it could not be run, or took too long.
type Runner func(ctx context.Context, command string, args ...string) (string, error)

// Render puts arguments into the body. An argument that the recipe does not
// know is an error; one that is not given has its default, or is empty. The
// commands of the body run, unless the recipe was not approved: then they are
// an error.
func (r *Recipe) Render(ctx context.Context, args map[string]string, run Runner) (string, error) {
	values, err := r.values(args)
	if err != nil {
		return "", inFile(r.Path, 0, err)
	}
	t, err := r.template(func(command string, args ...string) (string, error) { return r.run(ctx, run, command, args) })
	if err != nil {
		return "", inFile(r.Path, 0, err)
	}
	text, err := execute(ctx, t, values)
	if err != nil {
		return "", inFile(r.Path, 0, templateError(err))
	}
	return strings.TrimSpace(text), nil
}

// execute executes a template until ctx ends: a template may loop without end,
// and cannot be called off.
func execute(ctx context.Context, t *template.Template, values map[string]string) (string, error) {
	out := &limited{most: maxPrompt}
	done := make(chan error, 1)
	go func() { done <- t.Execute(out, values) }()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-done:
		if err != nil {
			return "", err
		}
		return out.String(), nil
	}
}

// run runs a command of the body.
func (r *Recipe) run(ctx context.Context, run Runner, command string, args []string) (string, error) {
	if err := r.Approved(); err != nil {
		return "", fmt.Errorf("it runs commands and came with this directory, but it is %w; see chibi trust", err)
	}
	if run == nil {
		return "", errors.New("commands cannot be run here")
	}
	text, err := run(ctx, command, args...)
	if err != nil {
		return "", fmt.Errorf("bash %q: %w", strings.Join(append([]string{command}, args...), " "), err)
	}
	return strings.TrimRight(text, "\n"), nil
}

// values returns the arguments with their defaults.
func (r *Recipe) values(args map[string]string) (map[string]string, error) {
	values := map[string]string{}
	for name, a := range r.Arguments {
		if a.Default != nil {
			values[name] = *a.Default
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !r.takes(name) {
			return nil, fmt.Errorf("it has no argument %q; it has: %s", name, r.argumentNames())
		}
		values[name] = args[name]
	}
	return values, nil
}

// takes reports whether an argument is declared or used.
func (r *Recipe) takes(name string) bool {
	_, declared := r.Arguments[name]
	return declared || r.uses(name)
}

// uses reports whether the body has a place for an argument.
func (r *Recipe) uses(name string) bool {
	return regexp.MustCompile(`\{\{[^}]*(\.` + regexp.QuoteMeta(name) + `\b|"` + regexp.QuoteMeta(name) +
		`")[^}]*\}\}`).MatchString(r.Body)
}

// Known returns the arguments that the recipe has a place for, and the names of the others.
func (r *Recipe) Known(args map[string]string) (known map[string]string, unknown []string) {
	known = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !r.takes(name) {
			unknown = append(unknown, name)
			continue
		}
		known[name] = args[name]
	}
	return known, unknown
}

func (r *Recipe) argumentNames() string {
	if len(r.Arguments) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(r.Arguments)), ", ")
}

// Missing lists the arguments that have no default and are not given.
func (r *Recipe) Missing(args map[string]string) []string {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(r.Arguments)) {
		if _, given := args[name]; !given && r.Arguments[name].Default == nil {
			missing = append(missing, name)
		}
	}
	return missing
}

// template parses the body. bash implements the function of that name; nil: it does nothing.
func (r *Recipe) template(bash func(string, ...string) (string, error)) (*template.Template, error) {
	if bash == nil {
		bash = func(string, ...string) (string, error) { return "", nil }
	}
	t, err := template.New(r.Name).Option("missingkey=zero").Funcs(template.FuncMap{
		"bash": bash,
		"default": func(value, fallback string) string {
			if value == "" {
				return fallback
			}
			return value
		},
	}).Parse(r.Body)
	return t, templateError(err)
}

// templateError returns an error of the template without what only Go programmers know.
func templateError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if failed, ok := errors.AsType[template.ExecError](err); ok {
		if cause := errors.Unwrap(failed.Err); cause != nil {
			return cause
		}
	}
	return errors.New("its body: " + strings.TrimPrefix(err.Error(), "template: "))
}

// RunsCommands reports whether the body runs commands.
func (r *Recipe) RunsCommands() bool {
	t, err := r.template(nil)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(t.Templates(), func(part *template.Template) bool {
		return part.Tree != nil && usesBash(part.Tree.Root)
	})
}

// usesBash looks for the function bash in a part of a template.
func usesBash(node parse.Node) bool {
	switch n := node.(type) {
	case *parse.ListNode:
		return n != nil && slices.ContainsFunc(n.Nodes, usesBash)
	case *parse.ActionNode:
		return usesBash(n.Pipe)
	case *parse.PipeNode:
		return n != nil && slices.ContainsFunc(n.Cmds, func(c *parse.CommandNode) bool {
			return slices.ContainsFunc(c.Args, usesBash)
		})
	case *parse.ChainNode:
		return usesBash(n.Node)
	case *parse.IdentifierNode:
		return n.Ident == "bash"
	case *parse.IfNode:
		return usesBranch(&n.BranchNode)
	case *parse.RangeNode:
		return usesBranch(&n.BranchNode)
	case *parse.WithNode:
		return usesBranch(&n.BranchNode)
	case *parse.TemplateNode:
		return usesBash(n.Pipe)
	}
	return false
}

func usesBranch(n *parse.BranchNode) bool {
	return usesBash(n.Pipe) || usesBash(n.List) || usesBash(n.ElseList)
}

// limited collects text up to a bound.
type limited struct {
	bytes.Buffer
	most int
}

// Write fails over the bound.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		return 0, fmt.Errorf("its prompt is larger than %d MiB", l.most>>20)
	}
	return l.Buffer.Write(p)
}
