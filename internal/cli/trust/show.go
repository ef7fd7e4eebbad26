package trust

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/dustin/go-humanize"
)

type projectView struct {
	project.Project
	programs map[string][]string   // the MCP servers whose commands name a file, by its path
	settings []theirs.SettingsFile // the agents' settings files
}

func viewOf(at project.Project, files []trust.Seen) projectView {
	v := projectView{at, map[string][]string{}, theirs.FilesOf(at).List()}
	for _, f := range files {
		for path, servers := range app.ServerFilesOf(at).Programs(f) {
			v.programs[path] = append(v.programs[path], servers...)
		}
	}
	return v
}

func showProject(env *command.Env, at project.Project, files []trust.Seen) error {
	view := viewOf(at, files)
	if len(files) == 0 && len(at.Approval.Files) == 0 {
		return env.Out.Say("There is nothing to approve in %s: it has no hooks in .kodelet/hooks or .kodelet/plugins, no "+
			"recipes, no MCP servers in .mcp.json, no hooks in settings files of coding agents, and no instructions in "+
			"AGENTS.md or CLAUDE.md", at.Dir)
	}
	if err := env.Out.Say("In %s:", at.Dir); err != nil {
		return err
	}
	if err := env.Out.Columns(view.rows(files, view.about)); err != nil {
		return err
	}
	for _, line := range append(view.servers(files), view.hooks()...) {
		if err := env.Out.Say("%s", line); err != nil {
			return err
		}
	}
	if len(at.Approval.Data) > 0 {
		if err := env.Out.Say("Files that may change, as they are data: %s",
			strings.Join(at.Approval.Data, ", ")); err != nil {
			return err
		}
	}
	text := "The approval does not cover files that these start or load from elsewhere"
	if named := view.named(files); len(named) > 0 {
		text += ". They name " + strings.Join(named, ", ")
	}
	return env.Out.Say("%s", text)
}

func (p projectView) rows(files []trust.Seen, about func(trust.Seen) string) (rows [][]string) {
	row := func(f trust.File, state, about string) []string {
		return []string{"  " + term.Name(f.Path), f.Mode, f.SHA256[:min(12, len(f.SHA256))], state, about}
	}
	for _, f := range files {
		rows = append(rows, row(f.File, p.Approval.State(f.File), about(f)))
	}
	for _, f := range p.Approval.Files {
		if !slices.ContainsFunc(files, func(now trust.Seen) bool { return now.Path == f.Path }) {
			rows = append(rows, row(f, "gone", ""))
		}
	}
	return rows
}

// about returns what a file would do, as far as that is known without running it.
func (p projectView) about(f trust.Seen) string {
	name, dir := kodelet.FindHook(f.Path)
	servers := cmp.Or(p.aboutHooks(f), p.aboutServers(f))
	switch base := filepath.Base(f.Path); {
	case dir == "" && servers != "":
		return servers
	case dir == "" && (base == "AGENTS.md" || base == "CLAUDE.md"):
		return "instructions for the model"
	case dir == "":
		return aboutRecipe(f)
	}
	var about []string
	switch {
	case name == "" || !strings.Contains(f.Mode, "x"):
		about = append(about, "beside the hooks")
		if ext := filepath.Ext(f.Path); p.Approval.State(f.File) == "new" && trust.CheckData("*"+ext) == nil {
			about = append(about, "if hooks write it, approve with --data '*"+ext+"'")
		}
	default:
		about = append(about, "hook")
		if names := mentioned(f.Text); len(names) > 0 {
			about[0] += ", its text names " + strings.Join(names, ", ")
		}
		if err := f.Refused(p.Dir, dir); err != nil {
			about = append(about, "chibi does not run it: "+err.Error())
		}
		own := filepath.Join(p.User, f.Path)
		if _, err := os.Stat(own); p.User != "" && err == nil {
			about = append(about, "it would replace "+own)
		}
	}
	if f.Link != "" {
		about = append(about, "a link to "+term.Name(f.Link))
	}
	return strings.Join(about, "; ")
}

func aboutRecipe(f trust.Seen) string {
	r, err := recipes.Parse(f.Path, "", f.Text)
	switch {
	case err != nil:
		return "recipe that cannot be read"
	case r.RunsCommands():
		return "recipe that runs commands"
	}
	return "recipe"
}

// mentioned lists the events that a hook's text names. Asking the hook itself would
// run it.
func mentioned(text []byte) (names []string) {
	for name := range kodelet.Events() {
		if strings.Contains(string(text), name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

const maxWords = 2000

func paths(text string) iter.Seq[string] {
	const inside = "./@+~-"
	isBetween := func(c rune) bool {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
		return !isLetter && !strings.ContainsRune(inside, c)
	}
	return func(yield func(string) bool) {
		count := 0
		for word := range strings.FieldsFuncSeq(text, isBetween) {
			if word = strings.TrimRight(word, inside); word == "" {
				continue
			}
			if count++; count > maxWords || !yield(word) {
				return
			}
		}
	}
}

const maxNamed = 20

func (p projectView) named(files []trust.Seen) (list []string) {
	known := map[string]bool{}
	for _, f := range files {
		known[f.Path] = true
	}
	for _, f := range files {
		for token := range paths(string(f.Text)) {
			path, isFile := p.fileOf(token, f)
			if !isFile || known[path] || !strings.ContainsAny(token, "/.") { // other words are unlikely to be files
				continue
			}
			known[path] = true
			if len(list) == maxNamed {
				return append(list, "more")
			}
			list = append(list, fmt.Sprintf("%s (in %s)", term.Name(path), term.Name(f.Path)))
		}
	}
	return list
}

// fileOf finds the file of the project that a word of a text names, relative to the project's
// directory or to the directory of the text.
func (p projectView) fileOf(token string, in trust.Seen) (path string, isFile bool) {
	candidates := []string{filepath.Join(p.Dir, token), filepath.Join(p.Dir, filepath.Dir(in.Path), token)}
	if filepath.IsAbs(token) {
		candidates = []string{filepath.Clean(token)}
	}
	for _, full := range candidates {
		rel, err := filepath.Rel(p.Dir, full)
		if info, statErr := os.Stat(full); err == nil && statErr == nil && filepath.IsLocal(rel) && info.Mode().IsRegular() {
			return rel, true
		}
	}
	return "", false
}

func listApprovals(env *command.Env, store *trust.Store) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return env.Out.Say("Nothing is approved")
	}
	for _, a := range all {
		if err := env.Out.Say("%s, approved %s:", a.Project, humanize.Time(a.At)); err != nil {
			return err
		}
		at := project.Project{Dir: a.Project, Approval: a}
		files, problem := app.Look(at)
		view := viewOf(at, files)
		if err := env.Out.Columns(view.rows(files, func(trust.Seen) string { return "" })); err != nil {
			return err
		}
		if problem != nil {
			env.Out.Notef("chibi does not run the hooks of %s: %v", a.Project, problem)
		}
	}
	return nil
}
